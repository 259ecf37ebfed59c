"""How far a score may be chance: bootstrap over images, of one set of captions or of two against each other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from attend.score.metrics.measured import Measured

RESAMPLES = 1_000
CONFIDENCE = 0.95
BLOCK = 2_000_000
"""Most entries of a matrix of weights: resamples are drawn in blocks, so memory does not grow with the images."""


@dataclass(frozen=True)
class Difference:
    """One metric of captions A minus that of captions B on the same images, and how sure the sign is."""

    name: str
    first: float
    second: float
    low: float
    high: float
    better: float
    """Share of the resamples in which A is above B; those in which both are equal count half."""

    @property
    def clear(self) -> bool:
        """The interval of the difference does not hold 0."""
        return self.low > 0 or self.high < 0


def resample(measured: Sequence[Measured], resamples: int = RESAMPLES, seed: int = 1) -> np.ndarray:
    """Scores of `resamples` draws of N images with replacement, (metrics, R). Every metric sees the same draws."""
    images = len(measured[0].counts)
    if any(len(each.counts) != images for each in measured):
        raise ValueError("metrics of different numbers of images cannot be resampled together")
    generator = np.random.default_rng(seed)
    blocks, block = [], max(1, BLOCK // images)
    for start in range(0, resamples, block):
        size = min(block, resamples - start)
        weights = generator.multinomial(images, np.full(images, 1 / images), size=size).astype(float)  # (r, N)
        blocks.append(np.stack([each.combine(weights @ each.counts) for each in measured]))
    return np.concatenate(blocks, axis=1)


def interval(draws: np.ndarray, confidence: float = CONFIDENCE) -> tuple[float, float]:
    """The percentile interval of scores of resamples, (R,)."""
    low, high = np.quantile(draws, [(1 - confidence) / 2, (1 + confidence) / 2])
    return float(low), float(high)


def compare(
    first: Sequence[Measured], second: Sequence[Measured], resamples: int = RESAMPLES, seed: int = 1
) -> list[Difference]:
    """Paired bootstrap: both sets of captions on the same draws of the same images, metric by metric."""
    draws = resample([*first, *second], resamples, seed)
    differences = draws[: len(first)] - draws[len(first) :]
    return [
        Difference(a.name, a.score, b.score, *interval(row), float(np.mean(row > 0) + np.mean(row == 0) / 2))
        for a, b, row in zip(first, second, differences, strict=True)
    ]
