"""Reads a feature store: any images, in any order, from any process."""

from __future__ import annotations

import os
from collections import OrderedDict
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

import h5py
import numpy as np

from attend.data.items import Item
from attend.data.items_file import read_items
from attend.data.manifest import Manifest, ShardRecord
from attend.data.store_format import ANNOTATIONS, DTYPE, IMAGE_IDS
from attend.errors import UserError

OPEN_FILES = 256
"""Most shards one process holds open; the least recently used one is closed first."""


class FeatureStore:
    """The finished shards of a store. Cheap to open, to pickle and to fork: files open when first read, per process.

    Only what the manifest vouches for is there: a shard that is missing or has another size is a UserError at once,
    other damage is for `verify` to find. Shards that other processes finish later show in a store opened later.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = Path(folder).absolute()
        self.manifest = Manifest.load(self.folder)
        for shard in self.manifest.shards:
            _check_size(self.folder / shard.file, shard)
        self._files: OrderedDict[int, h5py.File] = OrderedDict()
        self._process = os.getpid()

    @property
    def grid(self) -> tuple[int, int]:
        """Rows and columns of places."""
        return self.manifest.grid

    @property
    def places(self) -> int:
        """L."""
        return self.manifest.places

    @property
    def channels(self) -> int:
        """D."""
        return self.manifest.channels

    @cached_property
    def ids(self) -> tuple[str, ...]:
        """The ids of all images that have annotations, in store order: reading them in this order is sequential."""
        return tuple(image_id for shard in self.manifest.shards for image_id in shard.ids)

    @cached_property
    def items(self) -> list[Item]:
        """The items that have annotations, in the order of the items file."""
        return [item for item in self._all_items if item.image_id in self._where]

    @cached_property
    def missing(self) -> list[Item]:
        """The items without annotations: not extracted yet, or their photo could not be read."""
        return [item for item in self._all_items if item.image_id not in self._where]

    def read(self, image_ids: Sequence[str]) -> np.ndarray:
        """Annotations (n, L, D) float16 of `image_ids`, in their order, repeats allowed. UserError: an id not here."""
        annotations = np.empty((len(image_ids), self.places, self.channels), dtype=DTYPE)
        wanted: dict[tuple[int, int], list[int]] = {}
        for position, image_id in enumerate(image_ids):
            wanted.setdefault(self._find(image_id), []).append(position)
        for (shard, row), (first, *others) in sorted(wanted.items()):
            _read_row(self._dataset(shard), row, annotations[first])
            annotations[others] = annotations[first]
        return annotations

    def close(self) -> None:
        """Close this process's files; reading opens them again."""
        while self._files:
            self._files.popitem()[1].close()

    def __len__(self) -> int:
        return len(self.ids)

    def __contains__(self, image_id: object) -> bool:
        return image_id in self._where

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_files": OrderedDict()}

    @cached_property
    def _all_items(self) -> list[Item]:
        return read_items(self.folder, self.manifest.items_sha256)

    @cached_property
    def _where(self) -> dict[str, tuple[int, int]]:
        """Image id → (number of the shard, row in it)."""
        shards = enumerate(self.manifest.shards)
        return {image_id: (number, row) for number, shard in shards for row, image_id in enumerate(shard.ids)}

    def _find(self, image_id: str) -> tuple[int, int]:
        try:
            return self._where[image_id]
        except KeyError as error:
            raise UserError(f"{self.folder} has no annotations of {image_id}: run `make features`") from error

    def _dataset(self, number: int) -> h5py.Dataset:
        if self._process != os.getpid():  # forked: the parent's handles are not ours to use
            self.close()
            self._process = os.getpid()
        if number not in self._files:
            if len(self._files) >= OPEN_FILES:
                self._files.popitem(last=False)[1].close()
            self._files[number] = self._open(self.manifest.shards[number])
        self._files.move_to_end(number)
        return self._files[number][ANNOTATIONS]

    def _open(self, shard: ShardRecord) -> h5py.File:
        path = self.folder / shard.file
        _check_size(path, shard)
        try:
            file = h5py.File(path, "r", locking=False)
            shape, ids = file[ANNOTATIONS].shape, tuple(file[IMAGE_IDS].asstr()[()])
        except (OSError, KeyError) as error:
            raise UserError(f"{path} cannot be read ({error}): {_CURE}") from error
        if shape != (shard.rows, self.places, self.channels) or ids != shard.ids:
            raise UserError(f"{path} does not hold the images and shapes that the manifest says: {_CURE}")
        return file


_CURE = "delete it and run `make features` again"


def _read_row(dataset: h5py.Dataset, row: int, target: np.ndarray) -> None:
    """dataset[row] into `target`, an array of the same shape and type: HDF5's own call, without h5py's selections."""
    shape = (1, *target.shape)
    space = dataset.id.get_space()
    space.select_hyperslab((row, 0, 0), shape)
    dataset.id.read(h5py.h5s.create_simple(shape), space, target)


def _check_size(path: Path, shard: ShardRecord) -> None:
    try:
        size = path.stat().st_size
    except FileNotFoundError as error:
        raise UserError(f"{path} is in the manifest but not there: run `make features` again") from error
    if size != shard.bytes:
        raise UserError(f"{path} has {size} bytes, the manifest says {shard.bytes}: {_CURE}")
