"""People against people: each caption takes its turn against the others."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from pycocoevalcap.bleu.bleu import Bleu as CocoBleu

from attend.errors import UserError
from attend.score.metrics.panel import mean_of_sets, measure
from attend.score.metrics.references import tokenise_references
from attend.score.rotation import human_sets, model_sets, rotated

REFERENCES = {"x": ("a", "b", "c"), "y": ("d", "e", "f", "g"), "z": ("h",)}


def test_each_caption_stands_once_against_all_the_others() -> None:
    """An image with more captions than the fewest has as many turns, against all its others."""
    turning = rotated(REFERENCES)
    assert list(turning) == ["x", "y"]
    sets = human_sets(turning)
    assert [each.captions for each in sets] == [{"x": "a", "y": "d"}, {"x": "b", "y": "e"}, {"x": "c", "y": "f"}]
    assert sets[1].references == {"x": ("a", "c"), "y": ("d", "f", "g")}


def test_a_model_is_scored_against_the_same_references() -> None:
    turning = rotated(REFERENCES)
    sets = model_sets({"x": "m", "y": "n", "z": "o"}, turning)
    assert [each.references for each in sets] == [each.references for each in human_sets(turning)]
    assert all(each.captions == {"x": "m", "y": "n"} for each in sets)


def test_one_caption_an_image_cannot_be_rotated() -> None:
    with pytest.raises(UserError, match="no image has two reference captions"):
        rotated({"z": ("h",)})


@pytest.mark.shared
def test_more_references_give_people_a_higher_bleu(shared: Path) -> None:
    """On 200 photos: one person against four others, and against only two of them."""
    flickr = json.loads((shared / "data/flickr8k/dataset_flickr8k.json").read_text(encoding="utf-8"))
    images = [image for image in flickr["images"] if image["split"] == "val"][:200]
    references = tokenise_references({one["filename"]: [s["raw"] for s in one["sentences"]] for one in images}).tokens
    few = {image_id: texts[:3] for image_id, texts in references.items()}
    scores = []
    for group in (references, few):
        sets = human_sets(rotated(group))
        scores.append([each.score for each in mean_of_sets(measure(sets, ["bleu"]))][3])  # type: ignore[union-attr]
    assert scores[0] > scores[1] + 3


@pytest.mark.shared
def test_the_figures_of_people_are_the_mean_of_pycocoevalcaps(shared: Path) -> None:
    """On the 1,000 val photos of Flickr8k: the figures in docs/scores.md."""
    flickr = json.loads((shared / "data/flickr8k/dataset_flickr8k.json").read_text(encoding="utf-8"))
    images = [image for image in flickr["images"] if image["split"] == "val"]
    references = tokenise_references({one["filename"]: [s["raw"] for s in one["sentences"]] for one in images}).tokens
    expected = []
    for turn in range(5):
        truth = {image_id: [*texts[:turn], *texts[turn + 1 :]] for image_id, texts in references.items()}
        said = {image_id: [texts[turn]] for image_id, texts in references.items()}
        expected.append(CocoBleu(4).compute_score(truth, said, verbose=0)[0])
    means = [100 * sum(numbers) / 5 for numbers in zip(*expected, strict=True)]
    found = mean_of_sets(measure(human_sets(rotated(references)), ["bleu"]))
    assert [each.score for each in found][:4] == pytest.approx(means, abs=1e-4)  # type: ignore[union-attr]
    assert means == pytest.approx([64.35, 45.64, 31.63, 21.75], abs=0.005)
