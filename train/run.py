"""A run directory: what a finished or unfinished training left behind, and how to open it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from torch import nn

from attend.data.manifest import Fingerprint
from attend.data.vocabulary import Vocabulary
from attend.errors import UserError
from attend.train.checkpoint import read_hashed_checkpoint
from attend.train.config import TrainConfig
from attend.train.config_file import read_run_file
from attend.train.models.variants import build_captioner


@dataclass(frozen=True)
class Run:
    """An opened run. `model` holds the weights of the best validation, in evaluation mode, float32."""

    folder: Path
    dataset: str
    variant: str
    config: TrainConfig
    vocabulary: Vocabulary
    model: nn.Module
    channels: int
    grid: tuple[int, int]
    store: Path
    fingerprint: Fingerprint
    weights_file: str
    step: int
    checkpoint_sha256: str
    record: dict[str, Any]
    members: tuple[Run, ...] = ()
    """The runs of an ensemble (score/ensemble.py), whose other fields are those of the first; none in a single run."""


def load_run(folder: Path, device: torch.device | str = "cpu") -> Run:
    """Open a run directory with its best weights; `UserError` names what is missing or does not fit together."""
    config, record = read_run_file(folder / "config.toml")
    vocabulary = Vocabulary.load(folder / "vocabulary.json")
    try:
        run, store = record["run"], record["store"]
        if run["vocabulary_hash"] != vocabulary.hash:
            raise UserError(f"{folder / 'vocabulary.json'} is not the one this run was trained with: restore it")
        model = build_captioner(run["variant"], config.model, store["channels"], len(vocabulary))
        fingerprint = Fingerprint(
            encoder=store["encoder"],
            layer=store["layer"],
            weights=store["weights"],
            weights_sha256=store["weights_sha256"],
            precision=store["precision"],
            preprocessing=store["preprocessing"],
        )
        rows, columns = store["grid"]
    except KeyError as error:
        raise UserError(f"{folder / 'config.toml'} lacks {error}: restore it or train the run again") from None
    best, checkpoint_sha256 = read_hashed_checkpoint(folder / "best.pt", device)
    try:
        model.load_state_dict(best["model"])
    except RuntimeError as error:
        raise UserError(f"{folder / 'best.pt'} does not fit config.toml ({str(error).splitlines()[0]})") from None
    return Run(
        folder=folder,
        dataset=run["dataset"],
        variant=run["variant"],
        config=config,
        vocabulary=vocabulary,
        model=model.to(device).eval(),
        channels=store["channels"],
        grid=(rows, columns),
        store=Path(store["folder"]),
        fingerprint=fingerprint,
        weights_file=store["weights_file"],
        step=best["step"],
        checkpoint_sha256=checkpoint_sha256,
        record=record,
    )
