"""COCO's own caption files: `captions_train2014.json` and its kind."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from attend.data.hash_splits import RULE, by_hash, hash_splits
from attend.data.items import Item, contradictions
from attend.data.text import half_character
from attend.errors import UserError

MOST_HELD_OUT = 5_000
"""Photos of COCO's val that are held out for each of val and test; Karpathy holds out as many."""


@dataclass(frozen=True)
class CocoFile:
    """What one file says. Items are in its order, ids are file names, captions in the file's order. Their splits are
    the images' own `split` when `has_splits`, else "none". `stray` captions belong to no image and are left out, of
    `repeated` ones, with one id, the last is kept."""

    items: list[Item]
    has_splits: bool
    stray: int = 0
    repeated: int = 0

    def notes(self, path: Path) -> tuple[str, ...]:
        """What is to be said of the file, a line each."""
        told = {
            f"{path}: {self.stray:,} captions belong to no image of the file and are left out": self.stray,
            f"{path}: {self.repeated:,} captions come again under the same id; the last is kept": self.repeated,
        }
        return tuple(line for line, count in told.items() if count)


def parse_coco(content: Any, path: Path, photos: Path) -> CocoFile:
    """The file `path`, which says `content`. UserError: it is not such a file, has an image twice, or gives a split to
    some images only."""
    captions: dict[Any, dict[Any, str]] = {}
    stray = repeated = 0
    try:
        images = content["images"]
        for image in images:
            if image["id"] in captions:
                raise UserError(f"{path} has the image {image['id']} twice: keep one")
            captions[image["id"]] = {}
        for annotation in content["annotations"]:
            if not isinstance(annotation["caption"], str):
                raise TypeError(f"caption {annotation['id']} is no text")
            if shown := half_character(annotation["caption"]):
                raise TypeError(f"caption {annotation['id']} is not Unicode: {shown}")
            own = captions.get(annotation["image_id"])
            if own is None:
                stray += 1
            else:
                repeated += annotation["id"] in own
                own[annotation["id"]] = annotation["caption"]
        items = [_item(image, tuple(captions[image["id"]].values()), photos) for image in images]
        without = [image["file_name"] for image in images if "split" not in image]
    except (TypeError, KeyError, AttributeError) as error:
        raise UserError(f"{path} is not a file of COCO captions ({error!r}): get it again") from error
    wrong = contradictions(items)
    if wrong:
        raise UserError(f"{path}: {wrong}")
    if 0 < len(without) < len(items):
        raise UserError(f"{path}: {len(without):,} images have no split, {without[0]} for one: give all of them one")
    return CocoFile(items, bool(items) and not without, stray, repeated)


def _item(image: dict[str, Any], captions: tuple[str, ...], photos: Path) -> Item:
    return Item(image["file_name"], photos / image["file_name"], image.get("split", "none"), captions)


def official_splits(train: Sequence[str], val: Sequence[str]) -> tuple[dict[str, str], str]:
    """Image id → split, for the ids of COCO's train and val files, and the rule in words.

    COCO publishes no captions of its test photos. Of its val photos, in the order of their hashes, the first 5,000 (of
    fewer than 10,000: half) are val, as many are test, the rest is restval. One file alone is split by the hash.
    """
    if not train or not val:
        return hash_splits([*train, *val]), f"there is one file, so its photos are split {RULE}"
    held_out = min(MOST_HELD_OUT, len(val) // 2)
    names = by_hash(val)
    splits = {
        **dict.fromkeys(train, "train"),
        **dict.fromkeys(names[:held_out], "val"),
        **dict.fromkeys(names[held_out : 2 * held_out], "test"),
        **dict.fromkeys(names[2 * held_out :], "restval"),
    }
    rest = len(val) - 2 * held_out
    rule = f"of COCO's {len(val):,} val photos {held_out:,} are val, {held_out:,} test and {rest:,} restval, by hash"
    return splits, f"{rule}: COCO publishes no captions of its test photos"
