"""Enlarged attention lies where the places lie."""

from __future__ import annotations

import numpy as np
import pytest

from attend.score.pictures.enlarge import SPREAD, enlarge, light, spreading


@pytest.mark.parametrize("grid", [(14, 14), (7, 7), (3, 5)])
def test_the_peak_of_one_place_lies_on_its_own_pixels(grid: tuple[int, int]) -> None:
    rows, columns = grid
    height, width = 16 * rows, 16 * columns
    for row in range(rows):
        for column in range(columns):
            weights = np.zeros(grid)
            weights[row, column] = 1
            peak = np.unravel_index(enlarge(weights.ravel(), grid, (height, width)).argmax(), (height, width))
            assert (peak[0] // 16, peak[1] // 16) == (row, column)


def test_places_are_row_major() -> None:
    """The second of 2x3 places is in the first row, in the middle column."""
    look = enlarge(np.eye(6)[1], (2, 3), (20, 60))
    assert look[:10].sum() > look[10:].sum()
    assert look[:, 20:40].sum() > max(look[:, :20].sum(), look[:, 40:].sum())


def test_equal_weights_stay_equal_and_nothing_leaves_the_range() -> None:
    assert enlarge(np.full(196, 1 / 196), (14, 14), (224, 224)) == pytest.approx(1 / 196)
    weights = np.random.default_rng(0).random(196)
    look = enlarge(weights, (14, 14), (224, 224))
    assert weights.min() <= look.min() and look.max() <= weights.max()


def test_inside_it_is_blocks_smoothed_by_a_gaussian_of_twenty_pixels() -> None:
    """The paper's picture: each place a block of 16 pixels, then a Gaussian, by brute force, away from the border."""
    assert SPREAD * 16 == 20
    blocks = np.repeat(np.random.default_rng(1).random(40), 16)
    fine = np.repeat(blocks, 8)  # eight samples a pixel
    offsets = (np.arange(len(fine)) + 0.5) / 8
    for pixel in (300, 317, 330):
        kernel = np.exp(-0.5 * ((offsets - (pixel + 0.5)) / 20) ** 2)
        expected = (kernel * fine).sum() / kernel.sum()
        assert (spreading(40, 640) @ blocks[::16])[pixel] == pytest.approx(expected, abs=1e-4)


def test_light_is_full_at_the_peak_and_none_at_half_of_even_attention() -> None:
    weights = np.full(196, 0.5 / 196)
    weights[30] = 1 - weights[:195].sum()
    lighting = light(weights, (14, 14), (224, 224))
    assert lighting.max() == 1
    assert lighting[200, 200] == pytest.approx(0, abs=1e-6)
    assert light(np.eye(196)[5], (14, 14), (224, 224)).min() == 0


def test_even_attention_is_light_everywhere() -> None:
    assert light(np.full(49, 1 / 49), (7, 7), (112, 112)) == pytest.approx(1)
