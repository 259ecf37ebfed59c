"""Whether what is asked for is the run that a directory or a record is of."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from attend.errors import UserError
from attend.train.config import TrainConfig
from attend.train.config_file import flatten, read_run_file

MAY_CHANGE = (
    "optim.epochs",
    "optim.patience",
    "optim.save_minutes",
    "optim.learning_rate",
    "optim.clip_norm",
    "batches.cache_share",
)
"""Settings that a resumed run may change: how long it goes on, and how to get past a loss that is no number."""

IDENTITIES = ("items", "photos", "training_photos")
"""Hashes of what a store holds."""


def check_folder(folder: Path, config: TrainConfig, record: dict[str, Any], resume: bool) -> bool:
    """True when an earlier start is to be continued. `UserError` when the folder holds something that does not fit."""
    if not (folder / "last.pt").exists():
        if (folder / "best.pt").exists():
            raise UserError(f"{folder} has best.pt but no last.pt to go on from: RUN=name starts another run")
        return False
    if not resume:
        raise UserError(f"{folder} exists: RESUME=1 goes on with it, RUN=name starts another, or delete the folder")
    old_config, old_record = read_run_file(folder / "config.toml")
    old, new = flatten(old_config), flatten(config)
    differing = [
        f"{name}: {old[name]} then, {new[name]} now"
        for name in new
        if old[name] != new[name] and name not in MAY_CHANGE
    ]
    differing += _differing(old_record, record, ["run", "store"], _may_grow(old_record, record))
    if differing:
        raise UserError(f"{folder} was started otherwise ({'; '.join(differing)}): start another with RUN=name")
    return True


def check_repeats(repeated: dict[str, Any], record: dict[str, Any]) -> None:
    """UserError when the run that is to be repeated was trained on something else."""
    tables = ["store", "start"] if "start" in record else ["store"]
    if differing := _differing(repeated, record, tables):
        raise UserError(f"{record['store']['folder']} is not what that run was trained on ({'; '.join(differing)})")


def _may_grow(old: dict[str, Any], new: dict[str, Any]) -> tuple[str, ...]:
    """What may differ when a run goes on: photos that it is not trained on, and where those are known, their number."""
    then, now = (record.get("store", {}).get("training_photos", "") for record in (old, new))
    return ("photos", "images") if then and then == now else ("photos",)


def _differing(old: dict[str, Any], new: dict[str, Any], tables: list[str], besides: tuple[str, ...] = ()) -> list[str]:
    """What differs between the records of two runs besides where things lie, and `besides`.

    An identity that one of them does not know, as runs of older versions do not, is none to differ in.
    """
    return [
        f"{table}.{name}: {old.get(table, {}).get(name)} then, {value} now"
        for table in tables
        for name, value in new[table].items()
        if name not in ("folder", "weights", "weights_file", *besides)
        if old.get(table, {}).get(name) != value
        if name not in IDENTITIES or (old.get(table, {}).get(name) and value)
    ]
