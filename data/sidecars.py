"""Captions in a text file beside each photo: `dog.txt` for `dog.jpg`, a caption a line."""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path, PurePosixPath

from attend.data.listing import some
from attend.data.photo_names import PHOTO_ENDINGS, files_below
from attend.data.rows import Row
from attend.data.text import read_lines
from attend.errors import UserError


def find_sidecars(photos: Path) -> dict[str, list[str]]:
    """Text file → the photos beside it that have its name but for the ending; all by their paths below `photos`."""
    named = defaultdict(list)
    for photo in files_below(photos, PHOTO_ENDINGS):
        named[str(PurePosixPath(photo).with_suffix(""))].append(photo)
    texts = files_below(photos, {".txt"})
    return {text: named.get(str(PurePosixPath(text).with_suffix("")), []) for text in texts}


def read_sidecars(photos: Path, found: dict[str, list[str]]) -> tuple[list[Row], tuple[str, ...]]:
    """A row a photo, and what is to be said. UserError: one text for two photos, or one that is not UTF-8."""
    rows = []
    for text, names in found.items():
        if len(names) > 1:
            raise UserError(f"{photos / text} could be of {some(names)}: rename all but one of them, with a text each")
        rows += [Row(1, name, tuple(line for _, line in read_lines(photos / text))) for name in names]
    without = [text for text, names in found.items() if not names]
    told = f"{len(without):,} text files in {photos} have no photo of the same name beside them: {some(without)}"
    return rows, (told,) if without else ()
