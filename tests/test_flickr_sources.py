"""Flickr30k in the forms people have it, and where its splits come from."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from attend.data.hash_splits import hash_splits
from attend.data.items import Item
from attend.errors import UserError
from tests.readers import read

BARS = (
    "image_name| comment_number| comment\n"
    "1000092795.jpg| 0| Two young guys with shaggy hair .\n"
    '1000092795.jpg| 1| " Two young " | White men .\n'
    "2199200615.jpg| 3| A dog .\n"
    "2199200615.jpg| 4   A dog runs across the grass .\n"
    "36979.jpg| 0| nan\n"
)
CAPTIONS = {
    "1000092795.jpg": ("Two young guys with shaggy hair .", '" Two young " | White men .'),
    "2199200615.jpg": ("A dog .", "A dog runs across the grass ."),
    "36979.jpg": ("nan",),
}
TOKENS = "".join(f"{name}#{n}\t{text}\n" for name, texts in CAPTIONS.items() for n, text in enumerate(texts))


def photos(folder: Path, name: str = "images", *absent: str) -> Path:
    (folder / name).mkdir()
    for photo in CAPTIONS.keys() - set(absent):
        (folder / name / photo).write_bytes(b"photo")
    return folder / name


def karpathy(folder: Path, splits: dict[str, str]) -> None:
    images = [{"filename": name, "split": split, "sentences": [{"raw": "K"}]} for name, split in splits.items()]
    (folder / "dataset_flickr30k.json").write_text(json.dumps({"images": images}))


def test_karpathys_json_is_preferred(tmp_path: Path) -> None:
    images = photos(tmp_path, "flickr30k-images")
    (tmp_path / "results.csv").write_text(BARS)
    karpathy(tmp_path, {"36979.jpg": "val"})
    assert read("flickr30k", tmp_path) == [Item("36979.jpg", images / "36979.jpg", "val", ("K",))]


@pytest.mark.parametrize(("name", "text"), [("results_20130124.token", TOKENS), ("results.csv", BARS)])
@pytest.mark.fault(
    "Flickr30k's table with its malformed row", "read by a general rule, the line is named", "Captions and splits"
)
def test_the_original_files_say_the_same_and_are_split_by_hash(
    tmp_path: Path, name: str, text: str, capsys: pytest.CaptureFixture[str]
) -> None:
    images = photos(tmp_path, "flickr30k_images")
    (tmp_path / name).write_text(text)
    splits = hash_splits(list(CAPTIONS))
    assert set(splits.values()) == {"train", "val", "test"}
    expected = [Item(photo, images / photo, splits[photo], texts) for photo, texts in CAPTIONS.items()]
    assert read("flickr30k", tmp_path) == expected
    told = (
        f"no dataset_flickr30k.json beside {tmp_path / name}: photos are split by the hash of the photo's name, "
        "about 80 % train, 10 % val, 10 % test; scores do not compare with those of other papers\n"
    )
    assert capsys.readouterr().out == told


def test_captions_of_the_original_file_with_karpathys_splits(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    photos(tmp_path, "images", "36979.jpg")
    table = tmp_path / "results.csv"
    table.write_text(BARS)
    karpathy(tmp_path, {"1000092795.jpg": "test"})
    assert [(item.image_id, item.split, item.captions) for item in read("flickr30k", tmp_path, captions=table)] == [
        ("1000092795.jpg", "test", CAPTIONS["1000092795.jpg"]),
        ("2199200615.jpg", "none", CAPTIONS["2199200615.jpg"]),
    ]
    told = capsys.readouterr()
    assert told.out == f"splits are those of {tmp_path / 'dataset_flickr30k.json'}\n"
    assert told.err.splitlines() == [
        f"{table}: 1 rows lack the second bar and are read without it: line 5",
        f"{table}: 1 captioned photos do not exist and are in no split, left out: 36979.jpg",
    ]


@pytest.mark.fault("a JSON file cut in the middle", "refused, the line is named", "Captions and splits")
def test_a_json_cut_in_the_middle_is_named_by_line(tmp_path: Path) -> None:
    photos(tmp_path)
    karpathy(tmp_path, {"36979.jpg": "val"})
    whole = tmp_path / "dataset_flickr30k.json"
    whole.write_text(whole.read_text()[:60])
    with pytest.raises(UserError, match=r"dataset_flickr30k\.json is not a Karpathy dataset .*line 1, column .*cut"):
        read("flickr30k", tmp_path)


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("results.csv", BARS.split("\n")[0], "has no captions below its first line: get it again"),
        ("results_20130124.token", "\n", "has no captions: get it again"),
    ],
)
@pytest.mark.fault("a published file of captions without any", "the file is named", "Captions and splits")
def test_a_file_without_captions_is_named(tmp_path: Path, name: str, text: str, message: str) -> None:
    photos(tmp_path)
    (tmp_path / name).write_text(text)
    with pytest.raises(UserError) as caught:
        read("flickr30k", tmp_path)
    assert str(caught.value) == f"{tmp_path / name} {message}"
