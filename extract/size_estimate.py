"""How much disk the work will take, before it begins."""

from __future__ import annotations

import dataclasses
import shutil
import tempfile
from collections.abc import Sequence
from pathlib import Path

from attend.data.items import Item
from attend.data.manifest import ShardRecord
from attend.errors import UserError
from attend.extract.encoders import Encoder
from attend.extract.plan import ShardTask
from attend.extract.run_shard import run_shards
from attend.extract.shard_job import Job
from attend.extract.timing import Clock

SAMPLE = 32
"""Photos encoded for the estimate, spread over the dataset: sizes vary by a seventh or so, their mean by 3 %."""

WORTH_A_SAMPLE = 500
"""With fewer photos to do, the uncompressed size is close enough to plan with."""


def estimate_bytes(items: Sequence[Item], finished: Sequence[ShardRecord], encoder: Encoder, job: Job) -> int:
    """Bytes the features of `items` will take: from the finished shards, else from a sample, else uncompressed."""
    rows = sum(shard.rows for shard in finished)
    if rows:
        return round(sum(shard.bytes for shard in finished) / rows * len(items))
    raw = encoder.grid[0] * encoder.grid[1] * encoder.channels * 2
    if len(items) < WORTH_A_SAMPLE:
        return raw * len(items)
    sample = tuple(items[number * len(items) // SAMPLE] for number in range(SAMPLE))
    with tempfile.TemporaryDirectory() as folder:
        trial = dataclasses.replace(job, folder=Path(folder), on_error="skip")
        (result,) = run_shards([ShardTask(0, sample)], encoder, trial, Clock())
    return round(result.record.bytes / result.record.rows * len(items)) if result.record else raw * len(items)


def check_room(folder: Path, needed: int) -> None:
    """UserError when the disk of `folder` has less than `needed` bytes free."""
    place = next(parent for parent in (folder, *folder.absolute().parents) if parent.exists())
    free = shutil.disk_usage(place).free
    if free < needed:
        room = f"needs about {megabytes(needed)}, its disk has {megabytes(free)} free"
        raise UserError(f"{folder} {room}: make room or give another OUT")


def megabytes(count: int) -> str:
    """1234567 → `1.2 MB`."""
    return f"{count / 1e6:,.1f} MB"
