"""`attend report`: a run to look at."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from attend.commands.run_options import run_folder, run_options


@click.command()
@run_options
@click.option("--split", default=None, help="Captions to show.  [default: test where it was scored, else val]")
@click.option("--each", type=click.IntRange(min=1), default=6, show_default=True, help="Best, median, worst captions.")
@click.option("--device", default="auto", show_default=True, help="auto, cpu, cuda or cuda:N.")
def report(
    name: str | None,
    dataset: str | None,
    encoder: str,
    variant: str,
    out: Path,
    split: str | None,
    each: int,
    device: str,
) -> None:
    """Write OUT/runs/RUN/report/index.html: scores, learning curves, captions and where the model looked."""
    from attend.data.store_reader import FeatureStore
    from attend.device import choose_device
    from attend.score.report.build import build_report
    from attend.train.run import load_run

    run = load_run(run_folder(out, name, dataset, encoder, variant), choose_device(device))
    store = FeatureStore(out / "features" / (dataset or run.dataset) / run.fingerprint.encoder)
    built = build_report(run, store, split, each)
    for problem in built.problems:
        click.echo(f"not shown: {problem.where} {problem.what}", err=True)
    click.echo(f"{built.page}: {built.shown} captions")
    if built.problems:
        sys.exit(1)
