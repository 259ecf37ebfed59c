"""Karpathy's JSON of a dataset: `dataset_flickr8k.json` and its kind."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from attend.data.items import Item
from attend.data.text import read_text
from attend.errors import UserError


def read_karpathy(path: Path, photos: Path) -> list[Item]:
    """The items of a Karpathy JSON, in its order, with its splits and the raw text of every caption.

    An item's id is the photo's file name. Photos lie in `photos`, below `filepath` where there is one (COCO).
    UserError: the file is not such a JSON.
    """
    try:
        images = json.loads(read_text(path))["images"]
        return [_item(image, photos) for image in images]
    except (ValueError, TypeError, KeyError) as error:
        raise UserError(f"{path} is not a Karpathy dataset ({error!r}): unpack caption_datasets.zip again") from error


def _item(image: dict[str, Any], photos: Path) -> Item:
    captions = tuple(sentence["raw"] for sentence in image["sentences"])
    path = photos / image.get("filepath", "") / image["filename"]
    return Item(image["filename"], path, image["split"], captions)
