"""Shards given to workers and taken back: only here do they get their names."""

from __future__ import annotations

import logging
import shutil
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import CancelledError
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

from distributed import Client, Future, KilledWorker, get_worker, wait
from distributed.comm import CommClosedError

from attend.data.atomic import partial_path, publish, write_atomically
from attend.errors import UserError
from attend.extract.cluster.setup import Setup
from attend.extract.cluster.tally import Tally
from attend.extract.cluster.worker import Done, Tell, check_fit, do_shard, do_shard_carefully
from attend.extract.encoders import Encoder
from attend.extract.libraries import library_versions
from attend.extract.plan import ShardTask
from attend.extract.run_shard import Step
from attend.extract.shard_job import Job, ShardResult
from attend.extract.timing import Clock

SECONDS_WITHOUT_WORKERS = 60
SECONDS_BETWEEN_LOOKS = 2
GONE = "the scheduler went away: finished shards are safe; run the same again"


@dataclass(frozen=True)
class Workers:
    """The workers behind `client`. `device` is auto, cpu or cuda, `lanes` how many shards a machine does at once,
    `deadly` the paths of photos that are known to kill: the estimate of the size may meet them before the work."""

    client: Client
    device: str
    lanes: tuple[tuple[str, int], ...]
    say: Callable[[str], None]
    deadly: set[str] = field(default_factory=set)

    def run(
        self, tasks: Sequence[ShardTask], encoder: Encoder, job: Job, clock: Clock, progress: Step | None = None
    ) -> Iterator[ShardResult]:
        """As `run_shards`, by the workers: shards come back in any order. `encoder` says which one they build.

        A shard whose worker died is done again by another, and after a second death without the photos that kill.
        UserError also: a worker that does not fit, no worker left, a shard that kills although its photos do not, a
        scheduler that went away.
        """
        with _scheduler_needed(), _token(job.folder) as token:
            setup = Setup(
                encoder.name,
                encoder.weights_file or encoder.weights,
                encoder.weights_sha256,
                encoder.precision,
                self.device,
                token,
                self.lanes,
                tuple(library_versions().items()),
            )
            self.client.run(check_fit, setup)
            tally = Tally(clock, progress or (lambda _: None), max(1, len(self.client.nthreads())))
            self.client.subscribe_topic(token.name, lambda event: tally.note(*event[1]))
            careful = {task.index for task in tasks if any(str(item.path) in self.deadly for item in task.items)}
            pending = {
                self._submit(_careful if task.index in careful else _plain, task, setup, job): task for task in tasks
            }
            try:
                while pending:
                    for future in self._finished(pending):
                        task = pending.pop(future)
                        if future.status == "error" and isinstance(future.exception(), KilledWorker):
                            self._look_into(task, careful)
                            pending[self._submit(_careful, task, setup, job)] = task
                            continue
                        done = self._outcome(future)
                        self.deadly.update(done.deadly)
                        tally.note(task.index, len(task.items), done.busy)
                        yield _publish(done, job.folder)
            finally:
                self.client.cancel(list(pending))
                self.client.unsubscribe_topic(token.name)

    def _submit(self, work: Callable[..., Done], task: ShardTask, setup: Setup, job: Job) -> Future:
        """Without captions and regions: a worker needs ids and paths."""
        light = tuple(replace(item, captions=(), regions=()) for item in task.items)
        return self.client.submit(work, ShardTask(task.index, light), setup, job, pure=False)

    def _look_into(self, task: ShardTask, careful: set[int]) -> None:
        photos = f"{len(task.items)} photos from {task.items[0].image_id} on"
        if task.index in careful:
            cure = "give the workers more memory, or a smaller --batch"
            raise UserError(f"workers die of {photos}, although each can be decoded alone: {cure}")
        careful.add(task.index)
        self.say(f"workers died of {photos}: done again without those that kill, if any does")

    def _finished(self, pending: dict[Future, ShardTask]) -> list[Future]:
        """Futures that are done, once there are some. UserError: all workers are gone for too long."""
        last_seen = time.monotonic()
        while True:
            try:
                return list(wait(list(pending), SECONDS_BETWEEN_LOOKS, return_when="FIRST_COMPLETED").done)
            except TimeoutError:
                if self.client.nthreads():
                    last_seen = time.monotonic()
                elif time.monotonic() - last_seen > SECONDS_WITHOUT_WORKERS:
                    gone = f"no worker is left for {SECONDS_WITHOUT_WORKERS} s"
                    raise UserError(f"{gone}: finished shards are safe; start workers and run the same again") from None

    def _outcome(self, future: Future) -> Done:
        if future.status in ("cancelled", "lost"):
            raise UserError(GONE)
        done: Done = future.result()
        return done


def _publish(done: Done, folder: Path) -> ShardResult:
    """Give the shard its final name. Whoever else did the same shard wrote into another folder."""
    if done.result.record is not None:
        publish(done.at / done.result.record.file, folder / done.result.record.file)
    return done.result


@contextmanager
def _scheduler_needed() -> Iterator[None]:
    """UserError instead of what Dask raises, in words of its own, when nobody answers any more."""
    try:
        yield
    except (CommClosedError, CancelledError) as error:
        logging.getLogger("distributed.client").setLevel(logging.CRITICAL)  # it would tell once more, at length
        raise UserError(GONE) from error


@contextmanager
def _token(folder: Path) -> Iterator[Path]:
    """A file with its own name as content, in a folder of its own in `folder`, where workers put their shards."""
    place = partial_path(folder / "workers")
    token = place / place.name
    write_atomically(token, token.name.encode())
    try:
        yield token
    finally:
        shutil.rmtree(place, ignore_errors=True)


def _plain(task: ShardTask, setup: Setup, job: Job) -> Done:
    return do_shard(task, setup, job, _teller(task, setup))


def _careful(task: ShardTask, setup: Setup, job: Job) -> Done:
    return do_shard_carefully(task, setup, job, _teller(task, setup))


def _teller(task: ShardTask, setup: Setup) -> Tell:
    worker = get_worker()

    def tell(taken: int, busy: float) -> None:
        worker.log_event(setup.token.name, (task.index, taken, busy))

    return tell
