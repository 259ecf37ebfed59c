"""A feature store small enough for a test: pictures as 3x3 grids with a colour in one cell and a shape in another."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from attend.data.items import Item
from attend.data.items_file import write_items
from attend.data.manifest import Fingerprint, Manifest
from attend.data.store_writer import ShardWriter

COLOURS = ("red", "green", "blue", "white")
SHAPES = ("ball", "box")
GRID, CHANNELS = (3, 3), 8


def annotations_of(number: int) -> np.ndarray:
    """Picture `number`: colour c lights channel c in the first cell, shape s channel 4 + s in the last; (9, 8)."""
    annotations = np.zeros((9, CHANNELS), dtype=np.float16)
    annotations[0, number % 4] = 2
    annotations[8, 4 + number // 4 % 2] = 2
    annotations[:, 7] = 1
    annotations[4, 6] = number / 64
    return annotations


def caption_of(number: int) -> str:
    """The true caption of picture `number`; lengths differ."""
    colour, shape = COLOURS[number % 4], SHAPES[number // 4 % 2]
    return f"a {colour} thing which is a {shape}" if number % 2 else f"{colour} and also a {shape}"


def make_store(folder: Path, images: int = 8, captions: int = 1, validation: int = 0) -> Path:
    """Write `images` training pictures, each with `captions` equal captions; the first `validation` are val, too."""
    items = [
        Item(f"{number}.png", folder / f"{number}.png", "train", (caption_of(number),) * captions)
        for number in range(images)
    ]
    items += [
        Item(f"val-{number}.png", folder / f"val-{number}.png", "val", (caption_of(number),))
        for number in range(validation)
    ]
    folder.mkdir(parents=True, exist_ok=True)
    sha256 = write_items(folder, items)
    ids = [item.image_id for item in items]
    with ShardWriter(folder, 0, ids, GRID, CHANNELS, "none", {}) as writer:
        numbers = [*range(images), *range(validation)]
        writer.write(0, np.stack([annotations_of(number) for number in numbers]))
        shard = writer.commit()
    fingerprint = Fingerprint(
        "tiny", "drawn", "none", "0" * 64, "float32", {"fit": "whole", "size": 3, "background": [255] * 3}
    )
    Manifest("tiny", GRID, CHANNELS, "none", fingerprint, {}, sha256, (shard,)).save(folder)
    return folder
