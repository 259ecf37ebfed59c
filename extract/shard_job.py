"""What goes into the work on shards and what comes out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from attend.data.items import Problem
from attend.data.manifest import ShardRecord
from attend.extract.images import Preprocessing


@dataclass(frozen=True)
class Job:
    """What all shards of a store have in common. `batch` photos go to the encoder at once; `threads` decode photos;
    `on_error`: `skip` leaves a photo that cannot be read out and reports it, `stop` ends the work there."""

    folder: Path
    preprocessing: Preprocessing
    codec: str
    attributes: Mapping[str, str | int | list[int]]
    batch: int
    threads: int
    on_error: str = "skip"


@dataclass(frozen=True)
class ShardResult:
    """One finished shard. `record` is None when none of its photos could be read; `problems` names those that could
    not; of `animated` photos the first frame was taken."""

    index: int
    record: ShardRecord | None
    problems: tuple[Problem, ...]
    animated: int
