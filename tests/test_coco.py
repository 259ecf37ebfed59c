"""COCO's own caption files, and Karpathy's JSON of COCO, with boxes."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from attend.data.coco import official_splits, parse_coco
from attend.data.items import Item, Region, check_items
from attend.errors import UserError
from tests.readers import read


def captions(folder: Path, name: str, files: list[str], **more: Any) -> Path:
    """An official file with two captions an image, not in the order of the images."""
    images = [{"id": number, "file_name": file, **more} for number, file in enumerate(files)]
    backwards = list(enumerate(files))[::-1]
    texts = [(number, f"{word} {file}") for word in ("NA", "Naïve ☕") for number, file in backwards]
    annotations = [{"id": i, "image_id": number, "caption": text} for i, (number, text) in enumerate(texts)]
    folder.mkdir(parents=True, exist_ok=True)
    (folder / name).write_text(json.dumps({"images": images, "annotations": annotations}))
    return folder / name


def instances(path: Path, files: list[str]) -> None:
    """A dog on each image; on the first a crowd and a box without area too."""
    images = [{"id": number, "file_name": file} for number, file in enumerate(files)]
    kinds = [{"id": 18, "name": "dog"}]
    boxes = [(number, [1, 2.5, 3, 4], 0) for number in range(len(files))] + [(0, [0, 0, 9, 9], 1), (0, [5, 5, 0, 7], 0)]
    annotations = [
        {"image_id": number, "category_id": 18, "bbox": box, "iscrowd": crowd, "segmentation": [[1, 2, 3, 4]]}
        for number, box, crowd in boxes
    ]
    path.write_text(json.dumps({"images": images, "categories": kinds, "annotations": annotations}))


def official(folder: Path, year: str) -> tuple[list[str], list[str]]:
    """Twelve train photos and five val photos in folders of their own, captions in `annotations`."""
    prefix = "" if year == "2017" else "COCO_{}2014_"
    names = {
        part: [f"{prefix.format(part)}{number:012}.jpg" for number in range(first, first + count)]
        for part, first, count in (("train", 100, 12), ("val", 900, 5))
    }
    for part, files in names.items():
        (folder / f"{part}{year}").mkdir(parents=True)
        for file in files:
            (folder / f"{part}{year}" / file).write_bytes(b"photo")
        captions(folder / "annotations", f"captions_{part}{year}.json", files)
    return names["train"], names["val"]


@pytest.mark.parametrize("year", ["2014", "2017"])
def test_official_files_are_read_together(tmp_path: Path, year: str, capsys: pytest.CaptureFixture[str]) -> None:
    train, val = official(tmp_path, year)
    items = read("coco", tmp_path)
    assert [item.image_id for item in items] == [*train, *val]
    assert items[0] == Item(
        train[0], tmp_path / f"train{year}" / train[0], "train", (f"NA {train[0]}", f"Naïve ☕ {train[0]}")
    )
    assert all(item.path.is_file() for item in items)
    assert Counter(item.split for item in items) == {"train": 12, "val": 2, "test": 2, "restval": 1}
    files = " and ".join(str(tmp_path / f"annotations/captions_{part}{year}.json") for part in ("train", "val"))
    assert capsys.readouterr().out == (
        f"{files}: of COCO's 5 val photos 2 are val, 2 test and 1 restval, by hash: COCO publishes no captions of its "
        "test photos; scores do not compare with those of papers, whose splits dataset_coco.json gives\n"
    )


@pytest.mark.fault("one official COCO file is named", "its partner is read too", "Captions and splits")
def test_either_official_file_may_be_named(tmp_path: Path) -> None:
    official(tmp_path, "2014")
    for part in ("train", "val"):
        named = tmp_path / f"annotations/captions_{part}2014.json"
        assert read("coco", tmp_path, captions=named) == read("coco", tmp_path)


def test_the_partner_of_a_named_file_is_left_out_when_its_photos_are_not_there(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    _, val = official(tmp_path, "2017")
    named, partner = (tmp_path / f"annotations/captions_{part}2017.json" for part in ("val", "train"))
    items = read("coco", tmp_path, images=tmp_path / "val2017", captions=named)
    assert [item.path for item in items] == [tmp_path / "val2017" / name for name in val]
    assert capsys.readouterr().err == f"{partner} is left out: none of its 12 photos is there\n"


def test_one_file_alone_is_split_by_hash(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    official(tmp_path, "2017")
    (tmp_path / "annotations/captions_train2017.json").unlink()
    items = read("coco", tmp_path)
    assert {item.split for item in items} == {"train", "val", "test"} and len(items) == 5
    assert "captions_val2017.json: there is one file, so its photos are split by the hash" in capsys.readouterr().out


@pytest.mark.fault(
    "COCO's train file with an empty val file", "the empty one is named, left out", "Captions and splits"
)
def test_an_empty_partner_is_left_out_and_two_empty_files_are_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    train, _ = official(tmp_path, "2017")
    full, empty = (tmp_path / f"annotations/captions_{part}2017.json" for part in ("train", "val"))
    empty.write_text('{"images": [], "annotations": []}')
    assert [item.image_id for item in read("coco", tmp_path)] == train
    said = capsys.readouterr()
    assert said.err == f"{empty} has no photos and is left out\n"
    assert f"{full}: there is one file, so its photos are split by the hash" in said.out
    full.write_text('{"images": [], "annotations": []}')
    with pytest.raises(UserError, match=rf"^no photos in {full} and {empty}: get them again$"):
        read("coco", tmp_path)


@pytest.mark.fault("COCO files of two years in one folder", "refused by name", "Captions and splits")
def test_captions_of_two_years_are_refused_by_name(tmp_path: Path) -> None:
    official(tmp_path, "2014")
    official(tmp_path, "2017")
    with pytest.raises(
        UserError, match=r"captions_train2014\.json, .*captions_train2017\.json are captions of COCO twice"
    ):
        read("coco", tmp_path)
    assert len(read("coco", tmp_path, captions=tmp_path / "annotations/captions_val2014.json")) == 17


def test_of_all_of_coco_val_as_many_are_held_out_as_karpathy_holds_out() -> None:
    splits, rule = official_splits(["train.jpg"], [f"{number}.jpg" for number in range(40_504)])
    assert Counter(splits.values()) == {"train": 1, "val": 5_000, "test": 5_000, "restval": 30_504}
    assert rule.startswith("of COCO's 40,504 val photos 5,000 are val, 5,000 test and 30,504 restval, by hash")


def test_karpathys_json_keeps_restval_and_is_preferred(tmp_path: Path) -> None:
    official(tmp_path, "2014")
    val = sorted(path.name for path in (tmp_path / "val2014").iterdir())
    images = [
        {"filename": name, "filepath": "val2014", "split": split, "cocoid": 1, "sentences": [{"raw": "A dog"}]}
        for name, split in zip(val, ("val", "restval", "test"), strict=False)
    ]
    (tmp_path / "dataset_coco.json").write_text(json.dumps({"images": images, "dataset": "coco"}))
    items = read("coco", tmp_path)
    assert [(item.image_id, item.split) for item in items] == list(zip(val, ("val", "restval", "test"), strict=False))
    assert all(item.path == tmp_path / "val2014" / item.image_id for item in items)
    photos = tmp_path / "photos"
    photos.mkdir()
    (tmp_path / "val2014").rename(photos / "val2014")
    assert [item.path.is_file() for item in read("coco", tmp_path, images=photos)] == [True] * 3


@pytest.mark.fault("boxes of crowds, without area, of no image", "left out and counted", "Captions and splits")
def test_boxes_beside_the_captions_become_regions(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    train, val = official(tmp_path, "2014")
    path = tmp_path / "annotations/instances_val2014.json"
    instances(path, val[:2])
    dog = Region("dog", (1.0, 2.5, 3.0, 4.0))
    assert [item.regions for item in read("coco", tmp_path)] == [()] * len(train) + [(dog,), (dog,), (), (), ()]
    told = f"{path}: boxes on 2 photos; left out: 1 boxes of crowds, 1 without area"
    assert capsys.readouterr().out.splitlines()[1:] == [told]
    content = json.loads(path.read_text())
    content["annotations"].append(content["annotations"][0] | {"image_id": 999})
    path.write_text(json.dumps(content))
    assert [item.regions for item in read("coco", tmp_path)][len(train) :] == [(dog,), (dog,), (), (), ()]
    assert capsys.readouterr().out.splitlines()[1:] == [f"{told}, 1 of no image of the file"]
    images = [{"filename": val[1], "filepath": "val2014", "split": "test", "sentences": []}]
    (tmp_path / "dataset_coco.json").write_text(json.dumps({"images": images}))
    assert [item.regions for item in read("coco", tmp_path)] == [(dog,)]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ({"images": [], "annotations": 3}, r"c\.json is not a file of COCO captions"),
        ([], r"c\.json is not a file of COCO captions"),
        ({"images": [{"id": 1}], "annotations": []}, r"not a file of COCO captions \(KeyError\('file_name'\)\)"),
        ({"images": [{"id": 7, "file_name": "a"}] * 2, "annotations": []}, r"c\.json has the image 7 twice: keep one"),
        (
            {"images": [{"id": 1, "file_name": "a"}], "annotations": [{"id": 5, "image_id": 1, "caption": None}]},
            r"caption 5 is no text",
        ),
        (
            {"images": [{"id": 1, "file_name": "a", "split": "val"}, {"id": 2, "file_name": "b"}], "annotations": []},
            r"c\.json: 1 images have no split, b for one: give all of them one",
        ),
    ],
)
def test_another_file_is_named(tmp_path: Path, content: Any, message: str) -> None:
    with pytest.raises(UserError, match=message):
        parse_coco(content, tmp_path / "c.json", tmp_path)


@pytest.mark.fault("COCO captions of no image", "counted and named", "Captions and splits")
def test_captions_without_an_image_and_captions_that_come_twice_are_counted(tmp_path: Path) -> None:
    annotations = [(1, 1, "old"), (2, 1, "two"), (1, 1, "one"), (3, 9, "stray")]
    content = {
        "images": [{"id": 1, "file_name": "a.jpg"}],
        "annotations": [{"id": i, "image_id": image, "caption": text} for i, image, text in annotations],
    }
    parsed = parse_coco(content, Path("c.json"), tmp_path)
    assert parsed.items == [Item("a.jpg", tmp_path / "a.jpg", "none", ("one", "two"))]
    assert parsed.notes(Path("c.json")) == (
        "c.json: 1 captions belong to no image of the file and are left out",
        "c.json: 1 captions come again under the same id; the last is kept",
    )


@pytest.mark.fault("a COCO photo in train and in val", "refused by name", "Captions and splits")
def test_a_photo_of_train_and_of_val_is_a_contradiction(tmp_path: Path) -> None:
    train, val = official(tmp_path, "2017")
    captions(tmp_path / "annotations", "captions_val2017.json", [*val, train[3]])
    (problem,) = check_items(read("coco", tmp_path))
    assert (problem.where, problem.what) == (train[3], "is listed twice: keep one")


@pytest.mark.parametrize("name", ["captions_val2014.json", "instances_val2014.json"])
def test_a_file_that_is_cut_is_named_by_line(tmp_path: Path, name: str) -> None:
    official(tmp_path, "2014")
    instances(tmp_path / "annotations/instances_val2014.json", ["a.jpg"])
    path = tmp_path / "annotations" / name
    path.write_text(path.read_text()[:70])
    with pytest.raises(UserError, match=rf"{name}, line 1, column \d+: .*: the JSON is cut or damaged, get it again"):
        read("coco", tmp_path)


@pytest.mark.shared
def test_real_photos_captions_and_boxes(shared: Path, capsys: pytest.CaptureFixture[str]) -> None:
    items = read("coco", shared / "data/coco_mini")
    assert (len(items), check_items(items)) == (202, [])
    assert Counter(item.split for item in items) == {"train": 80, "val": 122}
    assert all(item.path.is_file() and len(item.captions) == 5 for item in items)
    assert sum(len(item.regions) for item in items) == 1_540
    told = capsys.readouterr().out
    assert "instances.json: boxes on 169 photos; left out: 16 boxes of crowds, 0 without area" in told


@pytest.mark.shared
def test_real_boxes_lie_on_their_upright_photos(shared: Path) -> None:
    from attend.extract.opening import open_photo

    for item in read("coco", shared / "data/coco_mini")[:40]:
        width, height = open_photo(item.path).size
        for region in item.regions:
            left, top, wide, high = region.box
            assert left >= 0 and top >= 0 and left + wide <= width + 0.5 and top + high <= height + 0.5
