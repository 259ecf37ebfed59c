"""`attend features` on datasets of every kind: what is said, what the store holds, how it exits."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from attend.cli import attend
from attend.data.datasets import DATASETS
from attend.data.items import Region
from attend.data.store_reader import FeatureStore
from attend.errors import UserError
from tests.tiny_encoder import drawn_items, tiny_encoder


def features(dataset: str, tmp_path: Path, *words: str) -> Result:
    where = ["--data", str(tmp_path / "data"), "--out", str(tmp_path / "out"), "--precision", "float32"]
    encoder = ["--encoder", "tiny", "--weights", "random:1", "--device", "cpu"]
    return CliRunner().invoke(attend, ["features", "--dataset", dataset, *encoder, *where, *words])


def store(dataset: str, tmp_path: Path) -> FeatureStore:
    return FeatureStore(tmp_path / "out/features" / dataset / "tiny")


@pytest.fixture(autouse=True)
def encoder(monkeypatch: pytest.MonkeyPatch) -> None:
    tiny_encoder(monkeypatch)


@pytest.mark.fault(
    "captions that come after the features", "added without extracting again", "Installation and own data"
)
def test_features_only_then_captions_without_extracting_again(tmp_path: Path) -> None:
    drawn_items(tmp_path / "data", 6)
    result = features("folder", tmp_path)
    assert result.exit_code == 0, result.output
    assert "6 photos, 0 captions: none 6\n" in result.stdout
    assert "no captions in" in result.stderr and "CAPTIONS= names a file of them" in result.stderr
    (tmp_path / "data/0.txt").write_text("A dog\nA cat\n")
    again = features("folder", tmp_path)
    assert again.exit_code == 0 and "nothing to extract" in again.stdout
    assert [(item.image_id, item.captions) for item in store("folder", tmp_path).items] == [
        ("0.png", ("A dog", "A cat"))
    ]


def test_boxes_reach_the_store(tmp_path: Path) -> None:
    drawn_items(tmp_path / "data", 2)
    boxes = [{"name": "狗", "box": [1, 2, 3.5, 4]}]
    lines = [{"image": "1.png", "caption": "A dog", "boxes": boxes}, {"image": "0.png", "caption": "A cat"}]
    (tmp_path / "data/captions.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    assert features("folder", tmp_path).exit_code == 0
    regions = {item.image_id: item.regions for item in store("folder", tmp_path).items}
    assert regions == {"1.png": (Region("狗", (1.0, 2.0, 3.5, 4.0)),), "0.png": ()}


def test_official_coco_with_boxes(tmp_path: Path) -> None:
    drawn_items(tmp_path / "data/val2017", 4)
    images = [{"id": number, "file_name": f"{number}.png"} for number in range(4)]
    texts = [{"id": number, "image_id": number, "caption": f"caption {number}"} for number in range(4)]
    box = {"image_id": 2, "category_id": 7, "bbox": [1, 2, 3, 4], "iscrowd": 0}
    kinds = [{"id": 7, "name": "train"}]
    (tmp_path / "data/annotations").mkdir()
    for name, more in (
        ("captions", {"annotations": texts}),
        ("instances", {"annotations": [box], "categories": kinds}),
    ):
        path = tmp_path / f"data/annotations/{name}_val2017.json"
        path.write_text(json.dumps({"images": images, **more}))
    result = features("coco", tmp_path)
    assert result.exit_code == 0, result.output
    assert "4 photos, 4 captions: train 2, val 1, test 1\n" in result.stdout
    assert "instances_val2017.json: boxes on 1 photos; left out: 0 boxes of crowds, 0 without area\n" in result.stdout
    found = {item.image_id: (item.captions, item.regions) for item in store("coco", tmp_path).items}
    assert found["2.png"] == (("caption 2",), (Region("train", (1.0, 2.0, 3.0, 4.0)),))


@pytest.mark.fault(
    "Flickr8k's caption of a photo that does not exist", "named once; the job is whole", "Captions and splits"
)
def test_the_published_flickr8k_with_its_caption_of_no_photo_is_done_wholly(tmp_path: Path) -> None:
    drawn_items(tmp_path / "data/Flicker8k_Dataset", 3)
    names = {"train": "0.png", "dev": "1.png", "test": "2.png"}
    for split, name in names.items():
        (tmp_path / f"data/Flickr_8k.{split}Images.txt").write_text(name + "\n")
    tokens = [*names.values(), "2258277193_586949ec62.jpg.1"]
    (tmp_path / "data/Flickr8k.token.txt").write_text("".join(f"{name}#0\tA dog .\n" for name in tokens))
    result = features("flickr8k", tmp_path)
    assert result.exit_code == 0, result.output
    assert result.output.count("2258277193_586949ec62.jpg.1") == 1
    assert len(store("flickr8k", tmp_path)) == 3


@pytest.mark.fault(
    "listed photos that are missing", "all named before any work, with the name that was meant", "Captions and splits"
)
def test_every_missing_photo_is_named_before_the_work_with_the_one_that_was_meant(tmp_path: Path) -> None:
    drawn_items(tmp_path / "data/images", 3)
    names = ["0.PNG", "1.png", "2.jpg", *[f"gone {number}.png" for number in range(30)]]
    (tmp_path / "data/captions.csv").write_text("image,caption\n" + "".join(f"{name},A dog\n" for name in names))
    result = features("folder", tmp_path)
    photos, out = tmp_path / "data/images", tmp_path / "out/features/folder/tiny"
    assert result.exit_code == 1
    missing = [line for line in result.stderr.splitlines() if "exist" in line]
    assert missing[0] == f"{photos / '0.PNG'} does not exist, but 0.png does: make the names agree"
    assert missing[1] == f"{photos / '2.jpg'} does not exist, but 2.png does: make the names agree"
    assert missing[2].startswith(f"{photos / 'gone 0.png'} does not exist: restore it or take it out of the captions")
    assert "… and 12 more, all in problems.jsonl beside the manifest" in result.stderr
    assert result.stderr.splitlines()[-1] == "photos without features: 32; run the same again to retry them"
    assert len((out / "problems.jsonl").read_text().splitlines()) == 32


@pytest.mark.fault(
    "a table that was made on Windows: other capitals or slashes in every name",
    "refused before any work, with the name that was meant",
    "Captions and splits",
)
@pytest.mark.parametrize(
    ("written", "there"), [("SUB\\0.png", None), ("sub\\0.png", "sub/0.png"), ("sub/0.PNG", "0.png")]
)
def test_when_no_photo_is_called_so_the_one_that_was_meant_is_named(
    tmp_path: Path, written: str, there: str | None
) -> None:
    drawn_items(tmp_path / "data/images/sub", 1)
    (tmp_path / "data/captions.csv").write_text(f"image,caption\n{written},A dog\n")
    result = features("folder", tmp_path)
    near = f", but {there} does: make the names agree" if there else ": restore it or take it out of the captions"
    first = f"{tmp_path / 'data/images' / written} does not exist{near}, or name the right folder with DATA= or IMAGES="
    assert str(result.exception) == f"none of the 1 photos can be had, the first of them: {first}"
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("dataset", ["flickr8k", "flickr30k", "coco", "folder"])
def test_absent_data_says_how_to_get_it_and_leaves_no_folder(tmp_path: Path, dataset: str) -> None:
    result = features(dataset, tmp_path)
    assert isinstance(result.exception, UserError)
    assert str(tmp_path / "data") in str(result.exception) and DATASETS[dataset].how in str(result.exception)
    assert list(tmp_path.iterdir()) == []
