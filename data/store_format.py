"""The layout of a feature store: the one place that knows its names, types, chunks, compression and version.

DATASET/ENCODER/manifest.json      what is vouched for (manifest.py)
DATASET/ENCODER/items.jsonl        one Item a line (items_file.py)
DATASET/ENCODER/shard-00000.h5     up to `shard_rows` images, SHARD_ROWS if nobody says:
    annotations  (N, L, D) float16, one image a chunk; place = columns · row + column (row-major)
    image_ids    (N,) utf-8 strings of one length
    attributes   what wrote it (`shard_attributes`), and `checksums` where chunks carry them (`CHECKSUMS`)

More arrays, such as a global vector (N, G) or tags (N, T), need no other VERSION: each is one more dataset of a shard,
rows in the order of `image_ids`, one image a chunk, and a new field of the manifest says its name, row shape and type.
Older programs then refuse the store as a newer one's, by the name of that field, instead of leaving something out.
"""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import hdf5plugin
import numpy as np

from attend.errors import UserError

if TYPE_CHECKING:
    from attend.data.manifest import Fingerprint

VERSION = 1
SHARD_ROWS = 1000
ANNOTATIONS = "annotations"
IMAGE_IDS = "image_ids"
DTYPE = np.float16
DEFAULT_CODEC = "zstd"
LIBVER = "v110"
"""HDF5's file format since 1.10 (2016): whatever says where the chunks lie carries a checksum of its own."""
CHECKSUMS = {"checksums": "fletcher32"}
"""Attribute of a shard each chunk of which carries a checksum of its bytes, looked at whenever it is read. Shards from
before it have neither; they are read as they are."""
UNREADABLE = (OSError, KeyError, ValueError, RuntimeError, TypeError, AttributeError)
"""What h5py raises, whichever part of a file is damaged: data, names, texts, types."""

CODECS: dict[str, Mapping[str, Any]] = {
    "zstd": hdf5plugin.Zstd(clevel=1),
    "blosc2": hdf5plugin.Blosc2(cname="zstd", clevel=1, filters=hdf5plugin.Blosc2.NOFILTER),
    "lzf": {"compression": "lzf"},
    "gzip": {"compression": "gzip", "compression_opts": 1},
    "none": {},
}
"""Name → h5py's arguments of create_dataset. Features after a ReLU are mostly zeros, in runs that every codec finds
better without a byte shuffle. On real features `zstd` is the smallest and, of those that
compress, the fastest (bench/store.py). `gzip` and `none` open with plain HDF5, `lzf` with any h5py, the others with
hdf5plugin."""


def codec_arguments(codec: str) -> Mapping[str, Any]:
    """h5py's arguments for a codec. UserError: unknown name."""
    if codec not in CODECS:
        raise UserError(f"unknown codec {codec!r}: one of {', '.join(CODECS)}")
    return CODECS[codec]


def shard_name(index: int) -> str:
    """`shard-00000.h5` for index 0."""
    return f"shard-{index:05d}.h5"


def shard_attributes(fingerprint: Fingerprint, grid: tuple[int, int]) -> dict[str, str | int | list[int]]:
    """What a shard says about itself, readable without the manifest: version, grid, and the fingerprint's fields."""
    fields = dataclasses.asdict(fingerprint)
    plain = {name: value if isinstance(value, str) else json.dumps(value) for name, value in fields.items()}
    return {"version": VERSION, "grid": list(grid), "place_order": "row-major", **plain}
