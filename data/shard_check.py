"""Is a shard what the manifest says: told by its head alone, without reading its annotations."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import h5py
import numpy as np

from attend.data.manifest import Manifest, ShardRecord
from attend.data.store_format import ANNOTATIONS, DTYPE, IMAGE_IDS, UNREADABLE, shard_attributes


def header_faults(path: Path, shard: ShardRecord, manifest: Manifest) -> list[str]:
    """What is wrong with the shape, type, image ids and attributes of a shard file; empty when they agree."""
    try:
        with h5py.File(path, "r", locking=False) as file:
            return list(open_file_faults(file, shard, manifest))
    except UNREADABLE as error:
        return [f"cannot be read ({error})"]


def open_file_faults(file: h5py.File, shard: ShardRecord, manifest: Manifest) -> Iterator[str]:
    """The same of an open file. One of `UNREADABLE`: it is no shard."""
    annotations = file[ANNOTATIONS]
    shape = (shard.rows, manifest.places, manifest.channels)
    if annotations.shape != shape or annotations.dtype != DTYPE:
        yield f"holds {annotations.shape} {annotations.dtype}, not {shape} {np.dtype(DTYPE)}"
    if tuple(file[IMAGE_IDS].asstr()[()]) != shard.ids:
        yield "holds other images than the manifest says"
    for name, value in shard_attributes(manifest.fingerprint, manifest.grid).items():
        if not np.array_equal(file.attrs.get(name), value):
            yield f"was written with another {name} ({file.attrs.get(name)}, not {value})"
