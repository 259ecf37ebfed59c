"""Beam search against exhaustive enumeration, greedy search and itself in other batches, on a model that is a table."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import pytest
import torch
from torch import Tensor

from attend.score.search.beam import beam_search
from attend.score.search.caption import Caption
from attend.train.config import SearchSettings
from attend.train.models.interface import NO_WORD
from tests.table_captioner import (
    END,
    FULL,
    LONGEST,
    PLACES,
    UNKNOWN,
    VOCABULARY,
    Table,
    all_captions,
    log_prob,
    looked_at,
    path_of,
    photos,
)


def search(table: Table, annotations: Tensor, best: int = 1, **settings: Any) -> list[list[Caption]]:
    chosen = replace(SearchSettings(beam=FULL, longest=LONGEST, suppress_unknown=False), **settings)
    return beam_search(table, annotations, None, VOCABULARY, chosen, best)  # type: ignore[arg-type]


@pytest.mark.parametrize("suppress", [False, True])
@pytest.mark.parametrize("power", [0.0, 0.7, 1.0, 2.0])
@pytest.mark.parametrize("best", [1, 3, FULL])
def test_a_full_beam_finds_what_enumeration_finds(power: float, suppress: bool, best: int) -> None:
    """Best first, with every log-probability; with best = FULL the captions cut at the limit are there too, behind."""
    table = Table(5)
    results = search(table, photos(0, 1, 2, 3, 4), best, length_normalisation=power, suppress_unknown=suppress)
    for image, captions in enumerate(results):
        truth = all_captions(table, image, power, lambda path: not (suppress and UNKNOWN in path))[:best]
        assert [path_of(caption) for caption in captions] == [path for _, _, path in truth]
        assert [caption.finished for caption in captions] == [finished for finished, _, _ in truth]
        expected = [log_prob(table, image, path) for _, _, path in truth]
        assert [caption.log_prob for caption in captions] == pytest.approx(expected, abs=1e-5)


def greedy(table: Table, image: int, suppress: bool) -> tuple[int, ...]:
    path: tuple[int, ...] = ()
    while len(path) < LONGEST and path[-1:] != (END,):
        log_probs = table.log_probs[image, len(path), (path[-1] if path else NO_WORD) + 1].clone()
        if suppress:
            log_probs[UNKNOWN] = -math.inf
        path = (*path, int(log_probs.argmax()))
    return path


@pytest.mark.parametrize("suppress", [False, True])
@pytest.mark.parametrize("power", [0.0, 1.0])
def test_a_beam_of_one_is_greedy(power: float, suppress: bool) -> None:
    table = Table(40)
    results = search(table, photos(*range(40)), beam=1, length_normalisation=power, suppress_unknown=suppress)
    assert [path_of(captions[0]) for captions in results] == [greedy(table, image, suppress) for image in range(40)]
    assert {captions[0].finished for captions in results} == {True, False}


@pytest.mark.parametrize("beam", [2, 3, 5])
@pytest.mark.parametrize("power", [0.0, 1.0])
@pytest.mark.fault("captions in batches against one at a time", "the same captions", "Captions and pictures")
def test_order_of_the_batch_changes_nothing_and_alone_equals_in_a_batch(beam: int, power: float) -> None:
    table = Table(12)
    order = torch.randperm(12, generator=torch.Generator().manual_seed(1)).tolist()
    together = search(table, photos(*order), best=2, beam=beam, length_normalisation=power)
    for image, captions in zip(order, together, strict=True):
        [alone] = search(table, photos(image), best=2, beam=beam, length_normalisation=power)
        assert [path_of(caption) for caption in captions] == [path_of(caption) for caption in alone]
        assert [caption.log_prob for caption in captions] == [caption.log_prob for caption in alone]


def reference_beam(table: Table, image: int, beam: int, power: float) -> list[tuple[bool, float, tuple[int, ...]]]:
    """The same search for one photo, written with lists and run to the limit: no early stop that could be wrong."""
    live: list[tuple[float, tuple[int, ...]]] = [(0.0, ())]
    ended: list[tuple[bool, float, tuple[int, ...]]] = []
    for _ in range(LONGEST):
        longer = [
            (log_prob(table, image, (*path, word)), (*path, word))
            for _, path in live
            for word in range(len(VOCABULARY))
        ]
        longer = sorted(longer, reverse=True)[: beam - len(ended)]
        ended += [(True, total / len(path) ** power, path) for total, path in longer if path[-1] == END]
        live = [(total, path) for total, path in longer if path[-1] != END]
    return sorted(ended + [(False, total / LONGEST**power, path) for total, path in live], reverse=True)


@pytest.mark.parametrize("sharpness", [0.3, 2.0])
@pytest.mark.parametrize("beam", [1, 2, 3, 6])
@pytest.mark.parametrize("power", [0.0, 0.5, 1.0, 3.0])
def test_stopping_early_never_changes_the_result(beam: int, power: float, sharpness: float) -> None:
    table = Table(30, sharpness=sharpness)
    for best in {1, beam}:
        results = search(table, photos(*range(30)), best, beam=beam, length_normalisation=power)
        for image, captions in enumerate(results):
            truth = reference_beam(table, image, beam, power)[:best]
            assert [path_of(caption) for caption in captions] == [path for _, _, path in truth]


def test_a_search_that_can_only_get_worse_stops() -> None:
    """log 0.6 > log 0.2, so nothing can beat the empty caption; but log 0.6 < log 0.2 / 4, the bound when a = 1."""
    table = Table(1)
    table.log_probs[:] = torch.tensor([0.6, 0.2, 0.15, 0.05]).log()
    search(table, photos(0), beam=3)
    assert table.steps_taken == 1
    search(table, photos(0), beam=3, length_normalisation=1.0)
    assert table.steps_taken > 2


def test_each_word_comes_with_its_own_log_probability_attention_and_gate() -> None:
    table = Table(6)
    for image, captions in enumerate(search(table, photos(*range(6)), best=4, beam=4)):
        for caption in captions:
            path = path_of(caption)
            length = len(caption.ids)
            assert caption.attention.shape == (length, PLACES)
            assert caption.words == tuple(VOCABULARY.words[word] for word in caption.ids)
            previous = (NO_WORD, *path[:-1])[:length]
            marks = [looked_at(image, step, before) for step, before in enumerate(previous)]
            assert caption.attention[:, 0] == pytest.approx(marks)
            assert caption.gates == pytest.approx([mark / 2 for mark in marks])
            single = [log_prob(table, image, path[: t + 1]) - log_prob(table, image, path[:t]) for t in range(length)]
            assert caption.word_log_probs == pytest.approx(single, abs=1e-5)


@pytest.mark.fault(
    "the unknown word is the likeliest", "left out; real words keep their probabilities", "Captions and pictures"
)
def test_suppressing_the_unknown_word_never_suppresses_a_real_one() -> None:
    """The unknown word is the likeliest everywhere, then `a`: without it `a` is said, with its own probability."""
    table = Table(1)
    table.log_probs[:] = torch.tensor([0.1, 0.6, 0.29, 0.01]).log()
    [[caption]] = search(table, photos(0), beam=1, suppress_unknown=True)
    assert caption.words == ("a",) * LONGEST
    assert caption.word_log_probs == pytest.approx([math.log(0.29)] * LONGEST)
    [[caption]] = search(table, photos(0), beam=1, suppress_unknown=False)
    assert caption.words == ("<unknown>",) * LONGEST


@pytest.mark.fault("a caption that does not end", "returned, marked as unfinished", "Captions and pictures")
def test_a_caption_that_does_not_end_is_returned_and_told_apart() -> None:
    table = Table(1)
    table.log_probs[:] = torch.tensor([1e-9, 0.1, 0.5, 0.4]).log()
    [captions] = search(table, photos(0), best=2, beam=2)
    assert [(caption.finished, len(caption.ids)) for caption in captions] == [(False, LONGEST)] * 2
    assert captions[0].log_prob == pytest.approx(LONGEST * math.log(0.5))


@pytest.mark.fault("a caption without words", "returned as it is", "Captions and pictures")
def test_an_empty_caption_is_a_caption() -> None:
    table = Table(1)
    table.log_probs[:] = torch.tensor([0.97, 0.01, 0.01, 0.01]).log()
    [[caption]] = search(table, photos(0), beam=2)
    assert (caption.ids, caption.text, caption.finished) == ((), "", True)
    assert caption.attention.shape == (0, PLACES)


def test_no_photos_no_captions() -> None:
    assert search(Table(1), photos()) == []


@pytest.mark.fault("a model whose probabilities are no numbers", "refused", "Captions and pictures")
def test_what_cannot_be_searched_is_refused() -> None:
    table = Table(1)
    with pytest.raises(ValueError, match="best <= beam"):
        search(table, photos(0), best=3, beam=2)
    table.training = True
    with pytest.raises(ValueError, match="training mode"):
        search(table, photos(0))
    table.training = False
    table.log_probs[0, 1] = math.nan
    with pytest.raises(ValueError, match="not numbers"):
        search(table, photos(0))
