"""Every image is accounted for: missing, doubled, unknown, without references, without words."""

from __future__ import annotations

import pytest

from attend.errors import UserError
from attend.score.metrics.references import tokenise_references
from attend.score.metrics.scoring import score_captions

CAPTIONS = {"photo one.jpg": ["A red dog runs fast."], "2": ["Two cats.", "2 cats sit", "cats!"], "3": []}


def test_references_are_all_used_and_those_without_a_word_are_counted() -> None:
    references = tokenise_references({**CAPTIONS, "4": ["...", ""], "5": ["!", "a dog"]})
    assert references.tokens == {
        "photo one.jpg": ("a red dog runs fast",),
        "2": ("two cats", "2 cats sit", "cats"),
        "5": ("a dog",),
    }
    assert references.skipped == ("3", "4")
    assert references.empty == 3
    assert references.counts == (1, 3, 5)


def test_captions_are_tokenised_like_the_references_and_skipped_images_do_not_count() -> None:
    scored = score_captions(
        [("2", "Two cats."), ("3", "anything"), ("photo one.jpg", "a red dog runs fast")], tokenise_references(CAPTIONS)
    )
    assert scored.bleu.with_penalty == pytest.approx((100,) * 4, abs=1e-3)
    assert scored.bleu.by_image.keys() == {"2", "photo one.jpg"}
    assert scored.empty == 0


@pytest.mark.fault("a model that says nothing", "counted, length 0 in the penalty", "Scores")
def test_captions_without_a_word_are_counted_and_score_nothing() -> None:
    scored = score_captions([("2", ""), ("photo one.jpg", "a red dog runs fast")], tokenise_references(CAPTIONS))
    assert scored.empty == 1
    assert scored.bleu.ratio == pytest.approx(5 / 6)


@pytest.mark.parametrize(
    ("captions", "message"),
    [
        ([("2", "a"), ("2", "b"), ("photo one.jpg", "c")], "more than one caption: '2'"),
        ([("2", "a")], "references but no caption: 'photo one.jpg'"),
        ([("2", "a"), ("photo one.jpg", "c"), ("9", "d")], "a caption but are not in the scored set: '9'"),
    ],
)
@pytest.mark.fault("a photo without a caption, with two, or not in the split", "refused, the ids are named", "Scores")
def test_missing_doubled_and_unknown_captions_are_named(captions: list[tuple[str, str]], message: str) -> None:
    with pytest.raises(UserError, match=message):
        score_captions(captions, tokenise_references(CAPTIONS))


def test_a_long_list_of_ids_is_cut_with_its_count() -> None:
    with pytest.raises(UserError, match=r"'3' and 16 more$"):
        score_captions([(str(number), "a") for number in range(20) for _ in "ab"], tokenise_references(CAPTIONS))


@pytest.mark.fault("no reference at all", "refused, never a score of 0", "Scores")
def test_no_references_at_all_is_said() -> None:
    with pytest.raises(UserError, match="none of the 1 captioned images has a reference"):
        score_captions([("1", "a")], tokenise_references({"1": []}))
