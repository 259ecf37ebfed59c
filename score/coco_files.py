"""Captions from elsewhere: COCO's caption files as references, and its result files."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from attend.data.text import read_json
from attend.errors import UserError
from attend.score.metrics.scoring import refuse

RESULTS = '[{"image_id": ..., "caption": "..."}, ...]'


@dataclass(frozen=True)
class ReferenceFile:
    """Raw reference captions by image id, and the ids of file names. Ids are text: 42 and "42" are the same image."""

    captions: dict[str, list[str]]
    by_file_name: dict[str, str]


def read_references(path: Path) -> ReferenceFile:
    """A COCO captions file: `images` (id, file_name), `annotations` (image_id, caption). Images without a caption stay.

    UserError when it is not such a file, lists an image twice, or has captions of images it does not list.
    """
    content = read_json(path)
    try:
        ids = [str(image["id"]) for image in content["images"]]
        names = {str(image["file_name"]): str(image["id"]) for image in content["images"] if "file_name" in image}
        pairs = [(str(one["image_id"]), _text(one["caption"])) for one in content["annotations"]]
    except (TypeError, KeyError) as error:
        raise UserError(f"{path} is not a COCO captions file ({error!r}): it needs images and annotations") from None
    captions: dict[str, list[str]] = {image_id: [] for image_id in ids}
    refuse([image_id for image_id, count in Counter(ids).items() if count > 1], f"more than one entry in {path}")
    strangers = dict.fromkeys(image_id for image_id, _ in pairs if image_id not in captions)
    refuse(list(strangers), f"a caption in {path} but no entry in its images")
    for image_id, text in pairs:
        captions[image_id].append(text)
    return ReferenceFile(captions, names)


@dataclass(frozen=True)
class Results:
    """The (image id, caption) pairs of a results file, in its order; `unfinished` of them say that they were cut."""

    path: Path
    pairs: list[tuple[str, str]]
    unfinished: int


def read_results(path: Path) -> Results:
    """A COCO results file; a run's captions-SPLIT.json is one. UserError names the entry that is none."""
    content = read_json(path)
    if not isinstance(content, list):
        raise UserError(f"{path} is not a COCO results file: it needs {RESULTS}")
    pairs, unfinished = [], 0
    for number, row in enumerate(content):
        try:
            pairs.append((str(row["image_id"]), _text(row["caption"])))
            unfinished += row.get("finished") is False
        except (TypeError, KeyError, AttributeError) as error:
            raise UserError(f"{path}, entry {number}: {error!r}; it needs {RESULTS}") from None
    return Results(path, pairs, unfinished)


@dataclass(frozen=True)
class Matched:
    """Results that fit the references, and the ids of those that belong to no image of the references."""

    pairs: list[tuple[str, str]]
    surplus: tuple[str, ...]


def match(results: Results, references: ReferenceFile) -> Matched:
    """Give results by file name the ids of the references; leave out those of other images.

    UserError, naming ids, where a score would be wrong: two captions of an image, an image with references and no
    caption, no result that belongs to the references.
    """
    pairs = [(_identify(image_id, references), text) for image_id, text in results.pairs]
    known = [(image_id, text) for image_id, text in pairs if image_id in references.captions]
    if not known:
        here, there = next((image_id for image_id, _ in results.pairs), ""), next(iter(references.captions), "")
        raise UserError(f"no image of {results.path} is among the references: ids like {here!r} here, {there!r} there")
    counted = Counter(image_id for image_id, _ in known)
    refuse([image_id for image_id, count in counted.items() if count > 1], f"more than one caption in {results.path}")
    missing = [image_id for image_id, texts in references.captions.items() if texts and image_id not in counted]
    refuse(missing, f"references but no caption in {results.path}")
    return Matched(known, tuple(image_id for image_id, _ in pairs if image_id not in references.captions))


def _identify(image_id: str, references: ReferenceFile) -> str:
    return image_id if image_id in references.captions else references.by_file_name.get(image_id, image_id)


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError(f"caption {value!r} is not text")
    return value
