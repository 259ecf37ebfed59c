"""Words and ids of the authors: every id keeps its word, and what has none is told."""

from __future__ import annotations

import pickle
from pathlib import Path

import pytest

from attend.data.vocabulary import Vocabulary
from attend.errors import UserError
from attend.train.arctic.dictionary import read_dictionary, to_dictionary


def read(folder: Path, table: object, size: int):
    (folder / "dictionary.pkl").write_bytes(pickle.dumps(table, 2))
    return read_dictionary(folder / "dictionary.pkl", size)


def test_ids_stay_and_the_two_first_are_end_and_unknown(tmp_path):
    for first in ({}, {"<eos>": 0, "UNK": 1}):
        vocabulary, lines = read(tmp_path, first | {"dog": 3, "a": 2, "café": 4}, 5)
        assert vocabulary.words == ("<end>", "<unknown>", "a", "dog", "café")
        assert vocabulary.encode(["dog", "cat"]) == [3, 1]
        assert lines == []


def test_words_beyond_the_model_are_dropped_and_counted(tmp_path):
    vocabulary, lines = read(tmp_path, {"a": 2, "dog": 3, "cat": 4, "cow": 9}, 4)
    assert vocabulary.words[2:] == ("a", "dog")
    assert lines == ["2 words with ids from 4 on are unknown to the model and dropped"]


def test_ids_without_a_word_are_named_and_do_not_come_back(tmp_path):
    table = {"a": 2, "dog": 4, "cat": 5}
    vocabulary, lines = read(tmp_path, table, 9)
    assert vocabulary.words[2:] == ("a", "<unused 3>", "dog", "cat", "<unused 6>", "<unused 7>", "<unused 8>")
    assert lines == ["4 ids have no word: 3, 6 to 8"]
    assert to_dictionary(vocabulary) == {"<eos>": 0, "UNK": 1} | table


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ([], "is no dictionary of words"),
        ({}, "is no dictionary of words"),
        ({"a": 2, "b": 2}, "'a' and 'b' both have id 2"),
        ({"a": 0}, "'a' has id 0, which means <eos>"),
        ({"a": 1}, "'a' has id 1, which means UNK"),
        ({"a": 2.0}, "'a' → 2.0 is not a word and its id"),
        ({2: "a"}, "2 → 'a' is not a word and its id"),
        ({"a": -1}, "'a' → -1 is not"),
        ({"a": True}, "'a' → True is not"),
        ({"<end>": 2}, "the word <end> would be taken for a sign"),
        ({"<unused 3>": 2}, "the word <unused 3> would be taken for a sign"),
    ],
)
def test_dictionaries_that_mean_something_else_are_refused(tmp_path, table, message):
    with pytest.raises(UserError, match=message):
        read(tmp_path, table, 6)


def test_a_word_that_is_the_authors_sign_is_refused():
    with pytest.raises(UserError, match="the word 'UNK' has the name of id 1"):
        to_dictionary(Vocabulary(("<end>", "<unknown>", "UNK")))
