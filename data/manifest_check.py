"""Is a manifest what its fields are for: types and values, looked at once when it is read."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from attend.data.store_format import CODECS
from attend.errors import UserError

CURE = "delete it and run `make features` again"
PRECISIONS = ("float32", "bfloat16")

Check = tuple[Callable[[Any], bool], str]


def _whole(least: int) -> Check:
    return (lambda value: type(value) is int and value >= least), f"a whole number from {least} on"


def _one_of(names: Mapping[str, Any] | tuple[str, ...]) -> Check:
    return (lambda value: isinstance(value, str) and value in names), f"one of {', '.join(names)}"


def _is_grid(value: Any) -> bool:
    return isinstance(value, list) and len(value) == 2 and all(type(side) is int and side > 0 for side in value)


def _are_texts(value: Any) -> bool:
    return isinstance(value, dict) and all(isinstance(text, str) for text in value.values())


def _are_ids(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(text, str) for text in value)


def _are_photos(value: Any) -> bool:
    return isinstance(value, list) and all(text is None or isinstance(text, str) for text in value)


TEXT: Check = (lambda value: isinstance(value, str)), "a text"
VERSIONS: Check = _are_texts, "an object of texts"
MANIFEST_FIELDS: dict[str, Check] = {
    "dataset": TEXT,
    "grid": (_is_grid, "two whole numbers from 1 on"),
    "channels": _whole(1),
    "codec": _one_of(CODECS),
    "libraries": VERSIONS,
    "items_sha256": TEXT,
    "weights_file": TEXT,
    "shard_rows": _whole(1),
}
FINGERPRINT_FIELDS: dict[str, Check] = {
    **dict.fromkeys(("encoder", "layer", "weights", "weights_sha256"), TEXT),
    "precision": _one_of(PRECISIONS),
    "preprocessing": ((lambda value: isinstance(value, dict)), "an object"),
}
SHARD_FIELDS: dict[str, Check] = {
    "file": ((lambda value: isinstance(value, str) and bool(value) and Path(value).name == value), "a file's name"),
    "rows": _whole(0),
    "bytes": _whole(0),
    "sha256": TEXT,
    "ids": (_are_ids, "a list of texts"),
    "photos": (_are_photos, "a list of texts"),
    "libraries": VERSIONS,
}


def check_fields(path: Path, where: str, fields: Mapping[str, Any], checks: Mapping[str, Check]) -> None:
    """UserError: one of `fields`, found in `where` of the manifest `path`, is not what it is for; names it."""
    for name, value in fields.items():
        fits, what = checks[name]
        if not fits(value):
            shown = repr(value) if len(repr(value)) < 80 else f"{repr(value)[:80]}…"
            raise UserError(f"{path} is damaged ({where}{name} is {shown}, not {what}): {CURE}")


def check_files(path: Path, files: list[str]) -> None:
    """UserError: a shard is listed twice."""
    twice = [file for file, count in Counter(files).items() if count > 1]
    if twice:
        raise UserError(f"{path} lists {twice[0]} twice: delete one of the two entries there")
