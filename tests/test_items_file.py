"""The items of a store as a file."""

from __future__ import annotations

import dataclasses
import hashlib
import json
import os
from pathlib import Path

import pytest

from attend.data.items import Item, Region
from attend.data.items_file import ITEMS, items_identity, read_items, write_items
from attend.errors import UserError

ITEMS_IN = [
    Item("ñ é.jpg", Path("/photos/ñ é.jpg"), "train", ("NA", "null", "Naïve café ☕ 狗, 3½ m", 'a\n"b"\u2028\x85c\r')),
    Item(
        "b", Path("/photos/b"), "none", (), (Region("dog", (0.0, 1.5, 2.0, 3.25)), Region("☕", (1.0, 2.0, 3.0, 4.0)))
    ),
]


def test_round_trip_and_hash(tmp_path: Path) -> None:
    sha256 = write_items(tmp_path, ITEMS_IN)
    assert read_items(tmp_path, sha256) == read_items(tmp_path) == ITEMS_IN
    assert hashlib.sha256((tmp_path / ITEMS).read_bytes()).hexdigest() == sha256
    assert write_items(tmp_path, iter(ITEMS_IN)) == sha256


def test_one_json_object_a_line(tmp_path: Path) -> None:
    write_items(tmp_path, ITEMS_IN)
    lines = (tmp_path / ITEMS).read_bytes().removesuffix(b"\n").split(b"\n")
    assert [json.loads(line)["image_id"] for line in lines] == ["ñ é.jpg", "b"]
    assert "狗".encode() in lines[0]


def test_relative_paths_become_absolute(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    write_items(tmp_path, [Item("a", Path("x/a.jpg"), "train", ())])
    monkeypatch.chdir("/")
    assert read_items(tmp_path)[0].path == tmp_path / "x/a.jpg"


@pytest.mark.fault(
    "photos below a folder whose name is not UTF-8", "found again: the same bytes in items.jsonl", "Captions and splits"
)
def test_paths_that_are_not_utf8_survive(tmp_path: Path) -> None:
    path = Path(os.fsdecode(b"/caf\xe9/0.jpg"))
    write_items(tmp_path, [Item("a", path, "train", ())])
    assert os.fsencode(read_items(tmp_path)[0].path) == b"/caf\xe9/0.jpg"


@pytest.mark.fault("an items.jsonl that is lost, edited or from another store", "refused, the file is named", "Store")
def test_another_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"items\.jsonl is not there"):
        read_items(tmp_path)
    sha256 = write_items(tmp_path, ITEMS_IN)
    write_items(tmp_path, ITEMS_IN[:1])
    with pytest.raises(UserError, match=r"items\.jsonl is not the file the manifest vouches for"):
        read_items(tmp_path, sha256)
    (tmp_path / ITEMS).write_text('{"image_id": ')
    with pytest.raises(UserError, match=r"items\.jsonl is damaged"):
        read_items(tmp_path)


def test_the_identity_is_of_the_dataset_not_of_where_its_photos_lie(tmp_path: Path) -> None:
    identity = items_identity(ITEMS_IN)
    write_items(tmp_path, [dataclasses.replace(item, path=Path("/elsewhere") / item.image_id) for item in ITEMS_IN])
    assert items_identity(read_items(tmp_path)) == identity
    first, second = ITEMS_IN
    changes = ({"image_id": "c"}, {"split": "test"}, {"captions": ("NA",)}, {"regions": second.regions[:1]})
    others = [[first, dataclasses.replace(second, **change)] for change in changes]
    others += [[second, first], [first], [*ITEMS_IN, second]]
    assert len({identity, *map(items_identity, others)}) == 1 + len(others)
