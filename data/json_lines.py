"""Captions as JSON lines: an object a line, with everything known of one photo."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from attend.data.boxes import make_region
from attend.data.items import Region
from attend.data.rows import Row
from attend.data.text import half_character, read_lines
from attend.errors import UserError


def read_json_lines(path: Path) -> list[Row]:
    """Lines `{"image": …, "caption": …}`, or `"captions": […]`; optional `split` and `boxes`, a list of
    `{"name": …, "box": [left, top, width, height]}` in pixels of the upright photo. Other fields are passed over.

    UserError names the line that is not so.
    """
    return [_row(path, number, line) for number, line in read_lines(path)]


def _row(path: Path, number: int, line: str) -> Row:
    where = f"{path}, line {number}"
    try:
        fields = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise UserError(f"{where}, is not JSON ({error}): write one object a line") from error
    if not isinstance(fields, dict):
        raise UserError(f'{where}, is not an object: write {{"image": …, "caption": …}}')
    if not isinstance(fields.get("image"), str):
        raise UserError(f'{where}, has no "image": name a file')
    split = fields.get("split")
    if not (split is None or isinstance(split, str)):
        raise UserError(f'{where}: "split" is no text: write "split": "train"')
    captions = _captions(fields, where)
    halves = [shown for text in (fields["image"], *captions) if (shown := half_character(text))]
    if halves:
        raise UserError(f"{where}: {halves[0]!r} is not Unicode: write whole characters")
    return Row(number, fields["image"], captions, split, _regions(fields, where))


def _captions(fields: dict[str, Any], where: str) -> tuple[str, ...]:
    if "caption" in fields and "captions" in fields:
        raise UserError(f'{where}, has "caption" and "captions": keep one')
    captions = fields.get("captions", [fields["caption"]] if "caption" in fields else [])
    if not (isinstance(captions, list) and all(isinstance(caption, str) for caption in captions)):
        raise UserError(f'{where}: a caption is no text: write "caption": "…" or "captions": ["…", "…"]')
    return tuple(captions)


def _regions(fields: dict[str, Any], where: str) -> tuple[Region, ...]:
    try:
        regions = [make_region(box["name"], box["box"]) for box in fields.get("boxes", [])]
    except (KeyError, TypeError, ValueError):
        regions = [None]
    if None in regions:
        cure = '{"name": "dog", "box": [left, top, width, height]}, width and height more than 0'
        raise UserError(f"{where}: a box is malformed: write {cure}")
    return tuple(region for region in regions if region is not None)
