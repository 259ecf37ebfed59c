"""Features of photos that cannot be had again, saved out of shards that are done again."""

from __future__ import annotations

import dataclasses
from collections.abc import Collection, Iterator, Sequence
from itertools import count
from pathlib import Path

import numpy as np

from attend.data.manifest import Manifest, ShardRecord
from attend.data.open_shards import OpenShards
from attend.data.store_format import DTYPE, shard_attributes, shard_name
from attend.data.store_writer import ShardWriter


def carry_over(
    folder: Path, manifest: Manifest, redone: Sequence[ShardRecord], ids: Collection[str], taken: Collection[str]
) -> Iterator[ShardRecord]:
    """The rows of `ids` in `redone` shards of a store, copied into new shards beside the file names `taken`.

    UserError: such a row is damaged.
    """
    free = (number for number in count() if shard_name(number) not in taken)
    attributes = shard_attributes(manifest.fingerprint, manifest.grid)
    for shard in redone:
        rows = [row for row, image_id in enumerate(shard.ids) if image_id in ids]
        if not rows:
            continue
        kept = tuple(shard.ids[row] for row in rows)
        source = OpenShards(folder, [shard], (manifest.places, manifest.channels))
        with ShardWriter(
            folder, next(free), kept, manifest.grid, manifest.channels, manifest.codec, attributes
        ) as writer:
            for number, row in enumerate(rows):
                annotations = np.empty((1, manifest.places, manifest.channels), DTYPE)
                source.read(0, row, annotations[0])
                writer.write(number, annotations)
            record = writer.commit()
        source.close()
        photos = tuple(shard.photos[row] for row in rows) if shard.photos else ()
        yield dataclasses.replace(record, photos=photos, libraries=shard.libraries)
