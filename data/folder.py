"""Your own photos: a folder, and captions in a table, in JSON lines, in a text beside each photo, or nowhere."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

from attend.data.clean import clean
from attend.data.hash_splits import RULE
from attend.data.items import Item
from attend.data.json_lines import read_json_lines
from attend.data.listing import some
from attend.data.photo_names import PHOTO_ENDINGS, files_below
from attend.data.rows import Row, rows_to_items
from attend.data.sidecars import find_sidecars, read_sidecars
from attend.data.sources import Reading, Sources
from attend.data.table import read_table
from attend.errors import UserError

FILES = ("captions.csv", "captions.tsv", "captions.jsonl")
JSON_ENDINGS = (".jsonl", ".ndjson", ".json")


def read_folder(photos: Path, captions: Path) -> list[Item]:
    """One item a photo that the file `captions` names, in order of first mention; its id is its path below `photos`.

    JSON lines in a .jsonl file, a table elsewhere. UserError: a row that cannot be read, or contradicts another.
    """
    return clean(Reading(rows_to_items(_read_rows(captions), captions, photos)[0])).items


def read_own_photos(sources: Sources) -> Reading:
    """The photos that have captions somewhere; where there are no captions at all, every photo, for its features."""
    photos = _photos(sources)
    texts = {} if sources.captions else find_sidecars(photos)
    captions = _captions(sources, photos, texts)
    notes: tuple[str, ...] = ()
    if captions is not None:
        rows, source = _read_rows(captions), captions
    elif any(texts.values()):
        (rows, notes), source = read_sidecars(photos, texts), photos
    else:
        return _without_captions(sources, photos)
    items, more = rows_to_items(rows, source, photos)
    facts = () if any(row.split is not None for row in rows) else (f"{source} has no splits: photos are split {RULE}",)
    others = left_out(photos, items)
    have = f"row in {captions}" if captions else "text beside them"
    told = f"{len(others):,} photos in {photos} have no {have} and are left out: {some(others)}"
    return Reading(items, (*notes, *more, *((told,) if others else ())), facts)


def left_out(photos: Path, items: Iterable[Item]) -> list[str]:
    """The photos below `photos`, by their path there, that belong to no item. Hidden files are passed over."""
    known = {os.path.normpath(item.path) for item in items}
    return [name for name in files_below(photos, PHOTO_ENDINGS) if os.path.normpath(photos / name) not in known]


def _read_rows(captions: Path) -> list[Row]:
    return read_json_lines(captions) if captions.suffix.lower() in JSON_ENDINGS else read_table(captions)


def _photos(sources: Sources) -> Path:
    """The folder of photos; DATA itself is one when photos lie in it and it has no folder `images`."""
    data = sources.data
    if sources.images is None and data.is_dir() and not (data / "images").exists() and files_below(data, PHOTO_ENDINGS):
        return data
    return sources.photos("images")


def _captions(sources: Sources, photos: Path, texts: dict[str, list[str]]) -> Path | None:
    """The file of captions, None when there is none. UserError: the named one is absent, or there are two kinds."""
    if sources.captions is not None:
        return sources.table()
    found = [folder / name for folder in dict.fromkeys((sources.data, photos)) for name in FILES]
    found = [path for path in found if path.is_file()]
    beside = [photos / text for text, names in texts.items() if names]
    if len(found) + bool(beside) > 1:
        kinds = [str(path) for path in (*found, *beside[:1])]
        raise UserError(
            f"captions are in {' and in '.join(kinds)}: name one file with CAPTIONS=, or move the others away"
        )
    return found[0] if found else None


def _without_captions(sources: Sources, photos: Path) -> Reading:
    names = files_below(photos, PHOTO_ENDINGS)
    if not names:
        raise UserError(f"no photos in {photos}: {sources.how}")
    told = f"no captions in {photos}, nor {' or '.join(FILES)} in {sources.data}: CAPTIONS= names a file of them"
    others = sorted(set(files_below(photos)) - set(names))
    strangers = f"{len(others):,} files in {photos} are no photos by their endings and are left out: {some(others)}"
    items = [Item(name, photos / name, "none", ()) for name in names]
    return Reading(items, (told, strangers) if others else (told,))
