"""The options that say which run a command of stage 3 works on."""

from __future__ import annotations

from pathlib import Path

import click

from attend.commands.shared_options import Decorator, adding
from attend.errors import UserError


def _which_run(several: str) -> Decorator:
    return adding(
        click.option(
            "--run", "name", default=None, help=f"Name of the run{several}.  [default: DATASET-ENCODER-VARIANT]"
        ),
        click.option("--dataset", default=None, help="Dataset.  [default: the one the run was trained on, or scenes]"),
        click.option(
            "--encoder", default="vgg19", show_default=True, help="Encoder, where --run does not name the run."
        ),
        click.option(
            "--variant", default="soft", show_default=True, help="Variant, where --run does not name the run."
        ),
        click.option(
            "--out",
            type=click.Path(path_type=Path),
            default=Path("artifacts"),
            show_default=True,
            help="Output folder.",
        ),
    )


one_run_options = _which_run("")
run_options = _which_run('; "a b": ensemble')
"""`name`, `dataset`, `encoder`, `variant` and `out`, what `run_folder` and `run_folders` take."""


def run_folder(out: Path, name: str | None, dataset: str | None, encoder: str, variant: str) -> Path:
    """The folder of the one run that these options name. UserError when they name several."""
    folders = run_folders(out, name, dataset, encoder, variant)
    if len(folders) > 1:
        raise UserError(f"--run {name}: this command takes one run; bleu and caption take several as an ensemble")
    return folders[0]


def run_folders(out: Path, name: str | None, dataset: str | None, encoder: str, variant: str) -> list[Path]:
    """The folders of the runs that these options name: several names, with spaces between them, are an ensemble."""
    runs = out / "runs"
    if not name or not name.strip():
        return [runs / f"{dataset or 'scenes'}-{encoder}-{variant}"]
    if (runs / name).is_dir():
        return [runs / name]
    return [runs / part for part in name.split()]
