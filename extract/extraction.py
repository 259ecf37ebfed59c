"""Stage 1 as a whole: the photos of a dataset into a feature store, going on where an earlier run ended."""

from __future__ import annotations

import dataclasses
import errno
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

from attend.data.atomic import remove_abandoned
from attend.data.items import Item, Problem
from attend.data.manifest import Manifest, ShardRecord
from attend.data.problems_file import write_problems
from attend.data.store_format import DEFAULT_CODEC, SHARD_ROWS, shard_attributes, shard_name
from attend.errors import UserError
from attend.extract.carry import carry_over
from attend.extract.encoders import Encoder, fingerprint
from attend.extract.images import Preprocessing
from attend.extract.libraries import library_versions
from attend.extract.options import Options
from attend.extract.resume import check_same, refresh_items, remove_store
from attend.extract.run_shard import Run, run_shards
from attend.extract.shard_job import Job
from attend.extract.size_estimate import check_room, estimate_bytes, megabytes
from attend.extract.store_lock import store_lock
from attend.extract.survey import Survey, survey
from attend.extract.timing import Clock
from attend.progress import Progress

Say = Callable[[str], None]


@dataclass(frozen=True)
class Summary:
    """What a run did: photos `encoded` in it, photos of the dataset that have features, and what could not be done.
    `seconds` and the encoder's `share` of them count the extraction alone."""

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
    """Bring the store in `folder` up to date with `items`: `survey`, then `carry_out`, alone in the store."""
    with store_lock(folder, say):
        return carry_out(survey(items, folder, options), encoder, preprocessing, dataset, options, say)


def carry_out(
    found: Survey,
    encoder: Encoder,
    preprocessing: Preprocessing,
    dataset: str,
    options: Options,
    say: Say,
    run: Run = run_shards,
) -> Summary:
    """Do what `found` says is to do, the shards by `run`. UserError: a store made otherwise, too little disk, a photo
    that cannot be read with `on_error` stop. Finished shards are never lost."""
    existing, folder = found.existing, found.folder
    wanted = fingerprint(encoder, preprocessing)
    if existing is not None:
        check_same(folder, existing, dataset, options, wanted)
    for note in found.notes:
        say(note)
    codec = existing.codec if existing else options.codec or DEFAULT_CODEC
    begun = existing or Manifest(
        dataset,
        encoder.grid,
        encoder.channels,
        codec,
        wanted,
        library_versions(),
        items_sha256="",
        weights_file=encoder.weights_file,
        shard_rows=options.shard_rows or SHARD_ROWS,
    )
    if begun.weights_file and encoder.weights_file:
        begun = dataclasses.replace(begun, weights_file=encoder.weights_file)
    attributes = shard_attributes(begun.fingerprint, begun.grid)
    job = Job(folder, preprocessing, codec, attributes, options.batch, options.threads, options.on_error)
    if found.tasks:
        size = estimate_bytes(found.to_do, found.shards, encoder, job, run)
        say(f"{len(found.to_do)} of {len(found.items)} photos to do, about {megabytes(size)}, into {folder}")
        check_room(folder, size)
    if options.rebuild:
        remove_store(folder)
    for path in remove_abandoned(folder):
        say(f"removed {path}, left by a run that was ended")
    manifest = _begin(found, begun)
    return _work(found, encoder, job, manifest, run) if found.tasks else _finish(found, manifest, found.problems)


def settle(found: Survey, existing: Manifest, say: Say) -> Summary:
    """Where there is nothing to encode: bring items and records up to date. Needs no encoder."""
    for note in found.notes:
        say(note)
    return _finish(found, _begin(found, existing), found.problems)


def _begin(found: Survey, begun: Manifest) -> Manifest:
    """The manifest to start from, saved: it vouches for what stands. Shards that are done again are no more."""
    taken = {shard.file for shard in begun.shards} | {shard_name(task.index) for task in found.tasks}
    carried = carry_over(found.folder, begun, found.redone, found.kept, taken)
    shards = _in_order([*found.shards, *carried])
    manifest = dataclasses.replace(begun, items_sha256=refresh_items(found.folder, found.items), shards=shards)
    if manifest != found.existing:
        manifest.save(found.folder)
    write_problems(found.folder, found.problems)
    for shard in found.redone:
        (found.folder / shard.file).unlink(missing_ok=True)
    return manifest


def _work(found: Survey, encoder: Encoder, job: Job, manifest: Manifest, run: Run) -> Summary:
    """Run the tasks; the manifest vouches for each shard as soon as it is on the disk."""
    failed: dict[int, tuple[Problem, ...]] = {}  # by shard: they may come in any order
    problems, encoded, animated = found.problems, 0, 0
    versions = library_versions()
    libraries = {} if versions == manifest.libraries else versions
    clock = Clock()
    with Progress(len(found.to_do), "features", "photos") as progress:

        def step(count: int) -> None:
            progress.update(count, f"encoder busy {clock.share:.0%}")

        try:
            for result in run(found.tasks, encoder, job, clock, step):
                failed[result.index] = result.problems
                problems = (*found.problems, *chain.from_iterable(failed[index] for index in sorted(failed)))
                animated += result.animated
                if result.record is not None:
                    encoded += result.record.rows
                    record = dataclasses.replace(result.record, libraries=libraries)
                    grown = dataclasses.replace(manifest, shards=_in_order([*manifest.shards, record]))
                    grown.save(job.folder)
                    manifest = grown  # what it says is on the disk
                write_problems(job.folder, problems)
        except OSError as error:
            if error.errno != errno.ENOSPC:
                raise
            kept = f"{manifest.images} photos in {len(manifest.shards)} shards are safe"
            raise UserError(f"the disk of {job.folder} is full: {kept}; make room and run the same again") from error
    summary = _finish(found, manifest, problems)
    return dataclasses.replace(summary, encoded=encoded, animated=animated, seconds=clock.seconds, share=clock.share)


def _finish(found: Survey, manifest: Manifest, problems: Sequence[Problem]) -> Summary:
    write_problems(found.folder, problems)
    stored = manifest.images - len(manifest.surplus(found.items))
    return Summary(0, stored, tuple(problems))


def _in_order(shards: Sequence[ShardRecord]) -> tuple[ShardRecord, ...]:
    return tuple(sorted(shards, key=lambda shard: shard.file))
