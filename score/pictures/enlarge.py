"""Attention over a grid of places as light on the pixels those places cover."""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np

SPREAD = 20 / 16
"""Standard deviation of the Gaussian, in places.  # arctic: sigma 20 pixels where a place is 16 pixels wide"""


@lru_cache(maxsize=32)
def spreading(places: int, pixels: int) -> np.ndarray:
    """The matrix (pixels, places) that spreads a row of places over a row of pixels, each place through a Gaussian.

    Entry (p, i) is the share of a Gaussian about pixel p's centre that lies on place i; rows sum to 1, so places beyond
    the border count as their neighbours inside and equal weights stay equal.
    """
    edges = np.arange(places + 1) / places * pixels
    centres = np.arange(pixels) + 0.5
    distance = (edges[None, :] - centres[:, None]) / (SPREAD * pixels / places)  # (pixels, places + 1)
    below = np.vectorize(lambda x: 0.5 * (1 + math.erf(x / math.sqrt(2))))(distance)
    share = np.diff(below, axis=1)
    return share / share.sum(axis=1, keepdims=True)


def enlarge(weights: np.ndarray, grid: tuple[int, int], size: tuple[int, int]) -> np.ndarray:
    """Weights (L,) over `grid` (rows, columns), row-major → (height, width) of `size`, in units of weight per place."""
    rows, columns = grid
    height, width = size
    return spreading(rows, height) @ weights.reshape(rows, columns) @ spreading(columns, width).T


def light(weights: np.ndarray, grid: tuple[int, int], size: tuple[int, int]) -> np.ndarray:
    """Weights (L,) as light (height, width) between 0 and 1: 1 at the peak, 0 where they are half of even attention.

    Even attention, 1 / L everywhere, is 1 everywhere: no focus is made up where there is none.
    """
    enlarged = enlarge(weights, grid, size)
    dark = float(weights.mean()) / 2
    return np.clip((enlarged - dark) / max(float(enlarged.max()) - dark, 1e-12), 0, 1)
