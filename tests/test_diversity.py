"""Figures of captions by themselves, counted by hand."""

from __future__ import annotations

import pytest

from attend.score.metrics.diversity import diversity, novel_captions

TOKENS = {"1": "a dog runs", "2": "a dog runs", "3": "a cat", "4": ""}


def test_lengths_vocabulary_and_distinct_ngrams() -> None:
    """8 words of 4 kinds; pairs: a dog, dog runs, a dog, dog runs, a cat: 5 of 3 kinds."""
    found = diversity(TOKENS, 0.25)
    assert (found.words_mean, found.words_least, found.words_most) == (2.0, 0, 3)
    assert found.words_deviation == pytest.approx((3.0 / 2) ** 0.5)
    assert (found.vocabulary, found.distinct_1, found.distinct_2) == (4, 4 / 8, 3 / 5)
    assert found.distinct_captions == 3 / 4
    assert found.lines()[1].endswith(
        "75.0% of the captions differ, 25.0% of the captions are not in the training captions"
    )
    assert "training" not in diversity(TOKENS, None).lines()[1]


def test_captions_without_a_word_have_no_distinct_ngrams() -> None:
    found = diversity({"1": ""}, None)
    assert (found.distinct_1, found.distinct_2, found.vocabulary) == (0, 0, 0)


def test_a_caption_is_new_unless_training_has_its_words_in_order() -> None:
    captions = {"1": "a red dog runs", "2": "a red dog", "3": "the dog's ball"}
    assert novel_captions(captions, ["A red dog runs!", "red a dog", "The dog's ball."]) == {"2"}
