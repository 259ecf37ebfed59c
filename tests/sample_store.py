"""A feature store of random numbers in several shards, and the numbers themselves."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from attend.data.items import Item, Region
from attend.data.items_file import write_items
from attend.data.manifest import Fingerprint, Manifest
from attend.data.store_format import shard_attributes
from attend.data.store_writer import ShardWriter

GRID, CHANNELS = (2, 3), 5
FINGERPRINT = Fingerprint("sample", "last", "random:0", "0" * 64, "float32", {"fit": "whole", "size": 3})


@dataclass(frozen=True)
class Sample:
    """`truth[image_id]` are the annotations (6, 5) that the store in `folder` must give."""

    folder: Path
    truth: dict[str, np.ndarray]
    items: list[Item]


def random_annotations(count: int, seed: int = 0) -> np.ndarray:
    """(count, 6, 5) float16, most of them zeros."""
    random = np.random.default_rng(seed)
    shape = (count, GRID[0] * GRID[1], CHANNELS)
    return np.where(random.random(shape) < 0.3, random.normal(size=shape), 0.0).astype(np.float16)


def write_sample(folder: Path, shards: int = 3, rows: int = 4, codec: str = "zstd", extra_items: int = 0) -> Sample:
    """`shards` shards of `rows` images; `extra_items` have no annotations. Ids are not in order and not only ASCII."""
    names = [f"Fotos/ñ{number * 7919 % 1000:03d} é.jpg" for number in range(shards * rows + extra_items)]
    items = [
        Item(
            name,
            folder / name,
            ("train", "val", "test")[number % 3],
            ("NA", f"☕ {number}"),
            (Region("dog", (0, 1.5, 2, 3)),),
        )
        for number, name in enumerate(names)
    ]
    annotations = random_annotations(shards * rows)
    records = []
    for index in range(shards):
        part = slice(index * rows, (index + 1) * rows)
        with ShardWriter(
            folder, index, names[part], GRID, CHANNELS, codec, shard_attributes(FINGERPRINT, GRID)
        ) as writer:
            writer.write(0, annotations[part])
            records.append(writer.commit())
    sha256 = write_items(folder, items)
    Manifest("sample", GRID, CHANNELS, codec, FINGERPRINT, {"h5py": "3"}, sha256, tuple(records)).save(folder)
    return Sample(folder, dict(zip(names, annotations, strict=False)), items)
