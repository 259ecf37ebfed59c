"""`attend serve`: a page that captions the photos dropped on it."""

from __future__ import annotations

from pathlib import Path

import click

from attend.commands.run_options import run_folders, run_options
from attend.commands.shared_options import device_option, search_options

CAPTIONS = 3
"""Captions a photo where nobody says how many, or as many as the search has."""


@click.command()
@run_options
@click.option("--host", default="127.0.0.1", show_default=True, help="Address to listen on; 0.0.0.0: all of them.")
@click.option("--port", type=click.IntRange(0, 65535), default=8765, show_default=True, help="0: a free one.")
@click.option("--weights", default=None, help="The encoder's weights, where the run names a file for them.")
@search_options
@click.option(
    "--n-best", type=click.IntRange(min=1), default=None, help="Captions a photo.  [default: 3; a narrower beam's all]"
)
@click.option("--megabytes", type=click.IntRange(min=1), default=20, show_default=True, help="Largest file taken.")
@device_option
def serve(
    name: str | None,
    dataset: str | None,
    encoder: str,
    variant: str,
    out: Path,
    host: str,
    port: int,
    weights: str | None,
    beam: int | None,
    length_normalisation: float | None,
    n_best: int | None,
    megabytes: int,
    device: str,
    words: tuple[str, ...],
) -> None:
    """Caption photos in the browser: drop one, hover its words, touch a place. Several runs caption as one.

    Photos stay in memory, here and in the page. Ctrl-C stops.
    """
    from attend.score.captioner import load_captioner
    from attend.score.search.find import check_best, most_captions
    from attend.score.search.rules import make_rules
    from attend.score.search.settings import search_settings
    from attend.score.serve.answer import Limits
    from attend.score.serve.server import serve as run_server

    click.echo("loading the captioner and its encoder")
    captioner = load_captioner(run_folders(out, name, dataset, encoder, variant), device, weights)
    settings = search_settings(captioner.run.config.search, words, beam, length_normalisation)
    best = n_best or min(CAPTIONS, most_captions(settings) or CAPTIONS)
    check_best(settings, best)
    make_rules(settings, captioner.vocabulary)
    limits = Limits(bytes=megabytes * 2**20)
    run_server(captioner, settings, host, port, limits, best, click.echo)
