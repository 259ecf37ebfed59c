"""The vocabulary: ids, order, independence of the order of captions, files."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from attend.data.vocabulary import END, SPECIAL, UNKNOWN, Vocabulary
from attend.errors import UserError

CAPTIONS = ["A dog and a cat.", "The dog runs", "a cat; zebra", "Café ☕ 狗"]


def test_commonest_words_first_then_by_the_alphabet() -> None:
    vocabulary = Vocabulary.build(CAPTIONS)
    by_hand = ("a", "cat", "dog", "and", "café", "runs", "the", "zebra", "☕", "狗")
    assert vocabulary.words == (*SPECIAL, *by_hand)
    assert len(vocabulary) == 12
    assert (END, UNKNOWN) == (0, 1)


@pytest.mark.fault("the captions come in another order", "the same vocabulary and hash", "Captions and splits")
def test_order_of_captions_does_not_matter() -> None:
    captions = [f"{random.Random(n).choice('abcdefgh')} word{n % 7} z{n % 3}" for n in range(200)]
    shuffled = random.Random(5).sample(captions, len(captions))
    assert Vocabulary.build(captions, size=12) == Vocabulary.build(shuffled, size=12)
    assert Vocabulary.build(iter(captions)).hash == Vocabulary.build(shuffled).hash


def test_size_counts_the_two_special_ids() -> None:
    assert len(Vocabulary.build(CAPTIONS, size=5)) == 5
    assert Vocabulary.build(CAPTIONS, size=5).words[2:] == ("a", "cat", "dog")
    assert Vocabulary.build(CAPTIONS, min_count=2).words[2:] == ("a", "cat", "dog")
    assert Vocabulary.build([]).words == SPECIAL


def test_encode_and_decode() -> None:
    vocabulary = Vocabulary.build(CAPTIONS)
    assert vocabulary.encode(["a", "dog", "wombat"]) == [2, 4, 1]
    assert vocabulary.decode([2, 4, 1, 0, 3]) == ["a", "dog", "<unknown>"]
    assert vocabulary.decode([]) == []


@pytest.mark.fault("captions with the words end, unknown or unk", "words like any other", "Captions and splits")
def test_words_that_look_special_are_words() -> None:
    vocabulary = Vocabulary.build(["end unknown unk <end> <unknown> <unk>"])
    ids = vocabulary.encode(["end", "unknown", "unk"])
    assert min(ids) > UNKNOWN
    assert vocabulary.encode(["<end>", "<unknown>"]) == [UNKNOWN, UNKNOWN]


def test_file_round_trip(tmp_path: Path) -> None:
    vocabulary = Vocabulary.build(CAPTIONS)
    path = tmp_path / "a run" / "vocabulary.json"
    vocabulary.save(path)
    assert Vocabulary.load(path) == vocabulary
    assert Vocabulary.load(path).hash == vocabulary.hash
    assert [path.name for path in path.parent.iterdir()] == ["vocabulary.json"]


def test_hash_depends_on_the_order() -> None:
    assert Vocabulary((*SPECIAL, "a", "b")).hash != Vocabulary((*SPECIAL, "b", "a")).hash


def test_what_is_no_vocabulary_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="begins with"):
        Vocabulary(("a", "b"))
    with pytest.raises(ValueError, match="twice"):
        Vocabulary((*SPECIAL, "a", "a"))
    path = tmp_path / "vocabulary.json"
    with pytest.raises(UserError, match=r"vocabulary\.json is not there"):
        Vocabulary.load(path)
    path.write_text('{"half')
    with pytest.raises(UserError, match=r"vocabulary\.json is not a vocabulary"):
        Vocabulary.load(path)
