"""Checkpoints: plain data that `torch.load(weights_only=True)` opens anywhere."""

from __future__ import annotations

import hashlib
import io
import shutil
from pathlib import Path
from typing import Any

import torch

from attend.data.atomic import partial_path, publish
from attend.errors import UserError


def write_checkpoint(path: Path, content: dict[str, Any]) -> None:
    """Save whole or not at all: after a crash at any moment `path` holds the old content or the new.

    UserError, by name, when the disk does not take it.
    """
    partial = partial_path(path)
    try:
        torch.save(content, partial)
        publish(partial, path)
    except (OSError, RuntimeError) as error:  # torch's own writer raises RuntimeError for a full disk
        free = shutil.disk_usage(path.parent).free // 2**20
        kept = "the earlier one is kept" if path.exists() else "there is no earlier one"
        raise UserError(
            f"{path} could not be written ({str(error).splitlines()[0]}; {free} MB are free), {kept}: make room, then "
            f"{way_on(path.parent)}"
        ) from error
    finally:
        partial.unlink(missing_ok=True)


def way_on(folder: Path) -> str:
    """How the run in `folder`, which ended early, goes on."""
    if (folder / "last.pt").exists():
        return "RESUME=1 goes on from last.pt"
    return "the run begins again, it has no last.pt yet"


def read_checkpoint(path: Path, device: torch.device | str = "cpu") -> dict[str, Any]:
    """Load tensors and plain data only; `UserError` names a file that is missing or broken."""
    return read_hashed_checkpoint(path, device)[0]


PARTS = {"best.pt": {"model", "step"}, "last.pt": {"model", "optimizer", "position", "random"}}
"""What the checkpoints of a run are opened for."""


def read_hashed_checkpoint(path: Path, device: torch.device | str = "cpu") -> tuple[dict[str, Any], str]:
    """The same, with the sha256 of the very bytes that were loaded: a training may replace the file at any moment."""
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        raise UserError(f"no checkpoint at {path}: train the run first, or check RUN=") from None
    try:
        content: dict[str, Any] = torch.load(io.BytesIO(data), map_location=device, weights_only=True)
    except Exception as error:  # on a damaged file torch.load raises whatever it trips over
        why = (str(error) or type(error).__name__).splitlines()[0].split(". ")[0]
        raise UserError(f"{path} is no readable checkpoint ({why}): copy or train it again") from error
    lacking = PARTS.get(path.name, set()) - set(content if isinstance(content, dict) else ())
    if lacking:
        raise UserError(f"{path} has no {' or '.join(sorted(lacking))}, so it is another file: copy or train it again")
    return content, hashlib.sha256(data).hexdigest()


def random_states(device: torch.device) -> dict[str, Any]:
    """The states of torch's generators, of the processor and of the GPU in use.

    Nothing else in training draws: batches depend on (seed, epoch) alone.
    """
    states: dict[str, Any] = {"cpu": torch.get_rng_state()}
    if device.type == "cuda":
        states["cuda"] = [torch.cuda.get_rng_state(device)]
    return states


def restore_random_states(states: dict[str, Any], device: torch.device) -> None:
    """Put the generators back where `random_states` found them, on this GPU or another one."""
    torch.set_rng_state(states["cpu"].cpu())
    if "cuda" in states and device.type == "cuda":
        torch.cuda.set_rng_state(states["cuda"][0].cpu(), device)
