"""`attend caption`: captions for any photos."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import click

from attend.commands.run_options import run_folders, run_options
from attend.commands.shared_options import device_option, search_options


@click.command()
@run_options
@click.option("--images", "places", multiple=True, required=True, help="A photo or a folder; repeatable.")
@click.option("--weights", default=None, help="The encoder's weights, where the run names a file for them.")
@search_options
@click.option("--n-best", type=click.IntRange(min=1), default=1, show_default=True, help="Captions of each photo.")
@click.option("--attention/--no-attention", help="Add maps, and the box of each word's region in the photo's pixels.")
@device_option
@click.option(
    "--output",
    type=click.Path(path_type=Path, dir_okay=False),
    default=None,
    help="File to write.  [default: standard output]",
)
def caption(
    name: str | None,
    dataset: str | None,
    encoder: str,
    variant: str,
    out: Path,
    places: tuple[str, ...],
    weights: str | None,
    beam: int | None,
    length_normalisation: float | None,
    n_best: int,
    attention: bool,
    device: str,
    words: tuple[str, ...],
    output: Path | None,
) -> None:
    """Caption photos: a JSON line for each caption, with its words, their probabilities and gates (docs/captions.md).

    Several runs, --run "a b c", caption as one: their word distributions are averaged.
    """
    from attend.data.atomic import write_atomically
    from attend.errors import UserError
    from attend.progress import Progress
    from attend.score.captioner import load_captioner
    from attend.score.evaluation import caption_record
    from attend.score.photos import caption_photos, find_photos
    from attend.score.search.find import check_best
    from attend.score.search.rules import make_rules
    from attend.score.search.settings import search_settings
    from attend.score.seen import SeenCaption, seen_record

    if not all(places):
        raise UserError("IMAGES= is empty: name a photo or a folder of photos")
    captioner = load_captioner(run_folders(out, name, dataset, encoder, variant), device, weights)
    settings = search_settings(captioner.run.config.search, words, beam, length_normalisation)
    check_best(settings, n_best)
    make_rules(settings, captioner.vocabulary)
    photos, others = find_photos([Path(place) for place in places])
    lines: list[str] = []
    problems = animated = cut = fewer = 0
    with Progress(len(photos), "captions", "photos") as progress:
        for found in caption_photos(captioner, photos, settings, n_best, attention):
            if found.problem:
                problems += 1
                click.echo(f"no caption: {found.problem}", err=True)
            else:
                animated += found.animated
                fewer += len(found.captions) < n_best
            for rank, one in enumerate(found.captions, start=1):
                cut += not one.finished
                record = {**caption_record(str(found.path), one), "rank": rank}
                if isinstance(one, SeenCaption):
                    record |= seen_record(one)
                lines.append(json.dumps(record, ensure_ascii=False))
                if output is None:
                    click.echo(lines[-1])
            progress.update()
    if output is not None:
        write_atomically(output, "".join(f"{line}\n" for line in lines).encode(errors="surrogateescape"))
        click.echo(f"{output}: {len(lines)} captions")
    for count, what in (
        (animated, "animated photos: their first frame was captioned"),
        (len(others), "files are no photos by their names and were passed over"),
        (cut, f"captions were cut after search.longest={settings.longest} words"),
        (fewer, f"photos have fewer than {n_best} captions: the search found no more"),
        (problems, "photos have no caption"),
    ):
        if count:
            click.echo(f"{count} {what}", err=True)
    if problems:
        sys.exit(1)
