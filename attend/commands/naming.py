"""`attend naming`: how often captions of the embedded scenes name a right thing in its right colour."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import click

from attend.commands.run_options import one_run_options, run_folder


@click.command()
@one_run_options
@click.option("--split", default="val", show_default=True, help="Scored split: `attend bleu` captions it first.")
@click.option("--show", type=click.IntRange(min=0), default=6, show_default=True, help="Captions to print.")
@click.option("--least", type=click.FloatRange(0, 1), default=0.0, help="Exit with 1 below this share that is right.")
def naming(
    name: str | None, dataset: str | None, encoder: str, variant: str, out: Path, split: str, show: int, least: float
) -> None:
    """Hold each caption of OUT/runs/RUN/captions-SPLIT.json against the objects that were drawn."""
    from attend.data.scenes.naming import judge, naming_accuracy
    from attend.data.store_reader import FeatureStore
    from attend.errors import UserError
    from attend.train.run import load_run

    run = load_run(run_folder(out, name, dataset, encoder, variant))
    path = run.folder / f"captions-{split}.json"
    if not path.is_file():
        raise UserError(f"{path} is not there: run `make bleu SPLIT={split}` first")
    captions = {row["image_id"]: row["caption"] for row in json.loads(path.read_text(encoding="utf-8"))}
    store = FeatureStore(out / "features" / (dataset or run.dataset) / run.fingerprint.encoder)
    items = [item for item in store.items if item.split == split]
    accuracy = naming_accuracy(captions, items)
    for item in items[:show]:
        verdict = judge(captions[item.image_id], item.regions)
        said = "right" if verdict.colour and not verdict.wrong else f"wrong: {', '.join(verdict.wrong) or 'no name'}"
        click.echo(f"{item.image_id}  {captions[item.image_id]}  [{said}]")
        click.echo(f"    drawn: {', '.join(region.name for region in item.regions)}")
        click.echo(f"    references: {' | '.join(item.captions)}")
    click.echo(
        f"{accuracy.pictures} pictures of {split}: {accuracy.thing:.1%} of the captions name a thing that is there, "
        f"{accuracy.colour:.1%} one in its right colour, {accuracy.faultless:.1%} that and nothing wrong; "
        f"{accuracy.wrong_names} wrong names"
    )
    if accuracy.colour < least:
        click.echo(f"that is less than {least:.0%}", err=True)
        sys.exit(1)
