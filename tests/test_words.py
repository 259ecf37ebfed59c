"""Words of captions: what is dropped, what survives, and agreement with the scorers' tokeniser."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from attend.data.words import join, tokenise


@pytest.mark.parametrize(
    ("caption", "words"),
    [
        ("A black dog runs .", ["a", "black", "dog", "runs"]),
        ("Naïve café ☕ 狗, 3½ m", ["naïve", "café", "☕", "狗", "3½", "m"]),
        ('"Stop!" (he said): no; yes? {a}[b]', ["stop", "he", "said", "no", "yes", "a", "b"]),
        ("a red t-shirt -- and a merry-go-round-", ["a", "red", "t-shirt", "and", "a", "merry-go-round"]),
        ("the dog's ball, the dog 's ball", ["the", "dog", "'s", "ball", "the", "dog", "'s", "ball"]),
        ("the dog’s ball", ["the", "dog", "'s", "ball"]),
        ("a man's, a woman's. (the dog's)", ["a", "man", "'s", "a", "woman", "'s", "the", "dog", "'s"]),
        ("the dog 's, an ant 's-eye-view", ["the", "dog", "'s", "an", "ant", "'s", "eye-view"]),
        ("don't touch dogs' 'toys'", ["don't", "touch", "dogs", "toys"]),
        ("NA", ["na"]),
        ("null", ["null"]),
        ("¿Qué niño? «Ça»", ["qué", "niño", "ça"]),
        ("Мальчик, 犬。猫", ["мальчик", "犬", "猫"]),
        ("don't-stop.", ["don't-stop"]),
        ("one\u00a0two\u2003three\nfour", ["one", "two", "three", "four"]),
        (" . , ", []),
        ("", []),
    ],
)
def test_words_of_a_caption(caption: str, words: list[str]) -> None:
    assert tokenise(caption) == words


@pytest.mark.fault("one word in two Unicode spellings", "one word", "Captions and splits")
def test_one_text_in_two_unicode_spellings_gives_one_word() -> None:
    assert tokenise("cafe\u0301") == tokenise("caf\u00e9") == ["caf\u00e9"]


def test_join_glues_possessives_only() -> None:
    assert join(["the", "dog", "'s", "ball"]) == "the dog's ball"
    assert join(["the", "dogs", "'s"]) == "the dogs's"
    assert join(["a", "'sail", "b"]) == "a 'sail b"
    assert join([]) == ""


@pytest.mark.parametrize("caption", ["the dog's red t-shirt", "naïve café ☕ 狗 3½ m", "don't stop"])
def test_join_undoes_tokenise(caption: str) -> None:
    assert join(tokenise(caption)) == caption


@pytest.mark.shared
def test_same_words_as_karpathy_on_real_captions(shared: Path) -> None:
    """Karpathy parts words at every mark, and left a few marks in: without parting and marks, his words are ours."""

    def letters(words: list[str]) -> str:
        return "".join(sign for sign in "".join(words) if sign.isalnum())

    images = json.loads((shared / "data/flickr8k/dataset_flickr8k.json").read_text(encoding="utf-8"))["images"]
    sentences = [sentence for image in images for sentence in image["sentences"]]
    assert len(sentences) == 35_000
    for sentence in sentences:
        assert letters(tokenise(sentence["raw"])) == letters(sentence["tokens"]), sentence["raw"]


@pytest.mark.shared
def test_joining_and_parting_again_changes_no_real_caption(shared: Path) -> None:
    images = json.loads((shared / "data/flickr8k/dataset_flickr8k.json").read_text(encoding="utf-8"))["images"]
    for image in images[::7]:
        for sentence in image["sentences"]:
            words = tokenise(sentence["raw"])
            assert tokenise(join(words)) == words


@pytest.mark.shared
@pytest.mark.slow
def test_captions_of_these_words_look_to_the_scorers_like_the_originals(shared: Path) -> None:
    """Perfect captions must score as perfect: at most 2 in 1,000 real captions lose or change a token on the way."""
    from attend.score.metrics.tokens import ptb_tokenise

    images = json.loads((shared / "data/flickr8k/dataset_flickr8k.json").read_text(encoding="utf-8"))["images"]
    captions = [sentence["raw"] for image in images[::3] for sentence in image["sentences"]]
    ours = ptb_tokenise([join(tokenise(caption)) for caption in captions])
    changed = sum(one != other for one, other in zip(ptb_tokenise(captions), ours, strict=True))
    assert changed <= 0.002 * len(captions)
