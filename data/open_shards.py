"""The shard files that one process holds open, for all its threads."""

from __future__ import annotations

import os
import threading
from collections import OrderedDict
from collections.abc import Sequence
from pathlib import Path

import h5py
import numpy as np

from attend.data.manifest import ShardRecord
from attend.data.store_format import ANNOTATIONS, IMAGE_IDS, UNREADABLE
from attend.errors import UserError

OPEN_FILES = 256
"""Most shards one process holds open; the least recently used one is closed first."""

CURE = "delete it and run `make features` again"


class OpenShards:
    """Rows of `shards` of the store in `folder`, annotations (L, D) each; a file is opened when first read.

    One thread reads at a time, as HDF5 would have it anyway: no thread closes what another one reads.
    """

    def __init__(self, folder: Path, shards: Sequence[ShardRecord], shape: tuple[int, int]) -> None:
        self.process = os.getpid()
        self._folder, self._shards, self._shape = folder, shards, shape
        self._files: OrderedDict[int, h5py.File] = OrderedDict()
        self._lock = threading.Lock()

    def read(self, number: int, row: int, target: np.ndarray) -> None:
        """Row `row` of shard `number` into `target` (L, D) float16. UserError: the shard is damaged; names it."""
        with self._lock:
            file = self._file(number)
            try:
                _read_row(file[ANNOTATIONS], row, target)
            except UNREADABLE as error:
                shard = self._shards[number]
                where = f"{self._folder / shard.file} is damaged at {shard.ids[row]}"
                raise UserError(f"{where} ({error}): {CURE}") from error

    def close(self) -> None:
        """Close the files; reading opens them again."""
        with self._lock:
            while self._files:
                self._files.popitem()[1].close()

    def __len__(self) -> int:
        """How many files are open."""
        return len(self._files)

    def _file(self, number: int) -> h5py.File:
        if number not in self._files:
            if len(self._files) >= OPEN_FILES:
                self._files.popitem(last=False)[1].close()
            self._files[number] = self._open(self._shards[number])
        self._files.move_to_end(number)
        return self._files[number]

    def _open(self, shard: ShardRecord) -> h5py.File:
        path = self._folder / shard.file
        check_size(path, shard)
        try:
            file = h5py.File(path, "r", locking=False, rdcc_nbytes=0)  # a row is a chunk: nothing is read twice
            shape, ids = file[ANNOTATIONS].shape, tuple(file[IMAGE_IDS].asstr()[()])
        except UNREADABLE as error:
            raise UserError(f"{path} cannot be read ({error}): {CURE}") from error
        if shape != (shard.rows, *self._shape) or ids != shard.ids:
            raise UserError(f"{path} does not hold the images and shapes that the manifest says: {CURE}")
        return file


def check_size(path: Path, shard: ShardRecord) -> None:
    """UserError unless the file of a shard is there in full size."""
    try:
        size = path.stat().st_size
    except FileNotFoundError as error:
        raise UserError(f"{path} is in the manifest but not there: run `make features` again") from error
    if size != shard.bytes:
        raise UserError(f"{path} has {size} bytes, the manifest says {shard.bytes}: {CURE}")


def _read_row(dataset: h5py.Dataset, row: int, target: np.ndarray) -> None:
    """dataset[row] into `target`, an array of the same shape and type: HDF5's own call, without h5py's selections."""
    shape = (1, *target.shape)
    space = dataset.id.get_space()
    space.select_hyperslab((row, 0, 0), shape)
    dataset.id.read(h5py.h5s.create_simple(shape), space, target)
