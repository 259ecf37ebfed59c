"""Which captions a report shows, in which order, and which of them get a picture of all words."""

from __future__ import annotations

import pytest

from attend.errors import UserError
from attend.score.report.chosen import by_score, choose, groups, panel_ids, spread_over


def scored(count: int, unscored: int = 0) -> list[dict]:
    captions = [{"image_id": str(number), "sentence_bleu4": float(number)} for number in range(count)]
    return captions + [{"image_id": f"none {number}", "sentence_bleu4": None} for number in range(unscored)]


def chosen(count: int, each: int, unscored: int = 0) -> dict[str, list[str]]:
    ranked = by_score(scored(count, unscored), {})
    return {name: [ranked[place].image_id for place in places] for name, places in groups(ranked, each).items()}


def test_best_middle_and_worst() -> None:
    expected = {"best": ["100", "99", "98"], "median": ["51", "50", "49"], "worst": ["2", "1", "0"]}
    assert chosen(101, 3) == chosen(101, 3, unscored=5) == expected


@pytest.mark.parametrize("count", [0, 1, 2, 3, 4, 7, 12, 13])
@pytest.mark.parametrize("each", [1, 4])
@pytest.mark.fault("a report on fewer photos than it has places", "no photo twice", "Captions and pictures")
def test_no_image_is_shown_twice_however_few_there_are(count: int, each: int) -> None:
    ids = [image_id for group in chosen(count, each).values() for image_id in group]
    assert len(ids) == len(set(ids))
    assert len(ids) == min(count, 3 * min(each, max(1, count // 3)))
    assert [int(image_id) for image_id in ids] == sorted(map(int, ids), reverse=True)


def test_captions_without_a_score_come_last_and_keep_none() -> None:
    ranked = by_score(scored(2, unscored=1), {"1": {"METEOR": 30.0, "CIDEr-D": 5.0, "words": 3}, "0": {"METEOR": None}})
    assert [one.image_id for one in ranked] == ["1", "0", "none 0"]
    assert [one.scores for one in ranked] == [{"BLEU-4": 1.0, "METEOR": 30.0, "CIDEr-D": 5.0}, {"BLEU-4": 0.0}, {}]


def test_fewer_are_spread_evenly_over_the_ranks() -> None:
    ranked = by_score(scored(101), {})
    assert [one.image_id for one in spread_over(ranked, 5)] == ["100", "75", "50", "25", "0"]
    assert spread_over(ranked, 0) == spread_over(ranked, 500) == ranked
    assert [one.image_id for one in spread_over(ranked, 1)] == ["100"]


def test_what_must_be_shown_is_shown_among_as_many_as_were_asked_for() -> None:
    ranked = by_score(scored(100), {})
    shown = [one.image_id for one in choose(ranked, 10, {"3", "97", "98"})]
    assert len(shown) == 10 and {"3", "97", "98", "99", "0"} <= set(shown)
    assert shown == sorted(shown, key=int, reverse=True)
    assert [one.image_id for one in choose(ranked, 2, {"3", "97", "98"})] == ["98", "97", "3"]
    assert len(choose(ranked, 0, {"3"})) == 100


def test_panels_are_of_the_examples_unless_a_number_is_given() -> None:
    ranked = by_score(scored(11), {})
    assert panel_ids(ranked, ["10", "0"], None, ["4"]) == {"10", "0", "4"}
    assert panel_ids(ranked, ["10", "0"], 0, []) == frozenset()
    assert panel_ids(ranked, ["9"], 3, ["4"]) == {"10", "5", "0", "4"}
    with pytest.raises(UserError, match="--panel 12: no caption of that photo"):
        panel_ids(ranked, [], None, ["12"])
