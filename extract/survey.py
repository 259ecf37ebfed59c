"""What there is and what there is to do, found out before anything is loaded or written."""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from attend.data.items import Item, Problem
from attend.data.listing import some
from attend.data.manifest import Manifest, ShardRecord
from attend.data.store_format import SHARD_ROWS
from attend.errors import UserError
from attend.extract.checks import refuse_contradictions, stat_photos
from attend.extract.opening import PhotoError
from attend.extract.options import Options
from attend.extract.photo_changes import Comparison, compare_photos
from attend.extract.plan import ShardTask, plan_shards
from attend.extract.resume import existing_manifest, refuse_repeated, standing_shards


@dataclass(frozen=True)
class Survey:
    """`items` of a dataset against the store in `folder`.

    `existing` is the store's manifest, None without a store or when it is to be rebuilt. Of its shards, `shards` stand
    and `redone` hold photos that have changed; features of `kept` photos, gone or not in the dataset any more, are
    carried over from those. `tasks` are the shards to write, `problems` the photos that cannot be had and have no
    features, `notes` what a person has to know.
    """

    folder: Path
    items: tuple[Item, ...]
    existing: Manifest | None
    shards: tuple[ShardRecord, ...]
    redone: tuple[ShardRecord, ...]
    kept: frozenset[str]
    tasks: tuple[ShardTask, ...]
    problems: tuple[Problem, ...]
    notes: tuple[str, ...]

    @property
    def to_do(self) -> list[Item]:
        """The photos to encode."""
        return [item for task in self.tasks for item in task.items]


def survey(items: Sequence[Item], folder: Path, options: Options) -> Survey:
    """Looks at every photo's file and at the store, reads only photos that may have changed. Writes nothing.

    UserError: items that contradict each other, an image that is in the store twice, no photo of any, one that is not
    there and `on_error` stop, a manifest that cannot be read.
    """
    refuse_contradictions(items)
    states = stat_photos(items)
    existing = None if options.rebuild else existing_manifest(folder)
    standing, lost = standing_shards(folder, existing) if existing else ([], [])
    if existing:
        refuse_repeated(folder, dataclasses.replace(existing, shards=tuple(standing)))
    compared = compare_photos(standing, items, states)
    gone = frozenset(compared.gone)
    rows = existing.shard_rows if existing else options.shard_rows or SHARD_ROWS
    without = [state for name, state in states.items() if isinstance(state, PhotoError) and name not in gone]
    if without and not any(isinstance(state, os.stat_result) for state in states.values()):
        first = f"{len(items):,} photos can be had, the first of them: {without[0]}"
        raise UserError(f"none of the {first}, or name the right folder with DATA= or IMAGES=")
    if without and options.on_error == "stop":
        raise UserError(f"{without[0]}; ON_ERROR=skip goes on without it")
    there = [item for item in items if isinstance(states[item.image_id], os.stat_result) and item.image_id not in gone]
    return Survey(
        folder,
        tuple(items),
        existing,
        compared.shards,
        compared.redone,
        gone | frozenset(_surplus((*compared.shards, *compared.redone), items)),
        tuple(plan_shards(there, compared.shards, rows)),
        tuple(error.problem() for error in without),
        (*lost, *_notes(compared, items)),
    )


def _notes(compared: Comparison, items: Sequence[Item]) -> Iterator[str]:
    if compared.changed:
        shards = some([shard.file for shard in compared.redone], most=3)
        yield (
            f"photos that are not those their features were made of: {_named(compared.changed)}; done again with the "
            f"shards that hold them: {shards}, {sum(shard.rows for shard in compared.redone):,} photos"
        )
    if compared.adopted:
        count = len(compared.adopted)
        yield f"features from before photos were recorded: {count:,}; the photos there now are taken to be theirs"
    if compared.gone:
        yield f"photos that are gone, or may not be read, but whose features are kept: {_named(compared.gone)}"
    surplus = _surplus((*compared.shards, *compared.redone), items)
    if surplus:
        yield f"photos of the store that are not in the dataset: {_named(surplus)}; they stay and are not counted"


def _surplus(shards: Sequence[ShardRecord], items: Sequence[Item]) -> list[str]:
    """The ids in `shards` that are none of `items`."""
    wanted = {item.image_id for item in items}
    return [name for shard in shards for name in shard.ids if name not in wanted]


def _named(ids: Sequence[str]) -> str:
    return f"{len(ids):,} ({some(ids, most=3)})"
