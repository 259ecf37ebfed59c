"""COCO as people have it: Karpathy's JSON or the official caption files, boxes beside them, photos below one folder."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

from attend.data.boxes import with_boxes
from attend.data.coco import CocoFile, official_splits, parse_coco
from attend.data.karpathy import karpathy_items
from attend.data.listing import some
from attend.data.sources import Reading, Sources, first
from attend.data.text import read_json
from attend.errors import UserError

KARPATHY = "dataset_coco.json"
YEARS = ("2014", "2017")
UNLIKE_PAPERS = f"scores do not compare with those of papers, whose splits {KARPATHY} gives"


def read_coco(sources: Sources) -> Reading:
    """Karpathy's JSON, or the official file of captions with its partner beside it. `instances_*.json` add boxes."""
    path = _captions(sources)
    content = read_json(path)
    return _karpathy(sources, path, content) if _is_karpathy(content) else _pair(sources, path, content)


def _karpathy(sources: Sources, path: Path, content: Any) -> Reading:
    parts = dict.fromkeys(str(image.get("filepath", "")) for image in content["images"] if isinstance(image, dict))
    items = karpathy_items(content, path, _root(sources, parts))
    folders = (path.parent, path.parent / "annotations")
    named = [folder / f"instances_{part}2014.json" for folder in folders for part in ("train", "val")]
    boxed, told = with_boxes(items, [instances for instances in named if instances.is_file()])
    return Reading(boxed, facts=told)


def _pair(sources: Sources, path: Path, content: Any) -> Reading:
    """The official file `path` with its partner; who names one file may have the photos of that one alone."""
    files = {path: _parse(sources, path, content)}
    partner = _partner(path)
    if partner is None or not partner.is_file():
        return _official(files)
    other = _parse(sources, partner, read_json(partner))
    if sources.captions is not None and not any(item.path.exists() for item in other.items):
        reading = _official(files)
        told = f"{partner} is left out: none of its {len(other.items):,} photos is there"
        return replace(reading, notes=(told, *reading.notes))
    files[partner] = other
    empty = [one for one, file in files.items() if not file.items]
    if len(empty) == 1:
        (full,) = files.keys() - {*empty}
        reading = _official({full: files[full]})
        return replace(reading, notes=(f"{empty[0]} has no photos and is left out", *reading.notes))
    return _official({one: files[one] for one in sorted(files, key=_is_val)})


def _official(files: dict[Path, CocoFile]) -> Reading:
    """The items of one or two files, with splits and boxes."""
    notes = tuple(line for path, file in files.items() for line in file.notes(path))
    facts: list[str] = []
    items = [item for file in files.values() for item in file.items]
    names = " and ".join(map(str, files))
    if not items:
        raise UserError(f"no photos in {names}: get them again")
    if len({file.has_splits for file in files.values()}) > 1:
        raise UserError(f"of {names} one gives splits and one does not: make them alike")
    if not all(file.has_splits for file in files.values()):
        val = [item.image_id for path, file in files.items() for item in file.items if _is_val(path)]
        train = [item.image_id for path, file in files.items() for item in file.items if not _is_val(path)]
        splits, rule = official_splits(train, val)
        items = [replace(item, split=splits[item.image_id]) for item in items]
        facts.append(f"{names}: {rule}; {UNLIKE_PAPERS}")
    named = [path.with_name(path.name.replace("captions", "instances")) for path in files]
    boxed, told = with_boxes(items, [path for path in named if path.is_file() and path not in files])
    return Reading(boxed, notes, (*facts, *told))


def _captions(sources: Sources) -> Path:
    """The file to read. UserError: there is none, or there are two years of them."""
    if sources.captions is None:
        folders = (sources.data, sources.data / "annotations")
        karpathy = first(folder / KARPATHY for folder in folders)
        if karpathy is not None:
            return karpathy
        found = [
            path
            for folder in folders
            for year in YEARS
            if (path := first(folder / f"captions_{part}{year}.json" for part in ("train", "val"))) is not None
        ]
        if len(found) > 1:
            raise UserError(
                f"{some([str(path) for path in found])} are captions of COCO twice: name one with CAPTIONS="
            )
        if found:
            return found[0]
    return sources.table("captions.json")


def _is_karpathy(content: Any) -> bool:
    """Karpathy's images hold their sentences; the official files have annotations beside the images."""
    return isinstance(content, dict) and "annotations" not in content and isinstance(content.get("images"), list)


def _partner(path: Path) -> Path | None:
    """The val file of a train file, and the other way round."""
    for part, other in (("_train", "_val"), ("_val", "_train")):
        if part in path.name:
            return path.with_name(path.name.replace(part, other))
    return None


def _is_val(path: Path) -> bool:
    return "_val" in path.name


def _parse(sources: Sources, path: Path, content: Any) -> CocoFile:
    """The photos of `captions_train2014.json` are in `train2014`, or where all photos are."""
    part = path.stem.removeprefix("captions").removeprefix("_")
    root = _root(sources, [part])
    return parse_coco(content, path, root / part if part and (root / part).is_dir() else root)


def _root(sources: Sources, parts: Iterable[str]) -> Path:
    """The folder that holds one of the folders `parts`, or else the photos themselves. UserError: there is none."""
    places = [sources.images] if sources.images else [sources.data, sources.data / "images"]
    named = [part for part in parts if part]
    root = next((place for place in places if any((place / part).is_dir() for part in named)), None)
    return root or sources.photos("images")
