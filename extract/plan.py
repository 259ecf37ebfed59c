"""Splits the photos of a dataset over shards, the same way however often the work was interrupted."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from attend.data.items import Item
from attend.data.manifest import ShardRecord
from attend.data.store_format import SHARD_ROWS, shard_name


@dataclass(frozen=True)
class ShardTask:
    """The photos of one shard that is to be written. Small, so it can travel to another process."""

    index: int
    items: tuple[Item, ...]


def plan_shards(items: Sequence[Item], finished: Sequence[ShardRecord], rows: int = SHARD_ROWS) -> list[ShardTask]:
    """The shards still to write. Shard k is for items k·rows to (k + 1)·rows - 1, in the order of `items`.

    Photos no finished shard holds although their shard is finished (they failed then, or are new in the dataset) go to
    further shards at the end, so a finished shard is never written again.
    """
    held = {image_id for shard in finished for image_id in shard.ids}
    names = {shard.file for shard in finished}
    tasks: list[ShardTask] = []
    late: list[Item] = []
    for index, start in enumerate(range(0, len(items), rows)):
        todo = tuple(item for item in items[start : start + rows] if item.image_id not in held)
        if shard_name(index) in names:
            late.extend(todo)
        elif todo:
            tasks.append(ShardTask(index, todo))
    names.update(shard_name(task.index) for task in tasks)
    index = -(-len(items) // rows)
    for start in range(0, len(late), rows):
        while shard_name(index) in names:
            index += 1
        names.add(shard_name(index))
        tasks.append(ShardTask(index, tuple(late[start : start + rows])))
    return tasks
