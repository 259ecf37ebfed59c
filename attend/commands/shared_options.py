"""Options that several commands share."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click

Decorator = Callable[[Callable[..., Any]], Callable[..., Any]]

device_option = click.option("--device", default="auto", show_default=True, help="auto, cpu, cuda or cuda:N.")


def adding(*options: Decorator) -> Decorator:
    """All of them as one, in this order in `--help`."""

    def add(command: Callable[..., Any]) -> Callable[..., Any]:
        for option in reversed(options):
            command = option(command)
        return command

    return add


search_options = adding(
    click.option("--beam", type=click.IntRange(min=1), default=None, help="Beam width.  [default: the run's]"),
    click.option(
        "--length-normalisation",
        type=click.FloatRange(min=0),
        default=None,
        help="Rank captions by log p / words^THIS; 0: by log p.  [default: the run's]",
    ),
    click.option("--set", "words", multiple=True, help='Settings of the search, e.g. --set "search.longest=20".'),
)
"""`beam`, `length_normalisation` and `words`, what `search_settings` takes beside the run's own."""
