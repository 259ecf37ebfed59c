"""All metrics side by side: names, failures, single images, and what plain pycocoevalcap makes of them."""

from __future__ import annotations

from pathlib import Path

import pytest

from attend.errors import UserError
from attend.score.metrics import meteor, spice
from attend.score.metrics.measured import Measured, TokenisedSet, Unmeasured
from attend.score.metrics.panel import BLEUS, chosen_families, make_cells, mean_of_sets, measure

TWO = TokenisedSet(
    {"x": "a dog is running", "y": "two cats"}, {"x": ["a dog runs", "the dog is running"], "y": ["two cats sit"]}
)


def test_metrics_are_chosen_by_name() -> None:
    assert chosen_families("BLEU, meteor rouge,bleu") == ("bleu", "meteor", "rouge")
    with pytest.raises(UserError, match="unknown metric 'bertscore': choose from bleu, meteor, rouge, cider, spice"):
        chosen_families("bleu,bertscore")
    with pytest.raises(UserError, match="unknown metric"):
        chosen_families(" ")


@pytest.mark.fault("one metric fails", "its cell says why, the others are there", "Scores")
def test_a_broken_metric_says_why_and_costs_the_others_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(meteor, "PARAPHRASES", "data/none.gz")
    [results] = measure([TWO], ["bleu", "meteor", "rouge", "cider"])
    cells = make_cells(results)
    assert [cell.name for cell in cells] == [*BLEUS, "METEOR", "ROUGE-L", "CIDEr-D"]
    assert [cell.name for cell in cells if cell.score is None] == ["METEOR"]
    [broken] = [cell for cell in cells if cell.score is None]
    assert broken.note.startswith("failed: METEOR stopped (exit 1): ")
    assert broken.to_record() == {"missing": broken.note}


@pytest.mark.fault(
    "SPICE without its parser's models", "named, with where they belong; nothing is downloaded", "Scores"
)
def test_spice_without_its_models_is_named_with_where_they_belong(tmp_path: Path) -> None:
    """Plain: making a `Spice` starts a download into the installed package."""
    [results] = measure([TWO], ["spice", "rouge"])
    assert isinstance(results[0], Unmeasured) and isinstance(results[1], Measured)
    assert results[0].reason.startswith(
        "failed: stanford-corenlp-3.6.0.jar and stanford-corenlp-3.6.0-models.jar not in "
    )
    assert "stanford-corenlp-full-2015-12-09.zip" in results[0].reason


def test_spice_that_cannot_run_tells_why_and_leaves_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """The real program, without the models it needs."""
    folder = Path(spice.find_spec("pycocoevalcap").submodule_search_locations[0]) / "spice"  # type: ignore[union-attr]
    before = sorted(folder.rglob("*"))
    monkeypatch.setattr(spice, "MODELS", ())
    with pytest.raises(UserError, match=r"SPICE stopped \(exit \d+\): \S+"):
        spice.spice([TWO])
    assert sorted(folder.rglob("*")) == before


@pytest.mark.fault("CIDEr of a single image", "0, and why", "Scores")
def test_cider_of_a_single_image_is_0_and_that_is_explained() -> None:
    """Plain gives the same 0 for a perfect caption and says nothing."""
    from pycocoevalcap.cider.cider import Cider

    assert Cider().compute_score({"x": ["a dog runs"]}, {"x": ["a dog runs"]})[0] == 0
    [[found]] = measure([TokenisedSet({"x": "a dog runs"}, {"x": ["a dog runs"]})], ["cider"])
    [cell] = make_cells([found])
    assert cell.score == 0
    assert (
        cell.note
        == "0 for a single image, whatever the caption: every n-gram is in all (1 of 1) images, so its weight is log 1"
    )


@pytest.mark.fault("metrics without any reference", '"skipped", not 0', "Scores")
def test_without_references_every_metric_is_skipped() -> None:
    [results] = measure([TokenisedSet({}, {})], ["bleu", "cider"])
    assert {each.reason for each in results if isinstance(each, Unmeasured)} == {
        "skipped: no image has a reference caption"
    }
    assert len(results) == 9


def test_a_metric_missing_in_one_set_is_missing_in_the_mean() -> None:
    [first, second] = measure([TWO, TWO], ["rouge"]), measure([TWO, TWO], ["rouge"])
    [mean] = mean_of_sets(first)
    assert isinstance(mean, Measured) and mean.score == pytest.approx(first[0][0].score)  # type: ignore[union-attr]
    assert mean_of_sets([second[0], [Unmeasured("ROUGE-L", "failed: why")]]) == [Unmeasured("ROUGE-L", "failed: why")]


def test_rouge_by_hand() -> None:
    """Caption of 4 words; LCS 3 with the first reference of 3 words, 4 with the second of 4: both shares are 1."""
    [[found]] = measure([TokenisedSet({"x": "a dog is running"}, {"x": ["a dog was", "a big cat is"]})], ["rouge"])
    precision, recall, beta = 2 / 4, 2 / 3, 1.2
    expected = 100 * (1 + beta**2) * precision * recall / (recall + beta**2 * precision)
    assert isinstance(found, Measured) and found.score == pytest.approx(expected)
