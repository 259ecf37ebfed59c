"""Reads a feature store: any images, in any order, from any process."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from attend.data.items import Item
from attend.data.items_file import items_identity, read_items
from attend.data.manifest import Manifest
from attend.data.open_shards import OpenShards, check_size
from attend.data.photo_file import PhotoFile, photos_identity
from attend.data.store_format import DTYPE
from attend.errors import UserError


class FeatureStore:
    """The finished shards of a store. Cheap to open, to pickle and to fork: files open when first read, per process.
    Threads may share it.

    Only what the manifest vouches for is there: a shard that is missing or has another size is a UserError at once,
    other damage is for `verify` to find. Shards that other processes finish later show in a store opened later.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = Path(folder).absolute()
        self.manifest = Manifest.load(self.folder)
        for shard in self.manifest.shards:
            check_size(self.folder / shard.file, shard)
        self._files = self._closed()

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

    @cached_property
    def items_identity(self) -> str:
        """`items_identity` of all the dataset's items, those without annotations too."""
        return items_identity(self._all_items)

    def photos_identity(self, image_ids: Iterable[str]) -> str:
        """`photos_identity` of the photos that the annotations of `image_ids` were made of."""
        return photos_identity((image_id, self._photo_record(image_id)) for image_id in image_ids)

    def photo_file(self, image_id: str) -> PhotoFile | None:
        """The file the annotations of an image were made of; None: it was not recorded."""
        record = self._photo_record(image_id)
        return None if record is None else PhotoFile.parse(record)

    def read(self, image_ids: Sequence[str]) -> np.ndarray:
        """Annotations (n, L, D) float16 of `image_ids`, in their order, repeats allowed.

        UserError: an id that is not here, a shard that is damaged.
        """
        annotations = np.empty((len(image_ids), self.places, self.channels), dtype=DTYPE)
        wanted: dict[tuple[int, int], list[int]] = {}
        for position, image_id in enumerate(image_ids):
            wanted.setdefault(self._find(image_id), []).append(position)
        files = self._own_files()
        for (shard, row), (first, *others) in sorted(wanted.items()):
            files.read(shard, row, annotations[first])
            annotations[others] = annotations[first]
        return annotations

    def close(self) -> None:
        """Close this process's files; reading opens them again."""
        self._own_files().close()

    def __len__(self) -> int:
        return len(self.ids)

    def __contains__(self, image_id: object) -> bool:
        return image_id in self._where

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name != "_files"}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._files = self._closed()

    @cached_property
    def _all_items(self) -> list[Item]:
        return read_items(self.folder, self.manifest.items_sha256)

    @cached_property
    def _where(self) -> dict[str, tuple[int, int]]:
        """Image id → (number of the shard, row in it)."""
        for image_id, files in self.manifest.repeated().items():
            raise UserError(f"{self.folder} has {image_id} twice, in {' and '.join(files)}: `make verify` says more")
        shards = enumerate(self.manifest.shards)
        return {image_id: (number, row) for number, shard in shards for row, image_id in enumerate(shard.ids)}

    def _find(self, image_id: str) -> tuple[int, int]:
        try:
            return self._where[image_id]
        except KeyError as error:
            raise UserError(f"{self.folder} has no annotations of {image_id}: run `make features`") from error

    def _photo_record(self, image_id: str) -> str | None:
        shard, row = self._find(image_id)
        photos = self.manifest.shards[shard].photos
        return photos[row] if photos else None

    def _own_files(self) -> OpenShards:
        """The open files of this process: a fork uses neither its parent's handles nor its lock."""
        files = self._files
        if files.process != os.getpid():
            files = self._files = self._closed()
        return files

    def _closed(self) -> OpenShards:
        return OpenShards(self.folder, self.manifest.shards, (self.places, self.channels))
