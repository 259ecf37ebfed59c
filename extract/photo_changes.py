"""Are the photos still those that the features were made of?"""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from attend.data.items import Item
from attend.data.manifest import ShardRecord
from attend.data.photo_file import PhotoFile, read_photo_file
from attend.extract.opening import PhotoError
from attend.progress import Progress


@dataclass(frozen=True)
class Comparison:
    """`shards` stand, with records of their photos as they are now; `redone` hold features of photos that have
    `changed`. `adopted` photos had no record and got one. `gone` ones are wanted but cannot be read."""

    shards: tuple[ShardRecord, ...]
    redone: tuple[ShardRecord, ...]
    changed: tuple[str, ...]
    adopted: tuple[str, ...]
    gone: tuple[str, ...]


def compare_photos(
    shards: Sequence[ShardRecord], items: Sequence[Item], states: Mapping[str, os.stat_result | PhotoError]
) -> Comparison:
    """Of equal size and time: the same. Of another size: another. Else the sha256 of the bytes decides.

    Rows that belong to no item are left as they are.
    """
    paths = {item.image_id: item.path for item in items}
    records = {image_id: record for shard in shards for image_id, record in _records(shard) if image_id in paths}
    changed, doubtful, gone = [], [], []
    for image_id, record in records.items():
        state = states[image_id]
        if isinstance(state, PhotoError):
            gone.append(image_id)
        elif record is None:
            doubtful.append(image_id)
        elif record.size != state.st_size:
            changed.append(image_id)
        elif record.mtime_ns != state.st_mtime_ns:
            doubtful.append(image_id)
    now = _read({image_id: paths[image_id] for image_id in doubtful})
    gone += [image_id for image_id in doubtful if image_id not in now]
    adopted = tuple(image_id for image_id in now if records[image_id] is None)
    changed += [name for name, file in now.items() if (known := records[name]) and known.sha256 != file.sha256]
    others = frozenset(changed)
    redone = tuple(shard for shard in shards if not others.isdisjoint(shard.ids))
    standing = tuple(_updated(shard, now) for shard in shards if others.isdisjoint(shard.ids))
    return Comparison(standing, redone, tuple(changed), adopted, tuple(gone))


def _records(shard: ShardRecord) -> Iterable[tuple[str, PhotoFile | None]]:
    """Image id and record of each row."""
    photos = shard.photos or (None,) * shard.rows
    return ((name, PhotoFile.parse(photo) if photo else None) for name, photo in zip(shard.ids, photos, strict=True))


def _read(paths: Mapping[str, Path]) -> dict[str, PhotoFile]:
    """What the files are now; those that cannot be read are left out."""
    files: dict[str, PhotoFile] = {}
    if paths:
        with Progress(len(paths), "comparing photos with their features", "photos") as progress:
            for image_id, path in paths.items():
                with suppress(OSError):
                    files[image_id] = read_photo_file(path)[1]
                progress.update()
    return files


def _updated(shard: ShardRecord, now: Mapping[str, PhotoFile]) -> ShardRecord:
    """The shard's record with what is known now of its photos."""
    if now.keys().isdisjoint(shard.ids):
        return shard
    photos = shard.photos or (None,) * shard.rows
    fresh = (now[name].record() if name in now else photo for name, photo in zip(shard.ids, photos, strict=True))
    return dataclasses.replace(shard, photos=tuple(fresh))
