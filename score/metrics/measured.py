"""A metric in a form that can be resampled: a row of counts an image, and how a sum of rows becomes a score."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np


@dataclass(frozen=True)
class TokenisedSet:
    """One tokenised caption an image and all its tokenised references. Both have the same images in the same order."""

    captions: Mapping[str, str]
    references: Mapping[str, Sequence[str]]

    def __post_init__(self) -> None:
        if list(self.captions) != list(self.references):
            raise ValueError("captions and references name different images, or in another order")


@dataclass(frozen=True, eq=False)
class Measured:
    """One metric of one set of captions. Scores are 0 to 100 (CIDEr-D 0 to 1000).

    The score is `combine` of the sum of `counts` over the images, so the score of any resample of the images is
    `combine` of a weighted sum: exact for corpus metrics as well as for means.
    """

    name: str
    by_image: np.ndarray = field(repr=False)  # (N,)
    counts: np.ndarray = field(repr=False)  # (N, C)
    combine: Callable[[np.ndarray], np.ndarray] = field(repr=False)  # (..., C) -> (...)
    note: str = ""

    @property
    def score(self) -> float:
        """The score of all images."""
        return float(self.combine(self.counts.sum(axis=0)))


@dataclass(frozen=True)
class Unmeasured:
    """A metric that gave no number, and why."""

    name: str
    reason: str


def mean_over_images(name: str, by_image: np.ndarray, note: str = "") -> Measured:
    """A metric that is the mean of its scores of single images, (N,)."""
    counts = np.stack([by_image, np.ones_like(by_image)], axis=1)  # (N, 2)
    return Measured(name, by_image, counts, lambda sums: sums[..., 0] / sums[..., 1], note)


def mean_over_sets(parts: Sequence[Measured]) -> Measured:
    """The mean of one metric over several sets of captions of the same images; they are resampled together."""
    columns = np.cumsum([part.counts.shape[1] for part in parts])[:-1]

    def combine(sums: np.ndarray) -> np.ndarray:
        pieces = np.split(sums, columns, axis=-1)
        return np.mean([part.combine(piece) for part, piece in zip(parts, pieces, strict=True)], axis=0)

    by_image = np.mean([part.by_image for part in parts], axis=0)
    return Measured(parts[0].name, by_image, np.hstack([part.counts for part in parts]), combine, parts[0].note)
