"""Bootstrap over images: against exact enumeration, against theory, and on corpus scores."""

from __future__ import annotations

import itertools
import time

import numpy as np
import pytest

from attend.score.metrics.bleu import bleu_metrics, corpus_bleu
from attend.score.metrics.bootstrap import compare, interval, resample
from attend.score.metrics.measured import Measured, TokenisedSet, mean_over_images, mean_over_sets

CAPTIONS = {"a": "the red dog runs far", "b": "two cats sit", "c": "a man rides a big horse", "d": "a bird"}
REFERENCES = {
    "a": ["the red dog runs away", "a dog runs"],
    "b": ["two cats sit down here", "cats"],
    "c": ["a man rides a small horse home"],
    "d": ["one bird flies", "a bird is there"],
}


def test_resamples_of_corpus_bleu_are_those_of_all_draws_enumerated() -> None:
    """4 images have 4^4 draws: the share of each BLEU value among 20,000 resamples is its share among all of them."""
    ids = list(CAPTIONS)
    exact = []
    for draw in itertools.product(range(4), repeat=4):
        names = [f"{place} {ids[number]}" for place, number in enumerate(draw)]
        bleu = corpus_bleu(
            {name: CAPTIONS[name.split()[1]] for name in names}, {name: REFERENCES[name.split()[1]] for name in names}
        )
        exact.append([*bleu.with_penalty, *bleu.without_penalty])
    measured = bleu_metrics([TokenisedSet(CAPTIONS, REFERENCES)])[0]
    draws = resample(measured, 20_000)
    assert draws.mean(axis=1) == pytest.approx(np.mean(exact, axis=0), rel=0.02)
    for number in (0, 1, 4, 5):  # BLEU-1 and 2 with and without penalty: many different values
        for quantile in (0.025, 0.25, 0.5, 0.75, 0.975):
            expected = np.quantile([row[number] for row in exact], quantile)
            assert np.mean(draws[number] < expected - 0.5) < quantile + 0.02
            assert np.mean(draws[number] <= expected + 0.5) > quantile - 0.02


def test_a_mean_has_the_interval_of_the_normal_law() -> None:
    values = np.random.default_rng(0).normal(50, 10, size=1_000)
    low, high = interval(resample([mean_over_images("mean", values)], 20_000)[0])
    error = values.std() / np.sqrt(1_000)
    assert (low, high) == pytest.approx((values.mean() - 1.96 * error, values.mean() + 1.96 * error), abs=0.05)


@pytest.mark.slow
def test_95_percent_intervals_hold_the_truth_95_percent_of_the_time() -> None:
    """600 samples of 200 images of a skewed law whose mean is 1, and of a ratio of sums whose truth is 2."""
    generator, held = np.random.default_rng(1), np.zeros(2)
    for _ in range(600):
        values = generator.exponential(1.0, size=200)
        below = generator.uniform(1, 3, size=200)
        above = 2 * below + generator.normal(0, 1, size=200)
        ratio = Measured("ratio", above / below, np.stack([above, below], 1), lambda sums: sums[..., 0] / sums[..., 1])
        for number, (draws, truth) in enumerate(
            zip(resample([mean_over_images("m", values), ratio], 500), (1, 2), strict=True)
        ):
            low, high = interval(draws)
            held[number] += low <= truth <= high
    assert 0.92 < held[0] / 600 < 0.975
    assert 0.92 < held[1] / 600 < 0.975


def test_a_constant_gain_is_clear_though_both_intervals_overlap() -> None:
    """Paired: each image gains between 0.5 and 1.5, far less than the images differ."""
    generator = np.random.default_rng(2)
    values = generator.normal(50, 20, size=300)
    better = mean_over_images("m", values + generator.uniform(0.5, 1.5, size=300))
    [found] = compare([better], [mean_over_images("m", values)])
    assert found.clear and found.better == 1.0
    assert 0.9 < found.low < found.first - found.second < found.high < 1.1
    low, high = interval(resample([better])[0])
    assert high - low > 3


def test_captions_against_themselves_are_no_better_and_equals_count_half() -> None:
    measured = bleu_metrics([TokenisedSet(CAPTIONS, REFERENCES)])[0]
    for found in compare(measured, measured):
        assert (found.low, found.high, found.better, found.clear) == (0, 0, 0.5, False)


def test_sets_of_the_same_images_are_resampled_together() -> None:
    values = np.arange(100.0)
    both = mean_over_sets([mean_over_images("m", values), mean_over_images("m", 100 - values)])
    assert both.score == pytest.approx(50)
    assert interval(resample([both])[0]) == pytest.approx((50, 50))


def test_same_seed_same_intervals_and_blocks_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    from attend.score.metrics import bootstrap

    measured = [mean_over_images("m", np.arange(50.0))]
    whole = resample(measured, 100, seed=3)
    assert np.array_equal(whole, resample(measured, 100, seed=3))
    assert not np.array_equal(whole, resample(measured, 100, seed=4))
    monkeypatch.setattr(bootstrap, "BLOCK", 50 * 7)
    assert np.allclose(whole, resample(measured, 100, seed=3))


def test_different_numbers_of_images_are_refused() -> None:
    with pytest.raises(ValueError, match="different numbers of images"):
        resample([mean_over_images("m", np.ones(3)), mean_over_images("n", np.ones(4))])


def test_a_thousand_resamples_of_a_thousand_images_take_seconds() -> None:
    counts = np.random.default_rng(0).integers(1, 20, size=(1_000, 10)).astype(float)
    metrics = [Measured("m", counts[:, 0], counts, lambda sums: sums[..., 0] / sums[..., 1]) for _ in range(11)]
    started = time.process_time()
    resample(metrics, 1_000)
    assert time.process_time() - started < 5
