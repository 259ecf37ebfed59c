"""Karpathy's JSON of a dataset: `dataset_flickr8k.json` and its kind."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from attend.data.items import Item, contradictions
from attend.data.text import half_character, read_json
from attend.errors import UserError

CURE = "unpack caption_datasets.zip again"


def read_karpathy(path: Path, photos: Path) -> list[Item]:
    """The items of a Karpathy JSON, in its order, with its splits and the raw text of every caption.

    An item's id is the photo's file name. Photos lie in `photos`, below `filepath` where there is one (COCO).
    UserError: the file is not such a JSON.
    """
    try:
        content = read_json(path)
    except UserError as error:
        raise UserError(f"{path} is not a Karpathy dataset ({error}): {CURE}") from error
    return karpathy_items(content, path, photos)


def karpathy_items(content: Any, path: Path, photos: Path) -> list[Item]:
    """The same for the `content` of the file `path`, already read."""
    try:
        images = content["images"]
        if not isinstance(images, list):
            raise TypeError("images is not a list")
    except (TypeError, KeyError) as error:
        raise UserError(f"{path} is not a Karpathy dataset ({error!r}): {CURE}") from error
    items = []
    for number, image in enumerate(images):
        try:
            items.append(_item(image, photos))
        except (TypeError, KeyError, AttributeError) as error:
            raise UserError(f"{path} is not a Karpathy dataset (images[{number}]: {error!r}): {CURE}") from error
    if not items:
        raise UserError(f"{path} has no photos: {CURE}")
    wrong = contradictions(items)
    if wrong:
        raise UserError(f"{path}: {wrong}")
    return items


def _item(image: dict[str, Any], photos: Path) -> Item:
    captions = tuple(sentence["raw"] for sentence in image["sentences"])
    if not all(isinstance(caption, str) for caption in captions):
        raise TypeError("a caption is no text")
    halves = [shown for text in (image["filename"], *captions) if (shown := half_character(text))]
    if halves:
        raise TypeError(f"{halves[0]} is not Unicode")
    path = photos / image.get("filepath", "") / image["filename"]
    return Item(image["filename"], path, image["split"], captions)
