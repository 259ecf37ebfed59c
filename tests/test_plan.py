"""The plan is the same after any interruption, and no finished shard is written again."""

from __future__ import annotations

from pathlib import Path

from attend.data.items import Item
from attend.data.manifest import ShardRecord
from attend.extract.plan import ShardTask, plan_shards


def items(*numbers: int) -> list[Item]:
    return [Item(f"{number}", Path(f"{number}.jpg"), "train", ()) for number in numbers]


def finished(task: ShardTask, without: tuple[str, ...] = ()) -> ShardRecord:
    ids = tuple(item.image_id for item in task.items if item.image_id not in without)
    return ShardRecord(f"shard-{task.index:05d}.h5", len(ids), 1, "", ids)


def outline(tasks: list[ShardTask]) -> dict[int, list[str]]:
    return {task.index: [item.image_id for item in task.items] for task in tasks}


def test_shards_follow_the_order_of_the_items():
    assert outline(plan_shards(items(*range(5)), [], rows=2)) == {0: ["0", "1"], 1: ["2", "3"], 2: ["4"]}
    assert plan_shards([], [], rows=2) == []


def test_after_an_interruption_only_the_rest_is_left_and_unchanged():
    everything = plan_shards(items(*range(9)), [], rows=2)
    for done in range(len(everything) + 1):
        for some in (everything[:done], everything[-done:] if done else []):
            records = [finished(task) for task in some]
            assert plan_shards(items(*range(9)), records, rows=2) == [task for task in everything if task not in some]


def test_a_photo_that_failed_is_retried_in_a_shard_of_its_own():
    first, second, third = plan_shards(items(*range(5)), [], rows=2)
    records = [finished(first, without=("1",)), finished(second), finished(third)]
    (retry,) = plan_shards(items(*range(5)), records, rows=2)
    assert outline([retry]) == {3: ["1"]}
    assert plan_shards(items(*range(5)), [*records, finished(retry)], rows=2) == []


def test_retries_take_no_number_that_is_planned_or_taken():
    first, *_ = plan_shards(items(*range(5)), [], rows=2)
    tasks = plan_shards(items(*range(5)), [finished(first, without=("0", "1"))], rows=2)
    assert outline(tasks) == {1: ["2", "3"], 2: ["4"], 3: ["0", "1"]}


def test_a_dataset_that_grows_keeps_its_shards():
    small = plan_shards(items(0, 1, 2), [], rows=2)
    records = [finished(task) for task in small]
    assert outline(plan_shards(items(0, 1, 2, 3, 4), records, rows=2)) == {2: ["4"], 3: ["3"]}
    assert plan_shards(items(2, 0), records, rows=2) == []  # smaller, another order: all of it is there
