"""The attended region: against trying every rectangle in plain loops."""

from __future__ import annotations

import numpy as np
import pytest

from attend.score.attended import SHARE, attended_places


def by_hand(attention: np.ndarray, share: float) -> tuple[int, int, int, int]:
    rows, columns = attention.shape
    found = []
    for top in range(rows):
        for left in range(columns):
            for bottom in range(top + 1, rows + 1):
                for right in range(left + 1, columns + 1):
                    held = float(attention[top:bottom, left:right].sum())
                    if held >= share - 1e-6:
                        found.append(((bottom - top) * (right - left), -round(held, 6), top, left, bottom, right))
    return min(found)[2:]


@pytest.mark.parametrize("shape", [(1, 1), (1, 6), (4, 4), (5, 3), (7, 7)])
@pytest.mark.parametrize("share", [0.1, 0.5, 0.9, 1.0])
def test_the_smallest_rectangle_that_holds_the_share(shape: tuple[int, int], share: float) -> None:
    generator = np.random.default_rng(0)
    for _ in range(6):
        attention = generator.dirichlet(np.full(shape[0] * shape[1], 0.3)).reshape(shape)
        assert attended_places(attention, share) == by_hand(attention, share)


def test_a_focus_of_four_places_and_its_half() -> None:
    attention = np.full((14, 14), 0.04 / 192)
    attention[3:5, 9:11] = [[0.3, 0.3], [0.18, 0.18]]
    assert attended_places(attention) == (3, 9, 4, 11)
    assert attended_places(attention, 0.9) == (3, 9, 5, 11)
    assert SHARE == 0.5


@pytest.mark.fault("the region of a hard attention", "the chosen cell", "Captions and pictures")
@pytest.mark.parametrize("place", [0, 13, 97, 195])
def test_one_place_is_its_own_region(place: int) -> None:
    attention = np.eye(196, dtype=np.float32)[place].reshape(14, 14)
    row, column = divmod(place, 14)
    for share in (0.01, 0.5, 1.0):
        assert attended_places(attention, share) == (row, column, row + 1, column + 1)


@pytest.mark.fault("attention without a focus", "a region as large as its share, none made up", "Captions and pictures")
def test_even_attention_gives_its_share_of_the_places() -> None:
    top, left, bottom, right = attended_places(np.full((14, 14), 1 / 196, dtype=np.float32))
    assert (bottom - top) * (right - left) == 98


def test_float32_maps_hold_all_of_their_weight() -> None:
    generator = np.random.default_rng(1)
    for _ in range(20):
        weights = generator.random(196).astype(np.float32)
        attended_places((weights / weights.sum()).reshape(14, 14), 1.0)


def test_what_makes_no_sense_is_refused() -> None:
    for share in (0.0, -0.5, 1.5):
        with pytest.raises(ValueError, match="share must be above 0"):
            attended_places(np.ones((1, 1)), share)
    with pytest.raises(ValueError, match=r"the map holds 0\.500000 in all, less than 0\.9"):
        attended_places(np.full((1, 1), 0.5), 0.9)
