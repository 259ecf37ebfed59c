"""Checks a store byte by byte, value by value: reports, never mends, never invents."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from pathlib import Path

import h5py
import numpy as np

from attend.data.atomic import SUFFIX
from attend.data.half import finite_rows
from attend.data.items import Problem
from attend.data.items_file import read_items
from attend.data.manifest import Manifest, ShardRecord
from attend.data.problems_file import PROBLEMS, read_problems
from attend.data.shard_check import open_file_faults
from attend.data.store_format import ANNOTATIONS, DTYPE, UNREADABLE
from attend.errors import UserError
from attend.progress import Progress

_AGAIN = "run `make features` again"
_REDO = f"delete it and {_AGAIN}"
_ROWS_AT_ONCE = 32


def verify(folder: Path) -> list[Problem]:
    """Everything wrong with the store in `folder`, by name; empty when the store is what its manifest says.

    Hashes of the items and of every shard, shapes, types, ids and fingerprint in each shard, NaN and infinity, images
    twice or not at all, files nobody vouches for. Images that are in no item are no problem (`Manifest.surplus`).
    UserError: there is no manifest, or it is damaged.
    """
    manifest = Manifest.load(folder)
    problems = list(_check_ids(folder, manifest))
    with Progress(manifest.images, "verify", "images") as progress:
        for shard in manifest.shards:
            problems += _check_shard(folder / shard.file, shard, manifest)
            progress.update(shard.rows)
    known = {shard.file for shard in manifest.shards}
    for path in sorted(folder.iterdir()):
        if path.suffix == ".h5" and path.name not in known:
            problems.append(Problem(path.name, "is not in the manifest: run `make features` again, or delete it"))
        elif path.name.endswith(SUFFIX):
            problems.append(Problem(path.name, "is being written, or was left by a killed process: then delete it"))
    return problems


def surplus(folder: Path) -> list[str]:
    """The ids of images in the store that are not in its dataset any more: no harm, and nothing to mend. UserError: the
    manifest or the items cannot be read."""
    manifest = Manifest.load(folder)
    return manifest.surplus(read_items(folder, manifest.items_sha256))


def _check_ids(folder: Path, manifest: Manifest) -> Iterator[Problem]:
    held = {image_id for shard in manifest.shards for image_id in shard.ids}
    for image_id, files in manifest.repeated().items():
        cure = f"delete {files[-1]} and run `make features` again"
        yield Problem(image_id, f"is in the store {len(files)} times, in {' and '.join(files)}: {cure}")
    try:
        items = read_items(folder, manifest.items_sha256)
    except UserError as error:
        yield Problem("items.jsonl", str(error))
        return
    try:
        reasons = {problem.where: problem.what for problem in read_problems(folder)}
    except UserError as error:
        yield Problem(PROBLEMS, str(error))
        return
    for item in items:
        if item.image_id not in held:
            reason = reasons.get(str(item.path))
            yield Problem(item.image_id, f"has no annotations{f' ({reason})' if reason else ''}: {_AGAIN}")


def _check_shard(path: Path, shard: ShardRecord, manifest: Manifest) -> list[Problem]:
    if not path.is_file():
        return [Problem(shard.file, "is in the manifest but not there: run `make features` again")]
    size = path.stat().st_size
    if size != shard.bytes:
        return [Problem(shard.file, f"has {size} bytes, the manifest says {shard.bytes}: {_REDO}")]
    with path.open("rb") as file:
        if hashlib.file_digest(file, "sha256").hexdigest() != shard.sha256:
            return [Problem(shard.file, f"has another sha256 than the manifest says: {_REDO}")]
    try:
        with h5py.File(path, "r", locking=False) as file:
            return [Problem(shard.file, f"{what}: {_REDO}") for what in _check_content(file, shard, manifest)]
    except UNREADABLE as error:
        return [Problem(shard.file, f"cannot be read ({error}): {_REDO}")]


def _check_content(file: h5py.File, shard: ShardRecord, manifest: Manifest) -> Iterator[str]:
    annotations = file[ANNOTATIONS]
    yield from open_file_faults(file, shard, manifest)
    if annotations.shape != (shard.rows, manifest.places, manifest.channels) or annotations.dtype != DTYPE:
        return
    for first in range(0, shard.rows, _ROWS_AT_ONCE):
        for row in np.flatnonzero(~finite_rows(annotations[first : first + _ROWS_AT_ONCE])):
            yield f"holds NaN or infinity for {shard.ids[first + row]}"
