"""The thread that writes shards, so that the encoder never waits for compression or the disk."""

from __future__ import annotations

import queue
import threading
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import groupby
from types import TracebackType

from attend.data.items import Problem
from attend.data.photo_file import PhotoFile
from attend.data.store_writer import ShardWriter
from attend.extract.plan import ShardTask
from attend.extract.shard_job import Job, ShardResult
from attend.extract.transfer import Arriving

BATCHES_WAITING = 2


@dataclass(frozen=True)
class Rows:
    """Part of a shard: `numbers` of its items, in order, with their annotations and photo files, the items that have
    none, and how many photos were animated."""

    numbers: tuple[int, ...]
    annotations: Arriving | None
    files: tuple[PhotoFile, ...]
    failed: dict[int, Problem]
    animated: int = 0


class WriterThread:
    """`open` a shard and `put` all its rows; finished shards appear in `results`. Errors of the thread are raised
    by the next call. At most two batches wait; then `put` does."""

    def __init__(self, job: Job, grid: tuple[int, int], channels: int) -> None:
        self._job, self._grid, self._channels = job, grid, channels
        self._todo: queue.Queue[ShardTask | Rows | None] = queue.Queue(BATCHES_WAITING)
        self._done: queue.SimpleQueue[ShardResult] = queue.SimpleQueue()
        self._error: BaseException | None = None
        self._ended = self._stopped = False
        self._thread = threading.Thread(target=self._run, name="writer", daemon=True)

    def open(self, task: ShardTask) -> None:
        """The next rows belong to this shard, which is finished once all its items came."""
        self._send(task)

    def put(self, rows: Rows) -> None:
        """Rows of the open shard."""
        self._send(rows)

    def stop(self) -> None:
        """Wait until what came is written. A shard some of whose rows did not come is given up."""
        if not self._stopped:
            self._stopped = True
            self._todo.put(None)
            self._thread.join()

    def finish(self) -> None:
        """Wait until everything is on the disk."""
        self.stop()
        self._raise()

    def results(self) -> Iterator[ShardResult]:
        """The shards finished since the last call."""
        while not self._done.empty():
            yield self._done.get()

    def __enter__(self) -> WriterThread:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

    def _send(self, message: ShardTask | Rows) -> None:
        self._raise()
        self._todo.put(message)

    def _raise(self) -> None:
        if self._error is not None:
            raise self._error

    def _run(self) -> None:
        """Write shards until the end. After an error, take and drop, so that nobody waits for room."""
        try:
            while isinstance(task := self._take(), ShardTask):
                self._done.put(self._write(task))
        except BaseException as error:
            self._error = error
        while not self._ended:
            self._take()

    def _take(self) -> ShardTask | Rows | None:
        message = self._todo.get()
        self._ended = message is None
        return message

    def _write(self, task: ShardTask) -> ShardResult:
        ids = [item.image_id for item in task.items]
        files: dict[str, PhotoFile] = {}
        problems: list[Problem] = []
        settled = animated = 0
        with ShardWriter(
            self._job.folder, task.index, ids, self._grid, self._channels, self._job.codec, self._job.attributes
        ) as writer:
            while settled < len(ids):
                rows = self._take()
                if not isinstance(rows, Rows):
                    raise InterruptedError(f"shard {task.index} is given up")
                for number, problem in rows.failed.items():
                    writer.skip(number)
                    problems.append(problem)
                _write_rows(writer, rows)
                files.update(zip((ids[number] for number in rows.numbers), rows.files, strict=True))
                animated += rows.animated
                settled += len(rows.numbers) + len(rows.failed)
            if len(problems) == len(ids):
                return ShardResult(task.index, None, tuple(problems), animated)
            record = writer.commit()
        record = replace(record, photos=tuple(files[image_id].record() for image_id in record.ids))
        return ShardResult(task.index, record, tuple(problems), animated)


def _write_rows(writer: ShardWriter, rows: Rows) -> None:
    """Runs of neighbouring items in one piece each."""
    if rows.annotations is None:
        return
    annotations = rows.annotations.wait()  # (B, L, D)
    for _, neighbours in groupby(enumerate(rows.numbers), key=lambda pair: pair[1] - pair[0]):
        run = list(neighbours)
        first, number = run[0]
        writer.write(number, annotations[first : first + len(run)])
