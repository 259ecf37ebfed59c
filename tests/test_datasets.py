"""The registry of datasets: what is found where, and what is said when it is not."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from attend.data.datasets import DATASETS
from attend.data.items import Item, check_items
from attend.errors import UserError
from tests.readers import read

LISTS = {"train": "trainImages", "val": "devImages", "test": "testImages"}


def flickr8k(folder: Path, photos: str, json_too: bool) -> None:
    """Two photos in the layout of the published archives, with the caption of a photo that does not exist."""
    (folder / photos).mkdir(parents=True)
    for name in ("a.jpg", "b.jpg"):
        (folder / photos / name).write_bytes(b"photo")
    tokens = "a.jpg#0\tA dog .\nb.jpg#0\tA cat .\n2258277193_586949ec62.jpg.1#0\tA ghost .\n"
    (folder / "Flickr8k.token.txt").write_text(tokens)
    for split, name in LISTS.items():
        (folder / f"Flickr_8k.{name}.txt").write_text({"train": "a.jpg\n", "val": "b.jpg\n", "test": ""}[split])
    if json_too:
        images = [{"filename": "a.jpg", "split": "test", "sentences": [{"raw": "From the JSON"}]}]
        (folder / "dataset_flickr8k.json").write_text(json.dumps({"images": images}))


@pytest.mark.parametrize("photos", ["images", "Flicker8k_Dataset", "Flickr8k_Dataset"])
def test_flickr8k_from_the_original_archives(tmp_path: Path, photos: str, capsys: pytest.CaptureFixture[str]) -> None:
    """The published token file captions a photo that does not exist and is in no list: named, and not asked for."""
    flickr8k(tmp_path, photos, json_too=False)
    assert read("flickr8k", tmp_path) == [
        Item("a.jpg", tmp_path / photos / "a.jpg", "train", ("A dog .",)),
        Item("b.jpg", tmp_path / photos / "b.jpg", "val", ("A cat .",)),
    ]
    told = "1 captioned photos do not exist and are in no split, left out: 2258277193_586949ec62.jpg.1"
    assert capsys.readouterr().err == f"{tmp_path / 'Flickr8k.token.txt'}: {told}\n"


def test_flickr8k_keeps_photos_of_no_list_that_exist_and_those_of_a_list_that_do_not(tmp_path: Path) -> None:
    flickr8k(tmp_path, "images", json_too=False)
    (tmp_path / "images/2258277193_586949ec62.jpg.1").write_bytes(b"photo")
    (tmp_path / "images/a.jpg").unlink()
    assert [(item.image_id, item.split) for item in read("flickr8k", tmp_path)] == [
        ("a.jpg", "train"),
        ("b.jpg", "val"),
        ("2258277193_586949ec62.jpg.1", "none"),
    ]


def test_flickr8k_prefers_the_json_and_captions_overrides(tmp_path: Path) -> None:
    flickr8k(tmp_path, "images", json_too=True)
    assert [item.captions for item in read("flickr8k", tmp_path)] == [("From the JSON",)]
    tokens = tmp_path / "Flickr8k.token.txt"
    assert [item.split for item in read("flickr8k", tmp_path, captions=tokens)] == ["train", "val"]
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    assert read("flickr8k", tmp_path, images=elsewhere)[0].path == elsewhere / "a.jpg"


@pytest.mark.fault("a split list is missing", "refused, the list is named", "Captions and splits")
def test_flickr8k_without_a_split_list_names_it(tmp_path: Path) -> None:
    flickr8k(tmp_path, "images", json_too=False)
    (tmp_path / "Flickr_8k.devImages.txt").unlink()
    with pytest.raises(UserError, match=r"no Flickr_8k\.devImages\.txt beside"):
        read("flickr8k", tmp_path)


@pytest.mark.parametrize("name", ["flickr8k", "flickr30k", "coco", "folder"])
@pytest.mark.fault(
    "a dataset that is not there", "refused: how to get it, where to put it; no folder is made", "Captions and splits"
)
def test_absent_data_says_how_to_get_it_and_makes_nothing(tmp_path: Path, name: str) -> None:
    data = tmp_path / "datasets" / name
    with pytest.raises(UserError) as refusal:
        read(name, data)
    assert str(data) in str(refusal.value)
    assert DATASETS[name].how in str(refusal.value)
    assert "\n" not in str(refusal.value)
    assert list(tmp_path.iterdir()) == []


def test_photos_without_captions_say_how_to_get_them(tmp_path: Path) -> None:
    (tmp_path / "images").mkdir()
    with pytest.raises(UserError, match=r"no captions at .*Flickr8k_text"):
        read("flickr8k", tmp_path)
    with pytest.raises(UserError, match=r"no captions at .*dataset_flickr30k\.json"):
        read("flickr30k", tmp_path)
    with pytest.raises(UserError, match=r"no captions at .*annotations_trainval2014\.zip"):
        read("coco", tmp_path)


def test_folder_from_named_places(tmp_path: Path) -> None:
    (tmp_path / "my photos").mkdir()
    table = tmp_path / "my captions.csv"
    table.write_text("image,caption\na.jpg,A dog\n")
    (item,) = read("folder", tmp_path / "datasets/folder", tmp_path / "my photos", table)
    assert item == Item("a.jpg", tmp_path / "my photos/a.jpg", "train", ("A dog",))


def test_photos_that_no_row_of_the_table_mentions_are_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "images").mkdir()
    for number in range(7):
        (tmp_path / "images" / f"{number}.jpg").write_bytes(b"photo")
    table = tmp_path / "captions.csv"
    table.write_text("image,caption\n0.jpg,A dog\n")
    assert len(read("folder", tmp_path)) == 1
    told = (
        f"6 photos in {tmp_path / 'images'} have no row in {table} and are left out: 1.jpg, 2.jpg, 3.jpg, 4.jpg and 2"
    )
    assert capsys.readouterr().err == f"{told} more\n"
    table.write_text("image,caption\n" + "".join(f"{number}.jpg,A dog\n" for number in range(7)))
    assert len(read("folder", tmp_path)) == 7 and capsys.readouterr().err == ""


@pytest.mark.fault("a misspelled DATASET", "refused, the known ones are listed", "Captions and splits")
def test_unknown_name_lists_the_known(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"unknown DATASET=flick8r: one of .*flickr8k.*folder"):
        read("flick8r", tmp_path)


def test_scenes_refuse_options_without_effect(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="have no effect with DATASET=scenes"):
        read("scenes", tmp_path, images=tmp_path)


@pytest.mark.shared
def test_real_flickr8k_is_found(shared: Path) -> None:
    items = read("flickr8k", shared / "data/flickr8k")
    assert (len(items), check_items(items)) == (7000, [])
    assert all(item.path.is_file() for item in items)
