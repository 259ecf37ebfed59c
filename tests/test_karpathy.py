"""Karpathy's JSON."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from attend.data.items import Item
from attend.data.karpathy import read_karpathy
from attend.errors import UserError

CAPTIONS = ("NA", "null", "Naïve café ☕ 狗, 3½ m", "two dogs\u2028run")


def write(path: Path, images: list[dict[str, object]], encoding: str = "utf-8") -> Path:
    path.write_text(json.dumps({"images": images, "dataset": "x"}, ensure_ascii=False), encoding=encoding)
    return path


def image(name: str, split: str, captions: tuple[str, ...], **more: str) -> dict[str, object]:
    return {"filename": name, "split": split, "sentences": [{"raw": text, "tokens": []} for text in captions], **more}


def test_items_in_file_order_with_raw_captions(tmp_path: Path) -> None:
    images = [image("b.jpg", "train", CAPTIONS), image("a.jpg", "val", ())]
    items = read_karpathy(write(tmp_path / "dataset.json", images), tmp_path / "images")
    assert items == [
        Item("b.jpg", tmp_path / "images/b.jpg", "train", CAPTIONS),
        Item("a.jpg", tmp_path / "images/a.jpg", "val", ()),
    ]


@pytest.mark.fault(
    "a Karpathy JSON with and without `filepath`", "both load; the folder is below the photos", "Captions and splits"
)
def test_filepath_is_a_folder_below_the_photos(tmp_path: Path) -> None:
    images = [image("c.jpg", "restval", ("x",), filepath="val2014")]
    (item,) = read_karpathy(write(tmp_path / "dataset.json", images), tmp_path)
    assert item.path == tmp_path / "val2014" / "c.jpg"
    assert item.split == "restval"


@pytest.mark.fault("a byte order mark before Karpathy's JSON", "the same items", "Captions and splits")
def test_byte_order_mark_changes_nothing(tmp_path: Path) -> None:
    images = [image("a.jpg", "train", CAPTIONS)]
    plain = read_karpathy(write(tmp_path / "plain.json", images), tmp_path)
    assert read_karpathy(write(tmp_path / "bom.json", images, "utf-8-sig"), tmp_path) == plain


@pytest.mark.parametrize("content", ["{", "[]", '{"images": 3}', '{"images": [{"filename": "a.jpg"}]}', "null"])
@pytest.mark.fault(
    "a JSON that is cut off or is no Karpathy dataset", "refused, the file is named", "Captions and splits"
)
def test_another_file_is_named(tmp_path: Path, content: str) -> None:
    path = tmp_path / "dataset.json"
    path.write_text(content)
    with pytest.raises(UserError, match=r"dataset\.json is not a Karpathy dataset"):
        read_karpathy(path, tmp_path)


@pytest.mark.parametrize(
    ("images", "message"),
    [
        ([], "has no photos: unpack caption_datasets.zip again"),
        ([image("a.jpg", "dev", ())], "a.jpg has the unknown split 'dev': one of train, restval, val, test, none"),
        (
            [image("a.jpg", "train", ()), image("a.jpg", "val", ())],
            "a.jpg is in two splits, train and val: keep one",
        ),
    ],
)
@pytest.mark.fault("a Karpathy JSON without photos, or with a wrong split", "the file is named", "Captions and splits")
def test_what_contradicts_itself_or_is_empty_is_named_with_its_file(
    tmp_path: Path, images: list[dict[str, object]], message: str
) -> None:
    path = write(tmp_path / "dataset.json", images)
    with pytest.raises(UserError) as caught:
        read_karpathy(path, tmp_path)
    assert str(caught.value) == f"{path}{' ' if not images else ': '}{message}"


def test_half_a_character_is_named_with_its_image(tmp_path: Path) -> None:
    path = tmp_path / "dataset.json"
    path.write_text(json.dumps({"images": [image("a.jpg", "train", ("half \ud83d",))]}))
    with pytest.raises(
        UserError, match=r"dataset\.json is not a Karpathy dataset \(images\[0\]: .*ud83d is not Unicode"
    ):
        read_karpathy(path, tmp_path)


@pytest.mark.shared
def test_published_numbers_of_the_real_file(shared: Path) -> None:
    folder = shared / "data/flickr8k"
    items = read_karpathy(folder / "dataset_flickr8k.json", folder / "images")
    assert [sum(item.split == split for item in items) for split in ("train", "val", "test")] == [6000, 1000, 0]
    assert all(len(item.captions) == 5 and item.path.is_file() for item in items)
