"""Writes one shard: put together in memory, then brought to the disk whole."""

from __future__ import annotations

import hashlib
import io
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any

import h5py
import numpy as np

from attend.data.atomic import write_atomically
from attend.data.half import finite_rows, to_half
from attend.data.manifest import ShardRecord
from attend.data.store_format import ANNOTATIONS, CHECKSUMS, DTYPE, IMAGE_IDS, LIBVER, codec_arguments, shard_name
from attend.errors import UserError


class ShardWriter:
    """Takes the annotations of `ids`, in any order, and turns them into shard `index` of the store in `folder`.

    Every id is written or skipped exactly once before `commit`. Rows lie in the file in the order they were written.
    Used as a context manager; leaving it without `commit` gives up. Until `commit` the compressed shard is in memory
    (19 MB for a thousand photos of VGG-19; 200 MB with codec none) and nothing is on the disk: HDF5 does not survive
    a disk that fills up under an open file, the process crashes with it.
    """

    def __init__(
        self,
        folder: Path,
        index: int,
        ids: Sequence[str],
        grid: tuple[int, int],
        channels: int,
        codec: str,
        attributes: Mapping[str, Any],
    ) -> None:
        self.ids = tuple(ids)
        self.shape = (grid[0] * grid[1], channels)  # (L, D)
        self.path = folder / shard_name(index)
        self._order: list[int] = []  # which id each row of the file belongs to
        self._settled = np.zeros(len(self.ids), dtype=bool)  # written or skipped
        self._content = io.BytesIO()
        self._file = h5py.File(self._content, "w", libver=LIBVER)
        self._file.attrs.update({**attributes, **CHECKSUMS})
        size = (len(self.ids), *self.shape)
        self._file.create_dataset(
            ANNOTATIONS, size, DTYPE, maxshape=size, chunks=(1, *self.shape), fletcher32=True, **codec_arguments(codec)
        )

    def write(self, start: int, annotations: np.ndarray) -> None:
        """Write the annotations (n, L, D), float16 or float32, of `ids[start : start + n]`.

        UserError, naming the image: a value is NaN, infinite, or beyond float16's 65,504. ValueError: a wrong shape,
        or an id that was written or skipped before.
        """
        numbers = self._open_rows(start, len(annotations))
        if annotations.shape[1:] != self.shape:
            raise ValueError(f"{self.path.name} takes annotations {self.shape}, not {annotations.shape[1:]}")
        half = to_half(annotations)
        finite = finite_rows(half)
        if not finite.all():
            row = int(np.argmin(finite))
            raise UserError(f"{self.ids[start + row]}: {_why_not_finite(annotations[row], half[row])}")
        self._settled[start : start + len(half)] = True
        first = len(self._order)
        self._order.extend(numbers)
        self._file[ANNOTATIONS][first : first + len(half)] = half

    def skip(self, number: int) -> None:
        """Leave out `ids[number]`: its photo cannot be read. The shard gets one row fewer."""
        self._open_rows(number, 1)
        self._settled[number] = True

    def commit(self) -> ShardRecord:
        """Bring the shard to the disk; returns what the manifest has to say about it. OSError: the disk is full."""
        self._open_rows(0, 0)
        if not self._settled.all():
            missing = [name for name, settled in zip(self.ids, self._settled, strict=True) if not settled]
            raise ValueError(f"{self.path.name} still waits for {len(missing)} images: {', '.join(missing[:5])} …")
        written = tuple(self.ids[number] for number in self._order)
        self._file[ANNOTATIONS].resize(len(written), axis=0)
        names = [image_id.encode() for image_id in written]
        text = h5py.string_dtype("utf-8", max(map(len, names), default=1))
        self._file.create_dataset(IMAGE_IDS, data=np.array(names, text), dtype=text, fletcher32=bool(names))
        self._file.close()
        content = self._content.getbuffer()
        write_atomically(self.path, content)
        return ShardRecord(self.path.name, len(written), len(content), hashlib.sha256(content).hexdigest(), written)

    def abort(self) -> None:
        """Give up: nothing of this shard is on the disk. Does nothing after `commit`."""
        self._file.close()

    def __enter__(self) -> ShardWriter:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None) -> None:
        self.abort()

    def _open_rows(self, start: int, count: int) -> range:
        """The numbers of `count` ids from `start`. ValueError: settled before, out of range, or the shard is closed."""
        if not self._file:
            raise ValueError(f"{self.path.name} is already committed or given up")
        if start < 0 or start + count > len(self.ids):
            raise ValueError(f"{self.path.name} has {len(self.ids)} images, not {start + count}")
        numbers = range(start, start + count)
        twice = [self.ids[number] for number in numbers if self._settled[number]]
        if twice:
            raise ValueError(f"{self.path.name} got {twice[0]} twice")
        return numbers


def _why_not_finite(annotations: np.ndarray, half: np.ndarray) -> str:
    value = annotations[~np.isfinite(half)][0]
    what = f"the feature {value:g} is beyond float16's 65504" if np.isfinite(value) else f"a feature is {value}"
    return f"{what}: check the weights and PRECISION"
