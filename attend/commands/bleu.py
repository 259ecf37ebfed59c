"""`attend bleu`: stage 3."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from attend.commands.run_options import run_folders, run_options
from attend.commands.shared_options import device_option, search_options


@click.command()
@run_options
@click.option("--split", default="test", show_default=True, help="Photos to caption and score.")
@search_options
@click.option(
    "--metrics",
    default="bleu,meteor,rouge,cider",
    show_default=True,
    help="Of bleu, meteor, rouge, cider, spice; bleu is always there.",
)
@device_option
def bleu(
    name: str | None,
    dataset: str | None,
    encoder: str,
    variant: str,
    out: Path,
    split: str,
    beam: int | None,
    length_normalisation: float | None,
    metrics: str,
    device: str,
    words: tuple[str, ...],
) -> None:
    """Caption a split and score it: captions-SPLIT.json, scores-SPLIT.json and per-image-SPLIT.jsonl in OUT/runs/RUN.

    Captions that are there already, of the same weights and search, are not made again for another metric. Several
    runs, --run "a b c", are scored as one: their word distributions are averaged, the search is that of the first, and
    the files are in OUT/runs/a+b+c.
    """
    from attend.data.store_reader import FeatureStore
    from attend.device import choose_device
    from attend.score.ensemble import load_ensemble
    from attend.score.evaluation import already_scored, evaluate, write_evaluation
    from attend.score.kept import evaluation_paths
    from attend.score.metrics.panel import chosen_families
    from attend.score.search.settings import search_settings

    families = chosen_families(metrics)
    chosen = choose_device(device)
    run = load_ensemble(run_folders(out, name, dataset, encoder, variant), chosen)
    settings = search_settings(run.config.search, words, beam, length_normalisation)
    store = FeatureStore(out / "features" / (dataset or run.dataset) / run.fingerprint.encoder)
    if already_scored(run, store, split, settings, families):
        click.echo(f"{split} is already scored: {evaluation_paths(run.folder, split)[1]}")
        return
    evaluation = evaluate(run, store, split, settings, chosen, families)
    paths = write_evaluation(evaluation, run.folder)
    click.echo(evaluation.scores.table())
    click.echo("\n".join(str(path) for path in paths))
    if evaluation.scores.missing or any(cell.score is None for cell in evaluation.scores.cells):
        sys.exit(1)
