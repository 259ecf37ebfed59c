"""Rows of a table of captions, whatever its kind, put together as items."""

from __future__ import annotations

import posixpath
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from attend.data.hash_splits import hash_splits
from attend.data.items import SPLITS, Item, Region
from attend.data.listing import some
from attend.errors import UserError


@dataclass(frozen=True)
class Row:
    """One row: the photo by its path below the folder of photos, and what the row says of it."""

    line: int
    image: str
    captions: tuple[str, ...]
    split: str | None = None
    regions: tuple[Region, ...] = ()


def rows_to_items(rows: Sequence[Row], table: Path, photos: Path) -> tuple[list[Item], tuple[str, ...]]:
    """One item a photo, in order of first mention, and what is to be said. A caption that a photo has already is left
    out. Without any split `hash_splits` divides the photos.

    UserError: no rows; a row without a photo, with an unknown split, or with another than before.
    """
    if not rows:
        raise UserError(f"{table} has no rows: write one line a caption")
    captions: dict[str, list[str]] = {}
    regions: dict[str, list[Region]] = {}
    splits: dict[str, str] = {}
    repeated: Counter[str] = Counter()
    for row in rows:
        name = _name(row, table, photos)
        own = captions.setdefault(name, [])
        for caption in row.captions:
            if caption.strip() and caption in own:
                repeated[name] += 1
            else:
                own.append(caption)
        regions.setdefault(name, []).extend(row.regions)
        if row.split is not None:
            _check_split(row, table, name, splits)
    without = [name for name in captions if name not in splits]
    if splits and without:
        raise UserError(f"{table}: {len(without):,} photos have no split, {some(without)}: give all one, or none")
    splits = splits or hash_splits(list(captions))
    items = [
        Item(name, photos / name, splits[name], tuple(texts), tuple(dict.fromkeys(regions[name])))
        for name, texts in captions.items()
    ]
    told = f"{table}: {repeated.total():,} captions that their photo has already are left out: {some(list(repeated))}"
    return items, (told,) if repeated else ()


def _name(row: Row, table: Path, photos: Path) -> str:
    """The photo's path below `photos`, the same however it is written."""
    name = row.image.strip()
    if not name:
        raise UserError(f"{table}, line {row.line}: the image is empty: name a file below {photos}")
    path = Path(name)
    if path.is_absolute() and path.is_relative_to(photos.absolute()):
        name = path.relative_to(photos.absolute()).as_posix()
    return posixpath.normpath(name)


def _check_split(row: Row, table: Path, name: str, splits: dict[str, str]) -> None:
    split = (row.split or "").strip()
    if split not in SPLITS:
        raise UserError(f"{table}, line {row.line}: unknown split {split!r}: one of {', '.join(SPLITS)}")
    if splits.setdefault(name, split) != split:
        raise UserError(f"{table}, line {row.line}: {name} is in {splits[name]} and in {split}: keep one split")
