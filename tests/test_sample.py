"""Drawn captions: how often they come against how probable they are, their seeds, their rules."""

from __future__ import annotations

import itertools
import math
from collections import Counter
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor

from attend.score.search.caption import Caption
from attend.score.search.sample import drawn_words, lots, sample, word_distribution
from attend.train.config import SearchSettings
from attend.train.models.interface import NO_WORD
from tests.table_captioner import END, LONGEST, UNKNOWN, VOCABULARY, Table, log_prob, looked_at, path_of, photos

Path = tuple[int, ...]


def draw(table: Table, annotations: Tensor, draws: int = 1, **settings: Any) -> list[list[Caption]]:
    chosen = replace(SearchSettings(method="sample", longest=LONGEST, suppress_unknown=False), **settings)
    return sample(table, annotations, None, VOCABULARY, chosen, draws)  # type: ignore[arg-type]


def distribution_in_lists(log_probs: list[float], temperature: float, top_k: int, top_p: float) -> list[float]:
    """Temperature, the k likeliest, then the fewest likeliest that make p together, in plain Python."""
    weights = [math.exp(value / temperature) for value in log_probs]
    order = sorted(range(len(weights)), key=lambda word: -weights[word])
    order = order[: top_k or None]
    whole, kept, together = sum(weights[word] for word in order), [], 0.0
    for word in order:
        if together < top_p:
            kept.append(word)
        together += weights[word] / whole
    left = sum(weights[word] for word in kept)
    return [weights[word] / left if word in kept else 0.0 for word in range(len(weights))]


SETTINGS = [(1.0, 0, 1.0), (0.5, 0, 1.0), (2.0, 0, 1.0), (1.0, 2, 1.0), (1.0, 0, 0.7), (0.7, 3, 0.8), (1.0, 1, 1.0)]


@pytest.mark.parametrize(("temperature", "top_k", "top_p"), [*SETTINGS, (1.0, 99, 1.0), (1.0, 0, 1e-9)])
def test_the_distribution_is_the_one_in_lists(temperature: float, top_k: int, top_p: float) -> None:
    log_probs = torch.randn(50, 6, generator=torch.Generator().manual_seed(0), dtype=torch.float64).log_softmax(1)
    log_probs[::2, 3] = -math.inf
    found = word_distribution(log_probs, temperature, top_k, top_p)
    for row, expected in zip(found.tolist(), log_probs.tolist(), strict=True):
        assert row == pytest.approx(distribution_in_lists(expected, temperature, top_k, top_p), abs=1e-12)


def test_the_nucleus_by_hand() -> None:
    log_probs = torch.tensor([[0.5, 0.25, 0.125, 0.125]], dtype=torch.float64).log()
    assert word_distribution(log_probs, top_p=0.5)[0].tolist() == pytest.approx([1, 0, 0, 0])
    assert word_distribution(log_probs, top_p=0.51)[0].tolist() == pytest.approx([2 / 3, 1 / 3, 0, 0])
    assert word_distribution(log_probs, top_p=0.8)[0].tolist() == pytest.approx([4 / 7, 2 / 7, 1 / 7, 0])
    assert word_distribution(log_probs, top_k=3)[0].tolist() == pytest.approx([4 / 7, 2 / 7, 1 / 7, 0])
    assert word_distribution(log_probs, temperature=0.5)[0].tolist() == pytest.approx(
        [weight / 22 for weight in (16, 4, 1, 1)]
    )


def test_every_lot_has_its_word() -> None:
    """Lots spread evenly over 0 to 1 give each word its share of them; no lot gives a word of probability 0."""
    probabilities = torch.tensor([0.0, 0.3, 0.0, 0.45, 0.25, 0.0], dtype=torch.float64)
    lot = (torch.arange(1000, dtype=torch.float64) + 0.5) / 1000
    words = drawn_words(probabilities.expand(1000, -1).contiguous(), lot)
    assert [(words == word).sum().item() for word in range(6)] == [0, 300, 0, 450, 250, 0]
    edges = torch.tensor([0.0, np.nextafter(1.0, 0.0)], dtype=torch.float64)
    assert drawn_words(probabilities.expand(2, -1).contiguous(), edges).tolist() == [1, 4]


def path_probabilities(table: Table, image: int, q: Any) -> dict[Path, float]:
    """Every caption and its probability when words are drawn from q(log p, words before)."""
    found: dict[Path, float] = {}
    growing: list[tuple[Path, float]] = [((), 1.0)]
    for step in range(LONGEST):
        longer = []
        for path, probability in growing:
            log_probs = table.log_probs[image, step, (path[-1] if path else NO_WORD) + 1].tolist()
            longer += [((*path, word), probability * share) for word, share in enumerate(q(log_probs, path))]
        found |= {path: probability for path, probability in longer if path[-1] == END}
        growing = [(path, probability) for path, probability in longer if path[-1] != END]
    return found | dict(growing)


def chi_square(counts: Counter[Path], probabilities: dict[Path, float]) -> float:
    """How many standard deviations the statistic lies above its mean; captions expected fewer than 8 times are one."""
    draws = counts.total()
    cells = [(counts[path], draws * p) for path, p in probabilities.items() if draws * p >= 8]
    rest = draws - sum(count for count, _ in cells), draws - sum(expected for _, expected in cells)
    cells += [rest] if rest[1] >= 8 else []
    freedom = len(cells) - 1
    return (sum((count - expected) ** 2 / expected for count, expected in cells) - freedom) / math.sqrt(2 * freedom)


@pytest.mark.parametrize(("temperature", "top_k", "top_p"), SETTINGS[:-1])
def test_captions_come_as_often_as_they_are_probable(temperature: float, top_k: int, top_p: float) -> None:
    table, draws = Table(2, dtype=torch.float64, sharpness=1.0), 6_000
    found = draw(table, photos(0, 1), draws, temperature=temperature, top_k=top_k, top_p=top_p)
    for image, captions in enumerate(found):
        probabilities = path_probabilities(
            table, image, lambda log_probs, path: distribution_in_lists(log_probs, temperature, top_k, top_p)
        )
        assert sum(probabilities.values()) == pytest.approx(1)
        counts = Counter(path_of(caption) for caption in captions)
        assert all(probabilities[path] > 0 for path in counts)
        assert chi_square(counts, probabilities) < 4
        plain = path_probabilities(table, image, lambda log_probs, path: np.exp(log_probs))
        if (temperature, top_k, top_p) != (1.0, 0, 1.0):
            assert chi_square(counts, plain) > 20, "the test would notice if the setting did nothing"


def test_rules_leave_the_other_words_their_shares() -> None:
    table, draws = Table(1, dtype=torch.float64, sharpness=1.0), 6_000

    def q(log_probs: list[float], path: Path) -> list[float]:
        barred = {UNKNOWN, *path} | ({END} if len(path) < 1 else set())
        weights = [0.0 if word in barred else math.exp(value) for word, value in enumerate(log_probs)]
        return [weight / sum(weights) for weight in weights]

    [captions] = draw(table, photos(0), draws, suppress_unknown=True, no_repeat=1, shortest=1)
    probabilities = path_probabilities(table, 0, lambda log_probs, path: q(log_probs, path) if END not in path else [])
    counts = Counter(path_of(caption) for caption in captions)
    assert set(counts) == {(2, 0), (3, 0), (2, 3, 0), (3, 2, 0)}
    assert chi_square(counts, probabilities) < 4


def test_log_probabilities_attention_and_gates_are_the_models_own() -> None:
    table = Table(3, dtype=torch.float64)
    for image, captions in enumerate(draw(table, photos(0, 1, 2), 20, temperature=3.0, top_k=3)):
        for caption in captions:
            path, length = path_of(caption), len(caption.ids)
            assert caption.finished == (path[-1:] == (END,))
            assert caption.finished or length == LONGEST
            assert caption.log_prob == pytest.approx(log_prob(table, image, path), abs=1e-12)
            single = [log_prob(table, image, path[: t + 1]) - log_prob(table, image, path[:t]) for t in range(length)]
            assert caption.word_log_probs == pytest.approx(single, abs=1e-12)
            marks = [looked_at(image, step, before) for step, before in enumerate((NO_WORD, *path[:-1])[:length])]
            assert caption.attention[:, 0] == pytest.approx(marks)
            assert caption.gates == pytest.approx([mark / 2 for mark in marks])


def paths(found: list[list[Caption]]) -> list[list[Path]]:
    return [[path_of(caption) for caption in captions] for captions in found]


@pytest.mark.fault(
    "drawn captions in other batches", "the seed, the photo and the number of the draw decide", "Captions and pictures"
)
def test_a_seed_gives_the_same_captions_in_any_company() -> None:
    table = Table(12)
    order = torch.randperm(12, generator=torch.Generator().manual_seed(1)).tolist()
    together = paths(draw(table, photos(*order), 5, seed=3))
    for image, captions in zip(order, together, strict=True):
        assert paths(draw(table, photos(image), 5, seed=3)) == [captions]
        assert paths(draw(table, photos(image), 2, seed=3)) == [captions[:2]], "however many are drawn"
    assert paths(draw(table, photos(*order), 5, seed=4)) != together
    assert len({tuple(captions) for captions in together}) > 6, "photos have lots of their own"


def test_lots_are_even_and_all_their_own() -> None:
    numbers = lots(photos(*range(20)), seed=1, draws=10, steps=30)
    assert numbers.shape == (200, 30)
    assert len(np.unique(numbers)) == numbers.size
    assert 0 <= numbers.min() < 0.001 and 0.999 < numbers.max() < 1
    assert numbers.mean() == pytest.approx(0.5, abs=4 / math.sqrt(12 * numbers.size))
    correlations = np.corrcoef(numbers)[np.triu_indices(200, 1)]
    assert np.abs(correlations).max() < 5.5 / math.sqrt(30)


def test_the_likeliest_word_alone_is_greedy() -> None:
    table = Table(30)
    for image, [caption] in enumerate(draw(table, photos(*range(30)), top_k=1)):
        path: Path = ()
        while len(path) < LONGEST and path[-1:] != (END,):
            path = (*path, int(table.log_probs[image, len(path), (path[-1] if path else NO_WORD) + 1].argmax()))
        assert path_of(caption) == path


def test_no_photos_no_captions_and_what_cannot_be_drawn_is_refused() -> None:
    table = Table(1)
    assert draw(table, photos(), 3) == []
    with pytest.raises(ValueError, match="draws >= 1"):
        draw(table, photos(0), 0)
    table.log_probs[0, 1] = math.nan
    with pytest.raises(ValueError, match="not numbers"):
        draw(table, photos(0), 200)
    table.training = True
    with pytest.raises(ValueError, match="training mode"):
        draw(table, photos(0))


def test_every_caption_of_the_tree_can_be_drawn() -> None:
    """Of the flattest table all 2 ** 3 captions without the unknown word and the end come up."""
    table = Table(1)
    table.log_probs[:] = math.log(0.25)
    [captions] = draw(table, photos(0), 400, suppress_unknown=True, shortest=3)
    found = {caption.ids[:3] for caption in captions}
    assert found == set(itertools.product((2, 3), repeat=3))
