"""Names of photos below a folder, and names that are nearly theirs."""

from __future__ import annotations

import os
import unicodedata
from collections.abc import Collection, Iterable
from pathlib import Path

from attend.errors import UserError

PHOTO_ENDINGS = {".jpg", ".jpeg", ".jpe", ".jfif", ".png", ".gif", ".bmp", ".webp", ".tif", ".tiff", ".jp2", ".ppm"}
PHOTO_ENDINGS |= {".avif", ".heic", ".heif"}
"""How the names of files that are likely photos end, in small letters."""


def files_below(folder: Path, endings: Collection[str] = ()) -> list[str]:
    """The files below `folder` by their path there, sorted; only those whose names end so, in small or capital letters,
    where `endings` are given.

    Hidden files and folders are passed over; links to folders are followed, every folder is read once. UserError: a
    folder that may not be read.
    """
    names: list[str] = []
    read: set[str] = set()
    for place, folders, files in os.walk(folder, onerror=_refuse, followlinks=True):
        own = os.path.realpath(place)
        folders[:] = [] if own in read else sorted(name for name in folders if not name.startswith("."))
        if own not in read:
            wanted = (name for name in files if not name.startswith(".") and _ends_so(name, endings))
            names += [Path(place, name).relative_to(folder).as_posix() for name in wanted]
        read.add(own)
    return sorted(names, key=lambda name: name.split("/"))


def _ends_so(name: str, endings: Collection[str]) -> bool:
    return not endings or Path(name).suffix.lower() in endings


def _refuse(error: OSError) -> None:
    raise UserError(f"{error.filename} cannot be read ({error.strerror}): give yourself the permission") from error


def near_names(absent: Iterable[Path]) -> dict[Path, Path]:
    """Of paths that cannot be had, those beside which one file has nearly the same name, and that file.

    Nearly: but for capital letters and the way accents are written; or else, but for the ending; or with the slashes of
    Windows between its folders.
    """
    listings: dict[Path, dict[str, set[str]]] = {}
    found = {}
    for path in absent:
        if path.parent not in listings:
            listings[path.parent] = _listing(path.parent)
        listing = listings[path.parent]
        slashed = path.parent / path.name.replace("\\", "/").lstrip("/")
        if slashed != path and _is_file(slashed):
            found[path] = slashed
            continue
        if path.name in listing.get(_plain(path.name), ()):
            continue
        for key in (_plain(path.name), "stem " + _plain(path.stem)):
            near = listing.get(key, set()) - {path.name}
            if len(near) == 1:
                found[path] = path.with_name(*near)
                break
    return found


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except OSError:  # a folder on the way that nobody may enter
        return False


def _listing(folder: Path) -> dict[str, set[str]]:
    """Plain name → the files in a folder that have it, with and without their endings."""
    names: dict[str, set[str]] = {}
    try:
        entries = [path.name for path in folder.iterdir()]
    except OSError:
        return names
    for name in entries:
        names.setdefault(_plain(name), set()).add(name)
        if Path(name).suffix.lower() in PHOTO_ENDINGS:
            names.setdefault("stem " + _plain(Path(name).stem), set()).add(name)
    return names


def _plain(name: str) -> str:
    return unicodedata.normalize("NFC", name).casefold()
