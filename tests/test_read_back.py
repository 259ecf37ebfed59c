"""Given captions read by a model: the same numbers as the search that found them."""

from __future__ import annotations

import pytest
import torch

from attend.data.vocabulary import SPECIAL, Vocabulary
from attend.score.read_back import read_back
from attend.score.search.find import find_captions
from attend.train.config import ModelSettings, SearchSettings
from attend.train.models.interface import NO_WORD
from attend.train.models.variants import VARIANTS, build_captioner

VOCABULARY = Vocabulary((*SPECIAL, "a", "b", "c", "d", "e"))


def a_model(variant: str):
    torch.manual_seed(0)
    model = build_captioner(variant, ModelSettings(units=7, embedding=4, dropout=0.0), 5, len(VOCABULARY))
    with torch.no_grad():
        for weight in model.parameters():
            weight.normal_(std=0.7)
    return model.eval()


def annotations() -> torch.Tensor:
    return torch.randn(4, 6, 5, generator=torch.Generator().manual_seed(1)).half().float()


@pytest.mark.parametrize(
    ("variant", "context"), [*((name, "expected") for name in sorted(VARIANTS)), ("hard", "argmax"), ("hard", "sample")]
)
def test_reading_what_was_found_gives_what_was_found(variant: str, context: str) -> None:
    model, settings = a_model(variant), SearchSettings(longest=12, context=context, method="sample", shortest=1)
    found = [best for [best] in find_captions(model, annotations(), None, VOCABULARY, settings)]
    again = read_back(model, annotations(), [caption.words for caption in found], VOCABULARY, settings)
    assert len({len(caption.words) for caption in found}) > 1, "captions of unequal lengths are read together"
    for one, other in zip(found, again, strict=True):
        assert (one.ids, one.words) == (other.ids, other.words)
        assert other.word_log_probs == pytest.approx(one.word_log_probs, abs=1e-5)
        assert other.attention == pytest.approx(one.attention, abs=1e-5)
        assert other.gates == pytest.approx(one.gates, abs=1e-5)
        if one.finished:
            assert other.log_prob == pytest.approx(one.log_prob, abs=1e-4)


def test_a_strange_word_is_read_as_the_unknown_one_and_keeps_its_text() -> None:
    model = a_model("soft")
    [caption] = read_back(model, annotations()[:1], [["a", "zebra", "b"]], VOCABULARY, SearchSettings())
    assert (caption.words, caption.ids, caption.finished) == (("a", "zebra", "b"), (2, 1, 3), True)
    with torch.no_grad():
        state, previous = model.start(annotations()[:1]), torch.tensor([NO_WORD])
        for word, log_prob in zip(caption.ids, caption.word_log_probs, strict=True):
            log_probs, state, _ = model.step(state, previous)
            assert log_prob == pytest.approx(float(log_probs[0, word]), abs=1e-5)
            previous = torch.tensor([word])


def test_no_captions_and_captions_without_words() -> None:
    model = a_model("soft")
    assert read_back(model, annotations()[:0], [], VOCABULARY, SearchSettings()) == []
    [empty] = read_back(model, annotations()[:1], [[]], VOCABULARY, SearchSettings())
    with torch.no_grad():
        end = model.step(model.start(annotations()[:1]), torch.tensor([NO_WORD]))[0][0, 0]
    assert (empty.words, empty.attention.shape) == ((), (0, 6))
    assert empty.log_prob == pytest.approx(float(end), abs=1e-5)
