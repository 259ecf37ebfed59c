"""Training captions become ids, cut and ended."""

from __future__ import annotations

from pathlib import Path

import pytest

from attend.data.items import Item
from attend.data.vocabulary import Vocabulary
from attend.errors import UserError
from attend.train.examples import make_examples, training_captions

ITEMS = [
    Item("a.jpg", Path("a.jpg"), "train", ("A red ball .", "NA", "...")),
    Item("b.jpg", Path("b.jpg"), "val", ("A blue ball .",)),
    Item("c.jpg", Path("c.jpg"), "train", ()),
    Item("d.jpg", Path("d.jpg"), "train", ("red red red red",)),
]


def test_only_captions_of_the_split_with_at_least_one_word():
    captions = training_captions(ITEMS, ("train",))
    assert captions == [
        ("a.jpg", ["a", "red", "ball"]),
        ("a.jpg", ["na"]),
        ("d.jpg", ["red", "red", "red", "red"]),
    ]


def test_ids_end_with_zero_and_long_captions_are_cut_and_counted():
    vocabulary = Vocabulary.build(["red ball", "red"])
    examples = make_examples(training_captions(ITEMS, ("train",)), vocabulary, longest=3)
    red, ball = vocabulary.encode(["red", "ball"])
    assert [words.tolist() for words in examples.words] == [[1, red, ball, 0], [1, 0], [red, red, red, 0]]
    assert examples.cut == 1
    assert [examples.image_ids[row] for row in examples.images] == ["a.jpg", "a.jpg", "d.jpg"]
    assert examples.lengths.tolist() == [4, 2, 4]


def test_no_caption_at_all_is_said():
    with pytest.raises(UserError, match="no training caption"):
        make_examples([], Vocabulary.build(["x"]), 10)
