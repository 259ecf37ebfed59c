"""Checkpoints: plain data that `torch.load(weights_only=True)` opens anywhere."""

from __future__ import annotations

import hashlib
import io
import pickle
from pathlib import Path
from typing import Any

import torch

from attend.data.atomic import partial_path, publish
from attend.errors import UserError


def write_checkpoint(path: Path, content: dict[str, Any]) -> None:
    """Save whole or not at all: after a crash at any moment `path` holds the old content or the new."""
    partial = partial_path(path)
    try:
        torch.save(content, partial)
        publish(partial, path)
    except BaseException:
        partial.unlink(missing_ok=True)
        raise


def read_checkpoint(path: Path, device: torch.device | str = "cpu") -> dict[str, Any]:
    """Load tensors and plain data only; `UserError` names a file that is missing or broken."""
    return read_hashed_checkpoint(path, device)[0]


def read_hashed_checkpoint(path: Path, device: torch.device | str = "cpu") -> tuple[dict[str, Any], str]:
    """The same, with the sha256 of the very bytes that were loaded: a training may replace the file at any moment."""
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        raise UserError(f"no checkpoint at {path}: train the run first, or check RUN=") from None
    try:
        content: dict[str, Any] = torch.load(io.BytesIO(data), map_location=device, weights_only=True)
    except (RuntimeError, pickle.UnpicklingError, EOFError, OSError) as error:
        raise UserError(
            f"{path} is no readable checkpoint ({str(error).splitlines()[0]}): copy or train it again"
        ) from error
    return content, hashlib.sha256(data).hexdigest()


def random_states() -> dict[str, Any]:
    """The states of torch's generators. Nothing else in training draws: batches depend on (seed, epoch) alone."""
    states: dict[str, Any] = {"cpu": torch.get_rng_state()}
    if torch.cuda.is_available():
        states["cuda"] = torch.cuda.get_rng_state_all()
    return states


def restore_random_states(states: dict[str, Any]) -> None:
    """Put the generators back where `random_states` found them."""
    torch.set_rng_state(states["cpu"].cpu())
    if "cuda" in states and torch.cuda.is_available():
        torch.cuda.set_rng_state_all([state.cpu() for state in states["cuda"]])
