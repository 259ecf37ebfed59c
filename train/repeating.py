"""What a run's `config.toml` says about how to do the same again."""

from __future__ import annotations

import shlex
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch

from attend.errors import UserError
from attend.train import ranks
from attend.train.config import TrainConfig
from attend.train.config_file import read_run_file


@dataclass(frozen=True)
class Origin:
    """Where a training starts from. `encoder` is the folder of the features under that of the dataset."""

    dataset: str
    variant: str
    encoder: str
    config: TrainConfig
    record: dict[str, Any] | None = None
    """The record of the run that is to be repeated; None: of no run."""
    start: Path | None = None
    """The run whose weights that one began with."""


def read_origin(path: Path) -> Origin:
    """The run whose `config.toml` this is. UserError: absent, damaged, or the file of something else."""
    config, record = read_run_file(path)
    try:
        run, store = record["run"], record["store"]
        start = Path(record["start"]["folder"]) if "start" in record else None
        return Origin(run["dataset"], run["variant"], Path(store["folder"]).name, config, record, start)
    except KeyError as error:
        raise UserError(f"{path} lacks {error}, so it is no run's config.toml") from None


def how_to_repeat(folder: Path, store: Path, device: torch.device) -> list[str]:
    """Lines for the head of `config.toml`."""
    command = ["attend", "train", "--config", str(folder.absolute() / "config.toml"), "--run", f"{folder.name}-again"]
    command += ["--out", str((store / "../../..").resolve()), "--device", device.type]
    command += ["--gpus", str(ranks.world())] if ranks.world() > 1 else []
    return [
        "This file and the feature store OUT/features/DATASET/ENCODER are enough to repeat the run:",
        f"  {shlex.join(command)}",
        "Same numbers need the versions and the hardware of the table [versions].",
    ]
