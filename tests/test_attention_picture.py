"""The picture of a caption: light where the model looked, a panel a word, no display needed."""

from __future__ import annotations

import numpy as np
import pytest
from PIL import Image

from attend.score.pictures.attention import (
    ACCENT,
    GAP,
    MARGIN,
    MOST_COLUMNS,
    PANEL,
    STRIP,
    TITLE,
    draw_attention,
    fitted,
    font,
    lit,
)

GRID = (14, 14)


def grey(size: int = PANEL) -> Image.Image:
    return Image.new("RGB", (size, size), (200, 200, 200))


@pytest.mark.parametrize("place", [0, 13, 7 * 14 + 3, 182, 195])
def test_the_photo_is_lightest_where_the_weight_is(place: int) -> None:
    pixels = np.asarray(lit(grey(), np.eye(196)[place], GRID)).astype(int)[..., 0]
    row, column = divmod(place, 14)
    peak = np.unravel_index(pixels.argmax(), pixels.shape)
    assert (peak[0] // 16, peak[1] // 16) == (row, column)
    assert pixels.max() == 200, "the place looked at most is the photo itself"
    assert pixels.min() == pytest.approx(0.28 * 200, abs=2)


def test_equal_attention_shows_the_whole_photo() -> None:
    photo = Image.fromarray(np.random.default_rng(0).integers(0, 255, (PANEL, PANEL, 3), dtype=np.uint8))
    assert np.array_equal(np.asarray(lit(photo, np.full(196, 1 / 196), GRID)), np.asarray(photo))


@pytest.mark.parametrize("words", [0, 1, 5, 6, 11, 30])
@pytest.mark.fault("captions of 0 to 30 words", "a panel a word", "Captions and pictures")
def test_there_is_a_panel_for_each_word_and_one_for_the_photo(words: int) -> None:
    attention = np.eye(196)[np.full(words, 40)]
    picture = draw_attention(grey(), ("word",) * words, attention, np.full(words, 0.5), GRID, "a title")
    pixels = np.asarray(picture)
    across = (picture.width - 2 * MARGIN + GAP) // (PANEL + GAP)
    down = (picture.height - TITLE - MARGIN + GAP) // (PANEL + STRIP + GAP)
    assert across <= MOST_COLUMNS
    assert across * (down - 1) < words + 1 <= across * down
    panels = 0
    for number in range(across * down):
        left = MARGIN + number % across * (PANEL + GAP)
        top = TITLE + number // across * (PANEL + STRIP + GAP)
        panels += bool((pixels[top : top + PANEL, left : left + PANEL] != 255).all())
    assert panels == words + 1


def test_the_gate_is_a_bar_of_its_length() -> None:
    attention = np.full((3, 196), 1 / 196)
    picture = draw_attention(grey(), ("a", "b", "c"), attention, np.array([0.0, 0.5, 1.0]), GRID, "")
    accent = np.array([int(ACCENT[start : start + 2], 16) for start in (1, 3, 5)])
    lengths = []
    for number in (1, 2, 3):
        left = MARGIN + number * (PANEL + GAP)
        strip = np.asarray(picture)[TITLE + PANEL : TITLE + PANEL + STRIP, left : left + PANEL]
        lengths.append(int((np.abs(strip.astype(int) - accent).max(axis=2) < 8).sum(axis=1).max()))
    assert lengths[0] == 0
    assert lengths[1] == pytest.approx(31, abs=2)
    assert lengths[2] == pytest.approx(62, abs=2)


@pytest.mark.fault("words longer than their panel", "cut to their place", "Captions and pictures")
def test_long_words_and_titles_are_cut_to_their_place() -> None:
    text = fitted("x" * 500, 19, 300)
    assert text.endswith("…") and font(19, bold=True).getlength(text) <= 300
    assert fitted("short", 19, 300) == "short"
