"""What a dataset is: one `Item` a photo, and the checks that run before any heavy work."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from attend.printable import printable

SPLITS = ("train", "restval", "val", "test", "none")
"""`restval`: Karpathy's remainder of COCO val. `none`: in no split (features are wanted, training ignores it)."""


@dataclass(frozen=True)
class Region:
    """One named thing in a photo. `box` is (left, top, width, height) in pixels of the upright original photo."""

    name: str
    box: tuple[float, float, float, float]


@dataclass(frozen=True)
class Item:
    """One photo with everything known about it. `image_id` is unique in its dataset; captions are raw text."""

    image_id: str
    path: Path
    split: str
    captions: tuple[str, ...]
    regions: tuple[Region, ...] = ()


@dataclass(frozen=True)
class Problem:
    """Something wrong with one input, named: `where` is a file, row or id; `what` says what and how to mend it."""

    where: str
    what: str

    def __str__(self) -> str:
        """In a line, whatever the names of files hold."""
        return printable(f"{self.where} {self.what}")


def count_items(items: Sequence[Item]) -> str:
    """`7,000 photos, 35,000 captions: train 6,000, val 1,000`."""
    splits = [(split, sum(item.split == split for item in items)) for split in SPLITS]
    named = ", ".join(f"{split} {count:,}" for split, count in splits if count)
    return f"{len(items):,} photos, {sum(len(item.captions) for item in items):,} captions: {named}"


def contradictions(items: Sequence[Item], most: int = 3) -> str:
    """`check_items` in a line, the first `most` by name; "": there are none."""
    found = [str(problem) for problem in check_items(items)]
    more = f"; and {len(found) - most:,} more" if len(found) > most else ""
    named = "; ".join(found[:most]) + more
    return f"{len(found):,} contradictions in the dataset: {named}" if len(found) > 1 else named


def check_items(items: Sequence[Item]) -> list[Problem]:
    """Duplicate ids, one image in two splits, unknown splits: all of them, in item order. Looks at no file."""
    problems: list[Problem] = []
    first: dict[str, Item] = {}
    for item in items:
        earlier = first.get(item.image_id)
        if earlier is None:
            first[item.image_id] = item
        else:
            if earlier.split != item.split:
                what = f"is in two splits, {earlier.split} and {item.split}: keep one"
            else:
                what = "is listed twice: keep one"
            problems.append(Problem(item.image_id, what))
        if item.split not in SPLITS:
            problems.append(Problem(item.image_id, f"has the unknown split {item.split!r}: one of {', '.join(SPLITS)}"))
    return problems
