"""What is skipped and what is refused before heavy work."""

from __future__ import annotations

from pathlib import Path

import pytest

from attend.data.checks import usable_items
from attend.data.items import Item
from attend.errors import UserError


def item(folder: Path, name: str, split: str = "train", there: bool = True) -> Item:
    if there:
        (folder / name).write_bytes(b"x")
    return Item(name, folder / name, split, ("a dog",))


def test_missing_photos_are_all_named_and_skipped(tmp_path: Path) -> None:
    items = [item(tmp_path, "a"), item(tmp_path, "b.jpg.1", "none", False), item(tmp_path, "c", "val", False)]
    present, missing = usable_items(items)
    assert present == items[:1]
    assert [problem.where for problem in missing] == ["b.jpg.1", "c"]
    assert str(tmp_path / "b.jpg.1") in missing[0].what


def test_contradictions_are_refused_with_the_full_list(tmp_path: Path) -> None:
    items = [item(tmp_path, "a"), item(tmp_path, "a", "val"), item(tmp_path, "b"), item(tmp_path, "c", "dev")]
    with pytest.raises(UserError) as refusal:
        usable_items([*items, item(tmp_path, "b")])
    assert "in 3 places" in str(refusal.value)
    assert "a is in two splits, train and val" in str(refusal.value)
    assert "b is listed twice" in str(refusal.value)
    assert "c has the unknown split 'dev'" in str(refusal.value)


def test_no_photo_at_all_is_a_wrong_folder(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"none of the 1 photos is on the disk.*gone\.jpg.*DATA="):
        usable_items([item(tmp_path, "gone.jpg", there=False)])
    with pytest.raises(UserError, match="none of the 0 photos"):
        usable_items([])
