"""Runs that differ in the seed only: their scores are one score with its spread."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from attend.score.metrics.panel import Cell
from attend.train.config import TrainConfig
from attend.train.config_file import flatten, read_run_file

COMPARED = ("run", "store", "start")
"""Tables of config.toml that must agree; versions may differ."""
PLACES = {"folder", "weights_file"}


@dataclass(frozen=True)
class Spread:
    """Mean and sample standard deviation of one metric over runs."""

    name: str
    mean: float
    deviation: float


def differences(folders: Sequence[Path]) -> tuple[str, ...]:
    """Names of what differs between the runs besides their seeds, in the order of `config.toml`; () when nothing does.

    "seed" when two of them have the same seed.
    """
    read = [read_run_file(folder / "config.toml") for folder in folders]
    flat = [_flat(config, record) for config, record in read]
    names = dict.fromkeys(name for values in flat for name in values)
    differing = tuple(name for name in names if any(values.get(name) != flat[0].get(name) for values in flat))
    seeds = [config.optim.seed for config, _ in read]
    return differing or (() if len(set(seeds)) == len(seeds) else ("seed",))


def spread(cells: Sequence[Sequence[Cell]]) -> list[Spread]:
    """Over two runs or more, every metric that all of them have."""
    spreads = []
    for parts in zip(*cells, strict=True):
        scores = [cell.score for cell in parts if cell.score is not None]
        if len(scores) == len(parts):
            spreads.append(Spread(parts[0].name, statistics.mean(scores), statistics.stdev(scores)))
    return spreads


def _flat(config: TrainConfig, record: dict[str, Any]) -> dict[str, Any]:
    values: dict[str, Any] = flatten(replace(config, optim=replace(config.optim, seed=0)))
    for table in COMPARED:
        values.update({f"{table}.{name}": value for name, value in record.get(table, {}).items() if name not in PLACES})
    return values
