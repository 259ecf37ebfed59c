"""The options that say which run a command of stage 3 works on."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

OPTIONS = (
    click.option("--run", "name", default=None, help="Name of the run.  [default: DATASET-ENCODER-VARIANT]"),
    click.option("--dataset", default=None, help="Dataset.  [default: the one the run was trained on, or scenes]"),
    click.option("--encoder", default="vgg19", show_default=True, help="Encoder, where --run does not name the run."),
    click.option("--variant", default="soft", show_default=True, help="Variant, where --run does not name the run."),
    click.option(
        "--out", type=click.Path(path_type=Path), default=Path("artifacts"), show_default=True, help="Output folder."
    ),
)


def run_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options `name`, `dataset`, `encoder`, `variant` and `out`."""
    for option in reversed(OPTIONS):
        command = option(command)
    return command


def run_folder(out: Path, name: str | None, dataset: str | None, encoder: str, variant: str) -> Path:
    """The folder of the run that these options name."""
    return out / "runs" / (name or f"{dataset or 'scenes'}-{encoder}-{variant}")
