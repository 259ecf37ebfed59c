"""Writes one shard: under another name until it is whole, then hashed and named."""

from __future__ import annotations

import contextlib
import hashlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any

import h5py
import numpy as np

from attend.data.atomic import partial_path, publish
from attend.data.half import finite_rows, to_half
from attend.data.manifest import ShardRecord
from attend.data.store_format import ANNOTATIONS, DTYPE, IMAGE_IDS, codec_arguments, shard_name
from attend.errors import UserError


class ShardWriter:
    """Takes the annotations of `ids`, in any order, and turns them into shard `index` of the store in `folder`.

    Every id is written or skipped exactly once before `commit`. Rows lie in the file in the order they were written.
    Used as a context manager; leaving it without `commit` leaves nothing behind.
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
        self.final = folder / shard_name(index)
        self._order: list[int] = []  # which id each row of the file belongs to
        self._settled = np.zeros(len(self.ids), dtype=bool)  # written or skipped
        arguments = codec_arguments(codec)
        folder.mkdir(parents=True, exist_ok=True)
        self._partial = partial_path(self.final)
        self._file: h5py.File | None = h5py.File(self._partial, "w", locking=False)
        try:
            self._file.create_dataset(
                ANNOTATIONS,
                shape=(len(self.ids), *self.shape),
                maxshape=(len(self.ids), *self.shape),
                dtype=DTYPE,
                chunks=(1, *self.shape),
                **arguments,
            )
            self._file.attrs.update(attributes)
        except BaseException:
            self.abort()
            raise

    def write(self, start: int, annotations: np.ndarray) -> None:
        """Write the annotations (n, L, D), float16 or float32, of `ids[start : start + n]`.

        UserError, naming the image: a value is NaN, infinite, or beyond float16's 65,504. ValueError: a wrong shape,
        or an id that was written or skipped before.
        """
        numbers = self._open_rows(start, len(annotations))
        if annotations.shape[1:] != self.shape:
            raise ValueError(f"{self.final.name} takes annotations {self.shape}, not {annotations.shape[1:]}")
        half = to_half(annotations)
        finite = finite_rows(half)
        if not finite.all():
            row = int(np.argmin(finite))
            raise UserError(f"{self.ids[start + row]}: {_why_not_finite(annotations[row], half[row])}")
        self._settled[start : start + len(half)] = True
        first = len(self._order)
        self._order.extend(numbers)
        self._open_file()[ANNOTATIONS][first : first + len(half)] = half

    def skip(self, number: int) -> None:
        """Leave out `ids[number]`: its photo cannot be read. The shard gets one row fewer."""
        self._open_rows(number, 1)
        self._settled[number] = True

    def commit(self) -> ShardRecord:
        """Bring the shard to the disk under its final name; returns what the manifest has to say about it."""
        if not self._settled.all():
            missing = [name for name, settled in zip(self.ids, self._settled, strict=True) if not settled]
            raise ValueError(f"{self.final.name} still waits for {len(missing)} images: {', '.join(missing[:5])} …")
        written = tuple(self.ids[number] for number in self._order)
        file = self._open_file()
        file[ANNOTATIONS].resize(len(written), axis=0)
        text = h5py.string_dtype("utf-8")
        file.create_dataset(IMAGE_IDS, data=list(written), shape=(len(written),), dtype=text)
        file.close()
        with self._partial.open("rb") as whole:
            digest = hashlib.file_digest(whole, "sha256").hexdigest()
        size = self._partial.stat().st_size
        publish(self._partial, self.final)
        self._file = None
        return ShardRecord(self.final.name, len(written), size, digest, written)

    def abort(self) -> None:
        """Give up: nothing of this shard stays on the disk. Does nothing after `commit`."""
        if self._file is not None:
            with contextlib.suppress(OSError, RuntimeError):  # a full disk fails the close too; the file goes anyway
                self._file.close()
            self._file = None
            self._partial.unlink(missing_ok=True)

    def __enter__(self) -> ShardWriter:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None) -> None:
        self.abort()

    def _open_file(self) -> h5py.File:
        if self._file is None:
            raise ValueError(f"{self.final.name} is already committed or given up")
        return self._file

    def _open_rows(self, start: int, count: int) -> range:
        if start < 0 or start + count > len(self.ids):
            raise ValueError(f"{self.final.name} has {len(self.ids)} images, not {start + count}")
        numbers = range(start, start + count)
        twice = [self.ids[number] for number in numbers if self._settled[number]]
        if twice:
            raise ValueError(f"{self.final.name} got {twice[0]} twice")
        return numbers


def _why_not_finite(annotations: np.ndarray, half: np.ndarray) -> str:
    value = annotations[~np.isfinite(half)][0]
    what = f"the feature {value:g} is beyond float16's 65504" if np.isfinite(value) else f"a feature is {value}"
    return f"{what}: check the weights and PRECISION"
