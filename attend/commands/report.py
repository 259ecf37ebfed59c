"""`attend report`: a run to look at."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from attend.commands.run_options import one_run_options, run_folder
from attend.commands.shared_options import device_option


@click.command()
@one_run_options
@click.option("--split", default=None, help="Captions to show.  [default: test where it was scored, else val]")
@click.option("--each", type=click.IntRange(min=1), default=6, show_default=True, help="Best, median, worst captions.")
@click.option(
    "--photos", type=click.IntRange(min=0), default=1000, show_default=True, help="Captions in the gallery; 0: all."
)
@click.option(
    "--panels",
    type=click.IntRange(min=0),
    default=None,
    help="PNG pictures of all words of a caption, evenly over the ranks.  [default: of best, median, worst]",
)
@click.option("--panel", "named", multiple=True, metavar="ID", help="Such a picture of this photo too; repeatable.")
@device_option
def report(
    name: str | None,
    dataset: str | None,
    encoder: str,
    variant: str,
    out: Path,
    split: str | None,
    each: int,
    photos: int,
    panels: int | None,
    named: tuple[str, ...],
    device: str,
) -> None:
    """Write OUT/runs/RUN/report/index.html: scores, learning curves, captions and where the model looked."""
    from attend.data.store_reader import FeatureStore
    from attend.device import choose_device
    from attend.score.report.build import Wanted, build_report
    from attend.train.run import load_run

    run = load_run(run_folder(out, name, dataset, encoder, variant), choose_device(device))
    store = FeatureStore(out / "features" / (dataset or run.dataset) / run.fingerprint.encoder)
    built = build_report(run, store, Wanted(split, each, photos, panels, named))
    for problem in built.problems:
        click.echo(f"not shown: {problem}", err=True)
    click.echo(f"{built.page}: {built.shown} of {built.captions} captions, {built.panels} pictures of all words")
    if built.problems:
        sys.exit(1)
