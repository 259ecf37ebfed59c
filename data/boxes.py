"""Boxes round named things: COCO's `instances_*.json`."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from attend.data.items import Item, Region
from attend.data.text import read_json
from attend.errors import UserError


@dataclass(frozen=True)
class Boxes:
    """Photo's file name → its regions; and how many boxes were left out because they stand for a crowd, which is many
    things at once, have no area, or are of no image of the file."""

    regions: Mapping[str, tuple[Region, ...]]
    crowds: int = 0
    empty: int = 0
    strays: int = 0


def read_instances(path: Path) -> Boxes:
    """The boxes of one file, left, top, width and height in pixels. UserError: it is not such a file."""
    content = read_json(path, _without_outlines)
    regions: dict[str, list[Region]] = defaultdict(list)
    crowds = empty = strays = 0
    try:
        names = {category["id"]: category["name"] for category in content["categories"]}
        files = {image["id"]: image["file_name"] for image in content["images"]}
        for annotation in content["annotations"]:
            region = make_region(names[annotation["category_id"]], annotation["bbox"])
            if annotation["image_id"] not in files:
                strays += 1
            elif annotation.get("iscrowd"):
                crowds += 1
            elif region is None:
                empty += 1
            else:
                regions[files[annotation["image_id"]]].append(region)
    except (TypeError, KeyError, ValueError, AttributeError) as error:
        raise UserError(f"{path} is not a COCO instances file ({error!r}): get it again, or take it away") from error
    return Boxes({name: tuple(found) for name, found in regions.items()}, crowds, empty, strays)


def make_region(name: Any, box: Sequence[Any]) -> Region | None:
    """A region, or None when its box has no area. ValueError or TypeError: the name or the box is none."""
    if not isinstance(name, str) or not name.strip():
        raise ValueError(f"{name!r} is no name")
    left, top, width, height = (float(number) for number in box)
    if not all(map(math.isfinite, (left, top, width, height))):
        raise ValueError(f"{box} is no box")
    return Region(name, (left, top, width, height)) if width > 0 and height > 0 else None


def with_boxes(items: Iterable[Item], paths: Sequence[Path]) -> tuple[list[Item], tuple[str, ...]]:
    """The items with the regions that the files `paths` give them by file name, and what is to be said about it."""
    found = {path: read_instances(path) for path in paths}
    regions: dict[str, tuple[Region, ...]] = {}
    for boxes in found.values():
        regions.update(boxes.regions)
    boxed = [replace(item, regions=regions.get(item.path.name, ())) for item in items]
    return boxed, tuple(_told(path, boxes, boxed) for path, boxes in found.items())


def _told(path: Path, boxes: Boxes, items: Iterable[Item]) -> str:
    photos = sum(item.path.name in boxes.regions for item in items)
    left_out = f"left out: {boxes.crowds:,} boxes of crowds, {boxes.empty:,} without area"
    if boxes.strays:
        left_out += f", {boxes.strays:,} of no image of the file"
    return f"{path}: boxes on {photos:,} photos; {left_out}"


def _without_outlines(fields: dict[str, Any]) -> dict[str, Any]:
    """Outlines are most of the file and are not wanted: dropped at once, so that they never fill the memory."""
    fields.pop("segmentation", None)
    return fields
