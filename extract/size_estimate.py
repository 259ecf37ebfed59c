"""How much disk the work will take, before it begins."""

from __future__ import annotations

import dataclasses
import shutil
from collections.abc import Sequence
from pathlib import Path

from attend.data.atomic import partial_path
from attend.data.items import Item
from attend.data.manifest import ShardRecord
from attend.errors import UserError
from attend.extract.encoders import Encoder
from attend.extract.plan import ShardTask
from attend.extract.run_shard import Run
from attend.extract.shard_job import Job
from attend.extract.timing import Clock

SAMPLE = 32
"""Photos encoded for the estimate, spread over the dataset: sizes vary by a seventh or so, their mean by 3 %."""


def estimate_bytes(items: Sequence[Item], finished: Sequence[ShardRecord], encoder: Encoder, job: Job, run: Run) -> int:
    """About how many bytes the features of `items` will take: as in the finished shards, else as a sample through
    the real encoder and codec, written beside the store; uncompressed if no photo of the sample can be read."""
    rows = sum(shard.rows for shard in finished)
    if rows:
        return round(sum(shard.bytes for shard in finished) / rows * len(items))
    count = min(SAMPLE, len(items))
    sample = tuple(items[number * len(items) // count] for number in range(count))
    folder = partial_path(job.folder / "estimate")
    try:
        trial = dataclasses.replace(job, folder=folder, on_error="skip")
        (result,) = run([ShardTask(0, sample)], encoder, trial, Clock())
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    if result.record is None:
        return encoder.grid[0] * encoder.grid[1] * encoder.channels * 2 * len(items)
    return round(result.record.bytes / result.record.rows * len(items))


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
