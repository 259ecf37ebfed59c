"""`attend score`: captions from anywhere, runs against each other, people against people."""

from __future__ import annotations

import sys
from pathlib import Path

import click


@click.command()
@click.option("--references", type=click.Path(path_type=Path), help="COCO captions file.")
@click.option("--results", type=click.Path(path_type=Path), multiple=True, help="COCO results file; may be repeated.")
@click.option("--run", "names", default="", help='Runs that `attend bleu` captioned: "a b", a row each.')
@click.option("--dataset", default=None, help="Dataset whose store has the references.  [default: the first run's]")
@click.option("--encoder", default=None, help="Encoder of that store.  [default: any]")
@click.option("--split", default="test", show_default=True, help="Split of the runs and of the store.")
@click.option(
    "--artifacts",
    type=click.Path(path_type=Path),
    default=Path("artifacts"),
    show_default=True,
    help="Folder of the runs and stores: OUT of the other commands.",
)
@click.option("--metrics", default="bleu,meteor,rouge,cider", show_default=True, help="Which; spice is one more.")
@click.option("--compare/--no-compare", default=False, help="The first captions against each of the others.")
@click.option("--human/--no-human", default=False, help="A row for people: one caption of an image against its others.")
@click.option("--resamples", type=click.IntRange(min=100), default=1000, show_default=True, help="For the intervals.")
@click.option("--out", type=click.Path(path_type=Path), help="JSON file to write; the table goes beside it as .md.")
def score(
    references: Path | None,
    results: tuple[Path, ...],
    names: str,
    dataset: str | None,
    encoder: str | None,
    split: str,
    artifacts: Path,
    metrics: str,
    compare: bool,
    human: bool,
    resamples: int,
    out: Path | None,
) -> None:
    """Score captions of a results file, or of runs, against a captions file or the references of a dataset's store.

    Nothing is decoded. Every score has an interval; --compare says whether a difference may be chance; runs that differ
    in the seed only get their mean and standard deviation.
    """
    from attend.data.atomic import write_atomically
    from attend.errors import UserError
    from attend.score.kept import json_text
    from attend.score.markdown import markdown
    from attend.score.metrics.panel import chosen_families
    from attend.score.score_job import Job, run_job

    families = chosen_families(metrics)
    runs = (names,) if names and (artifacts / "runs" / names).is_dir() else tuple(names.split())
    if not (results or runs or human):
        raise UserError("nothing to score: name captions with --results or --run, or ask for --human")
    if compare and len(results) + len(runs) < 2:
        raise UserError("--compare needs two results or runs")
    job = Job(references, results, runs, dataset, encoder, split, artifacts)
    table = run_job(job, families, resamples, compare, human)
    text = markdown(table)
    click.echo(text)
    if out is not None:
        write_atomically(out, json_text(table.to_record()))
        write_atomically(out.with_suffix(".md"), text.encode())
        click.echo(f"{out}\n{out.with_suffix('.md')}")
    if any(cell.score is None for row in table.rows for cell in row.cells):
        sys.exit(1)
