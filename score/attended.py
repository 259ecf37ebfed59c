"""The region a word was written from: the smallest rectangle of places that holds half of its attention."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

SHARE = 0.5
"""Of a word's attention, what its region holds at least."""


def attended_places(attention: np.ndarray, share: float = SHARE) -> tuple[int, int, int, int]:
    """Rows `top` to `bottom` - 1 and columns `left` to `right` - 1 of a map (rows, columns) that sums to 1.

    Of all rectangles that hold at least `share` of the map, the one with the fewest places; of several the one that
    holds most, then the topmost, then the leftmost. All weight on one place gives that place; equal weights give a
    rectangle of about `share` of all places at the top left, which says only that there was no focus.
    ValueError: `share` is not above 0 and at most 1, or the map holds less.
    """
    if not 0 < share <= 1:
        raise ValueError(f"share must be above 0 and at most 1, not {share}")
    corners = _rectangles(*attention.shape)  # (4, N)
    top, left, bottom, right = corners
    sums = np.pad(attention.astype(np.float64).cumsum(axis=0).cumsum(axis=1), ((1, 0), (1, 0)))
    held = sums[bottom, right] - sums[top, right] - sums[bottom, left] + sums[top, left]  # (N,)
    enough = np.flatnonzero(held >= share - TOLERANCE)
    if not len(enough):
        raise ValueError(f"the map holds {sums[-1, -1]:.6f} in all, less than {share}")
    places = ((bottom - top) * (right - left))[enough]
    order = np.lexsort((left[enough], top[enough], -held[enough].round(DIGITS), places))
    chosen = corners[:, enough[order[0]]]
    return int(chosen[0]), int(chosen[1]), int(chosen[2]), int(chosen[3])


DIGITS = 6
TOLERANCE = 10.0**-DIGITS
"""Weights are float32: what differs by less counts as equal."""


@lru_cache(maxsize=8)
def _rectangles(rows: int, columns: int) -> np.ndarray:
    """Every rectangle of a grid as (4, N): top, left, bottom, right."""
    top, bottom = np.triu_indices(rows + 1, k=1)
    left, right = np.triu_indices(columns + 1, k=1)
    across = np.tile(np.arange(len(left)), len(top))
    down = np.repeat(np.arange(len(top)), len(left))
    return np.stack([top[down], left[across], bottom[down], right[across]])
