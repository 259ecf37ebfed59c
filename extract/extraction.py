"""Stage 1 as a whole: the photos of a dataset into a feature store, going on where an earlier run ended."""

from __future__ import annotations

import dataclasses
import errno
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from attend.data.atomic import remove_abandoned
from attend.data.items import Item, Problem
from attend.data.manifest import Manifest
from attend.data.store_format import DEFAULT_CODEC, codec_arguments, shard_attributes
from attend.errors import UserError
from attend.extract.checks import check_photos
from attend.extract.encoders import Encoder, fingerprint
from attend.extract.images import Preprocessing
from attend.extract.libraries import library_versions
from attend.extract.plan import ShardTask, plan_shards
from attend.extract.problems import write_problems
from attend.extract.resume import check_same, existing_manifest, refresh_items, remove_store, standing_shards
from attend.extract.run_shard import run_shards
from attend.extract.shard_job import Job
from attend.extract.size_estimate import check_room, estimate_bytes, megabytes
from attend.extract.timing import Clock
from attend.progress import Progress

Say = Callable[[str], None]


@dataclass(frozen=True)
class Options:
    """How to work; none of it changes a feature. `codec` None: the store's own, or the default for a new one.
    `threads` decode photos, `batch` of them are encoded at once, `on_error` is skip or stop."""

    codec: str | None = None
    batch: int = 50
    threads: int = 2
    on_error: str = "skip"
    rebuild: bool = False


@dataclass(frozen=True)
class Summary:
    """What a run did: photos `encoded` in it, photos in the store, and what could not be done. `seconds` and the
    encoder's `share` of them count the extraction alone."""

    encoded: int
    stored: int
    problems: tuple[Problem, ...]
    animated: int = 0
    seconds: float = 0.0
    share: float = 0.0


def extract(
    items: Sequence[Item],
    encoder: Encoder,
    preprocessing: Preprocessing,
    folder: Path,
    dataset: str,
    options: Options,
    say: Say = print,
) -> Summary:
    """Bring the store in `folder` up to date with `items`. UserError: items that contradict each other, a store made
    otherwise, too little disk, a photo that cannot be read with `on_error` stop. Finished shards are never lost."""
    present, problems = check_photos(items)
    if problems and options.on_error == "stop":
        raise UserError(f"{problems[0].where} {problems[0].what}; ON_ERROR=skip goes on without it")
    existing = None if options.rebuild else existing_manifest(folder)
    wanted = fingerprint(encoder, preprocessing)
    codec_arguments(options.codec or DEFAULT_CODEC)
    if existing is not None:
        check_same(folder, existing, dataset, options.codec, wanted)
    codec = options.codec or (existing.codec if existing else DEFAULT_CODEC)
    shards, lost = standing_shards(folder, existing) if existing else ([], [])
    for line in lost:
        say(line)
    tasks = plan_shards(present, shards)
    attributes = shard_attributes(wanted, encoder.grid)
    job = Job(folder, preprocessing, codec, attributes, options.batch, options.threads, options.on_error)
    if tasks:
        todo = [item for task in tasks for item in task.items]
        size = estimate_bytes(todo, shards, encoder, job)
        say(f"{len(todo)} of {len(items)} photos to do, about {megabytes(size)}, into {folder}")
        check_room(folder, size)
    if options.rebuild:
        remove_store(folder)
    for path in remove_abandoned(folder):
        say(f"removed {path}, left by a run that was ended")
    libraries = existing.libraries if existing and not tasks else library_versions()
    sha256 = refresh_items(folder, items)
    manifest = Manifest(
        dataset, encoder.grid, encoder.channels, codec, wanted, libraries, sha256, tuple(shards), encoder.weights_file
    )
    if manifest != existing:
        manifest.save(folder)
    summary = Summary(0, manifest.images, tuple(problems))
    if tasks:
        summary = _work(tasks, encoder, job, manifest, problems)
    write_problems(folder, summary.problems)
    return summary


def _work(tasks: list[ShardTask], encoder: Encoder, job: Job, manifest: Manifest, absent: list[Problem]) -> Summary:
    """Run the tasks; the manifest vouches for each shard as soon as it is on the disk."""
    problems, encoded, animated = list(absent), 0, 0
    clock = Clock()
    with Progress(sum(len(task.items) for task in tasks), "features", "photos") as progress:

        def step(count: int) -> None:
            progress.update(count, f"encoder busy {clock.share:.0%}")

        try:
            for result in run_shards(tasks, encoder, job, clock, step):
                problems += result.problems
                animated += result.animated
                if result.record is not None:
                    encoded += result.record.rows
                    shards = sorted([*manifest.shards, result.record], key=lambda shard: shard.file)
                    manifest = dataclasses.replace(manifest, shards=tuple(shards))
                    manifest.save(job.folder)
                write_problems(job.folder, problems)
        except OSError as error:
            if error.errno != errno.ENOSPC:
                raise
            kept = f"{manifest.images} photos in {len(manifest.shards)} shards are safe"
            raise UserError(f"the disk of {job.folder} is full: {kept}; make room and run the same again") from error
    return Summary(encoded, manifest.images, tuple(problems), animated, clock.seconds, clock.share)
