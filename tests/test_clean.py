"""What holds for the items of every dataset."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from attend.data.clean import clean
from attend.data.items import Item, count_items
from attend.data.sources import Reading
from attend.errors import UserError


def item(name: str, *captions: str, split: str = "train") -> Item:
    return Item(name, Path("photos") / name, split, captions)


def test_blank_captions_are_left_out_and_counted_and_nothing_else_is() -> None:
    reading = Reading([item("a", "NA", " ", ""), item("b", "\n"), item("c"), item("d", *"1234567")], ("n",), ("f",))
    assert clean(reading) == Reading(
        [item("a", "NA"), item("b"), item("c"), item("d", *"1234567")],
        (
            "n",
            "3 empty captions are left out, of a, b",
            "2 photos have no caption and get features only: b, c",
        ),
        ("f",),
    )


@pytest.mark.parametrize("bad", [item("a", "half \ud83d"), item(os.fsdecode(b"caf\xe9.jpg"), "x")])
def test_half_a_character_is_named(bad: Item) -> None:
    with pytest.raises(UserError, match=r"photos: .*\\\\ud.* is not Unicode: rename the photo, or mend the caption"):
        clean(Reading([bad]))


def test_counts_by_split() -> None:
    items = [
        item("a", "x", "y"),
        item("b", split="restval"),
        *[item(str(number), split="val") for number in range(1200)],
    ]
    assert count_items(items) == "1,202 photos, 2 captions: train 1, restval 1, val 1,200"
