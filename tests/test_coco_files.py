"""Captions from elsewhere: every row accounted for, and what the usual recipe makes of the same files."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from pycocoevalcap.bleu.bleu import Bleu
from pycocotools.coco import COCO

from attend.errors import UserError
from attend.score.coco_files import match, read_references, read_results

IMAGES = [{"id": 7, "file_name": "COCO_val2014_000000000007.jpg"}, {"id": 9, "file_name": "nine.jpg"}, {"id": 11}]
ANNOTATIONS = [
    {"id": 1, "image_id": 7, "caption": "A dog runs."},
    {"id": 2, "image_id": 7, "caption": "A running dog"},
    {"id": 3, "image_id": 9, "caption": "Two cats\u2028sit."},
]


def written(folder: Path, name: str, content: Any) -> Path:
    path = folder / name
    path.write_text(json.dumps(content), encoding="utf-8")
    return path


@pytest.fixture
def references(tmp_path: Path) -> Path:
    return written(tmp_path, "refs.json", {"images": IMAGES, "annotations": ANNOTATIONS})


@pytest.mark.fault("image ids as numbers, texts or file names", "the same images", "Scores")
@pytest.mark.parametrize(
    "ids", [(7, 9), ("7", "9"), ("COCO_val2014_000000000007.jpg", "nine.jpg"), ("nine.jpg", 7)], ids=str
)
def test_integer_text_and_file_name_ids_are_the_same_images(references: Path, tmp_path: Path, ids: tuple) -> None:
    rows = [{"image_id": image_id, "caption": f"caption {image_id}"} for image_id in ids]
    found = match(read_results(written(tmp_path, "results.json", rows)), read_references(references))
    assert {image_id for image_id, _ in found.pairs} == {"7", "9"}
    assert found.surplus == ()


def test_all_references_are_kept_and_images_without_one_too(references: Path) -> None:
    found = read_references(references)
    assert found.captions == {"7": ["A dog runs.", "A running dog"], "9": ["Two cats\u2028sit."], "11": []}


@pytest.mark.fault(
    "results that leave images out", "refused, the ids are named; pycocoevalcap scores the rest", "Scores"
)
def test_missing_captions_raise_the_score_in_the_usual_recipe_and_are_refused_here(tmp_path: Path) -> None:
    """pycocoevalcap's own example scores the images that have results: leave out the bad one, and the score doubles."""
    annotations = [{"id": 1, "image_id": 7, "caption": "a dog"}, {"id": 2, "image_id": 9, "caption": "two cats"}]
    truth = written(tmp_path, "refs.json", {"images": IMAGES[:2], "annotations": annotations, "info": {}})
    results = written(tmp_path, "results.json", [{"image_id": 7, "caption": "a dog"}])
    coco = COCO(str(truth))
    found = coco.loadRes(str(results))
    scored = found.getImgIds()  # the line of the example: coco_eval.params["image_id"] = coco_result.getImgIds()
    gts = {image: [one["caption"] for one in coco.imgToAnns[image]] for image in scored}
    res = {image: [one["caption"] for one in found.imgToAnns[image]] for image in scored}
    assert Bleu(1).compute_score(gts, res, verbose=0)[0][0] == pytest.approx(1.0)
    with pytest.raises(UserError, match=r"references but no caption in .*results\.json: '9'$"):
        match(read_results(results), read_references(truth))


@pytest.mark.fault("two results of one image", "refused, the ids are named", "Scores")
def test_two_captions_of_an_image_are_named(references: Path, tmp_path: Path) -> None:
    """pycocoevalcap stops with an assertion that names nothing. Here also under two kinds of id."""
    with pytest.raises(AssertionError, match=r"^$"):
        Bleu(1).compute_score({7: ["a dog"]}, {7: ["a dog", "a cat"]}, verbose=0)
    rows = [{"image_id": 7, "caption": "a"}, {"image_id": 9, "caption": "b"}, {"image_id": "nine.jpg", "caption": "c"}]
    with pytest.raises(UserError, match=r"more than one caption in .*results\.json: '9'$"):
        match(read_results(written(tmp_path, "results.json", rows)), read_references(references))


@pytest.mark.fault("results of images that are not in the references", "left out, named, counted", "Scores")
def test_captions_of_other_images_are_left_out_and_named(references: Path, tmp_path: Path) -> None:
    rows = [{"image_id": image_id, "caption": "a"} for image_id in (7, 8, 9, 10, 11)]
    found = match(read_results(written(tmp_path, "results.json", rows)), read_references(references))
    assert found.surplus == ("8", "10")
    assert [image_id for image_id, _ in found.pairs] == ["7", "9", "11"]


@pytest.mark.fault("results of another dataset", "refused, with an id of each", "Scores")
def test_results_of_another_dataset_are_refused(references: Path, tmp_path: Path) -> None:
    results = read_results(written(tmp_path, "results.json", [{"image_id": "x.jpg", "caption": "a"}]))
    with pytest.raises(UserError, match=r"no image of .* is among the references: ids like 'x\.jpg' here, '7' there"):
        match(results, read_references(references))
    with pytest.raises(UserError, match="no image of"):
        match(read_results(written(tmp_path, "results.json", [])), read_references(references))


@pytest.mark.fault("an entry of a results file without a caption", "refused, the entry is named", "Scores")
@pytest.mark.parametrize(
    ("content", "message"),
    [
        ({"images": []}, "is not a COCO results file"),
        ([{"image_id": 7}], r"entry 0: KeyError\('caption'\); it needs \["),
        ([{"image_id": 7, "caption": "a"}, {"image_id": 9, "caption": None}], "entry 1: .*caption None is not text"),
        (["a"], "entry 0"),
    ],
)
def test_a_row_that_is_no_result_is_named(tmp_path: Path, content: Any, message: str) -> None:
    with pytest.raises(UserError, match=message):
        read_results(written(tmp_path, "results.json", content))


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ([], "is not a COCO captions file"),
        ({"images": IMAGES}, r"KeyError\('annotations'\)"),
        ({"images": [*IMAGES, {"id": "7"}], "annotations": []}, r"more than one entry in .*refs\.json: '7'"),
        (
            {"images": IMAGES[1:], "annotations": ANNOTATIONS},
            r"a caption in .*refs\.json but no entry in its images: '7'",
        ),
    ],
)
def test_a_file_that_is_no_captions_file_is_named(tmp_path: Path, content: Any, message: str) -> None:
    with pytest.raises(UserError, match=message):
        read_references(written(tmp_path, "refs.json", content))


def test_files_that_are_not_there_or_not_json(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"none\.json cannot be read: No such file"):
        read_results(tmp_path / "none.json")
    (tmp_path / "bad.json").write_text("[")
    with pytest.raises(UserError, match=r"bad\.json, line 1, column 2: Expecting value: the JSON is cut or damaged"):
        read_results(tmp_path / "bad.json")
