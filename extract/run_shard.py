"""The work on shards: decode → encode → write, all at once. A process, or a worker of a cluster, calls `run_shards`."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import chain
from typing import Protocol

from attend.errors import UserError
from attend.extract.decoding import decode_ahead
from attend.extract.encoders import Encoder
from attend.extract.images import Photo, read_photo
from attend.extract.opening import PhotoError
from attend.extract.plan import ShardTask
from attend.extract.shard_job import Job, ShardResult
from attend.extract.timing import Clock
from attend.extract.transfer import Arriving, upload
from attend.extract.writing import Rows, WriterThread

Step = Callable[[int], None]
"""Is told how many more photos were taken up."""


class Run(Protocol):
    """Whoever does shards: this process (`run_shards`) or a cluster."""

    def __call__(
        self, tasks: Sequence[ShardTask], encoder: Encoder, job: Job, clock: Clock, progress: Step | None = None
    ) -> Iterator[ShardResult]: ...


def run_shards(
    tasks: Sequence[ShardTask], encoder: Encoder, job: Job, clock: Clock, progress: Step | None = None
) -> Iterator[ShardResult]:
    """Do `tasks` one after the other without a gap between them; yields each shard once it is safely on the disk.

    Holds a few batches of photos and annotations, however many photos there are. `clock` adds up the encoder's time,
    `progress` is told how many more photos were taken up. An error comes after the shards that were finished before
    it, and leaves nothing half-written. UserError: a photo cannot be read and the job stops there, or features are not
    finite.
    """
    paths = chain.from_iterable((item.path for item in task.items) for task in tasks)
    read = partial(read_photo, preprocessing=job.preprocessing)
    decoded = decode_ahead(paths, read, job.threads, ahead=2 * job.batch)
    with WriterThread(job, encoder.grid, encoder.channels) as writer:
        try:
            for task in tasks:
                writer.open(task)
                for start in range(0, len(task.items), job.batch):
                    count = min(job.batch, len(task.items) - start)
                    batch = {start + number: next(decoded) for number in range(count)}
                    writer.put(_encode(batch, encoder, job, clock))
                    if progress:
                        progress(count)
                    yield from writer.results()
            writer.finish()
            yield from writer.results()
        except (Exception, KeyboardInterrupt):
            writer.stop()
            yield from writer.results()
            raise
        finally:
            decoded.close()


def _encode(batch: dict[int, Photo | PhotoError], encoder: Encoder, job: Job, clock: Clock) -> Rows:
    """One batch, by number in its shard, through the encoder. Photos that failed are left out and named."""
    photos = {number: photo for number, photo in batch.items() if isinstance(photo, Photo)}
    failed = {number: error.problem() for number, error in batch.items() if isinstance(error, PhotoError)}
    if failed and job.on_error == "stop":
        first = failed[min(failed)]
        raise UserError(f"{first.where} {first.what}; ON_ERROR=skip goes on without it")
    if not photos:
        return Rows((), None, (), failed)
    pixels = upload([photo.pixels for photo in photos.values()], encoder.device)
    with clock.encoding(encoder.device):
        annotations = encoder.encode(pixels)
    animated = sum(photo.animated for photo in photos.values())
    return Rows(tuple(photos), Arriving(annotations), tuple(photo.file for photo in photos.values()), failed, animated)
