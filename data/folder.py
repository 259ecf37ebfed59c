"""Your own photos: a folder, and a table of captions beside it."""

from __future__ import annotations

import csv
import io
import os
from collections.abc import Iterable
from hashlib import sha256
from pathlib import Path

from attend.data.items import SPLITS, Item
from attend.data.text import read_text
from attend.errors import UserError

PHOTO_ENDINGS = {".jpg", ".jpeg", ".png", ".gif", ".bmp", ".webp", ".tif", ".tiff", ".jp2", ".ppm", ".avif", ".heic"}
"""How the names of files that are likely photos end."""

COLUMNS = ("image", "caption")
VAL_BELOW, TEST_BELOW = 0.1, 0.2


def read_folder(photos: Path, table: Path) -> list[Item]:
    """One item a photo, in order of first mention in `table`, which has a row a caption.

    Columns `image` (path below `photos`, also the id) and `caption` (empty: none), separated by tabs in a .tsv file, by
    commas elsewhere; quoted as spreadsheets do. Without the optional column `split`, `hash_splits` divides the photos.
    UserError: a column is absent, a row is malformed, or a photo has two splits; names the line.
    """
    captions: dict[str, list[str]] = {}
    splits: dict[str, str] = {}
    for line, row in _rows(table):
        name, caption, split = row["image"].strip(), row["caption"], row.get("split")
        if not name:
            raise UserError(f"{table}, line {line}: the image is empty: name a file below {photos}")
        captions.setdefault(name, []).extend([caption] if caption.strip() else [])
        if split is not None:
            split = split.strip()
            if split not in SPLITS:
                raise UserError(f"{table}, line {line}: unknown split {split!r}: one of {', '.join(SPLITS)}")
            if splits.setdefault(name, split) != split:
                raise UserError(f"{table}, line {line}: {name} is in {splits[name]} and in {split}: keep one split")
    if not captions:
        raise UserError(f"{table} has no rows: write one line a caption below the line of column names")
    splits = splits or hash_splits(list(captions))
    return [Item(name, photos / name, splits[name], tuple(texts)) for name, texts in captions.items()]


def left_out(photos: Path, items: Iterable[Item]) -> list[str]:
    """The photos below `photos`, by their path there, that belong to no item. Hidden files are passed over."""
    known = {os.path.normpath(item.path) for item in items}
    paths = (path for path in sorted(photos.rglob("*")) if path.suffix.lower() in PHOTO_ENDINGS)
    names = [path.relative_to(photos) for path in paths if os.path.normpath(path) not in known and path.is_file()]
    return [name.as_posix() for name in names if not any(part.startswith(".") for part in name.parts)]


def hash_splits(ids: list[str]) -> dict[str, str]:
    """A split for each id: about 80 % train, 10 % val, 10 % test, decided by the id's sha256 and nothing else.

    New photos therefore leave the splits of the old ones as they are. Only where a small set would have no
    photo in a split, one is moved there; fewer than three photos are all train.
    """
    if len(ids) < 3:
        return dict.fromkeys(ids, "train")
    shares = sorted((int(sha256(name.encode()).hexdigest()[:16], 16) / 16**16, name) for name in ids)
    below_val, below_test = (sum(share < limit for share, _ in shares) for limit in (VAL_BELOW, TEST_BELOW))
    val = min(max(1, below_val), len(ids) - 2)
    test = min(max(1, below_test - below_val), len(ids) - val - 1)
    names = [name for _, name in shares]
    return {
        **dict.fromkeys(names[:val], "val"),
        **dict.fromkeys(names[val : val + test], "test"),
        **dict.fromkeys(names[val + test :], "train"),
    }


def _rows(table: Path) -> list[tuple[int, dict[str, str]]]:
    """(line number, column → text) of every row that is not blank."""
    delimiter = "\t" if table.suffix.lower() == ".tsv" else ","
    reader = csv.reader(io.StringIO(read_text(table), newline=""), delimiter=delimiter, strict=True)
    try:
        header = [name.strip().lower() for name in next(reader, [])]
        for column in COLUMNS:
            if column not in header:
                raise UserError(f"{table} has no column {column!r} in its first line: name the columns image,caption")
        if len(set(header)) != len(header):
            raise UserError(f"{table} has a column twice in its first line: {', '.join(header)}: rename one")
        rows = [(reader.line_num, row) for row in reader if row]
    except csv.Error as error:
        raise UserError(
            f'{table}, line {reader.line_num}: {error}: quote the text as "…", a quote in it as ""'
        ) from error
    for line, row in rows:
        if len(row) != len(header):
            raise UserError(
                f'{table}, line {line}: {len(row)} columns, not {len(header)}: quote a text with commas as "…"'
            )
    return [(line, dict(zip(header, row, strict=True))) for line, row in rows]
