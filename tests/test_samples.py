"""Pictures of captions for TensorBoard."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from PIL import Image

from attend.data.items import Item
from attend.extract.images import Preprocessing
from attend.score.pictures.attention import GAP, MARGIN, PANEL, TITLE
from attend.score.pictures.samples import sample_pictures
from attend.score.search.caption import Caption

SQUARE = Preprocessing("whole", 32, 32)


def caption(words: int) -> Caption:
    attention = np.full((words, 4), 0.25, dtype=np.float32)
    return Caption((2,) * words, ("dog",) * words, -1.0, np.zeros(words), attention, np.zeros(words), True)


def test_a_photo_and_its_words_side_by_side(tmp_path: Path) -> None:
    Image.new("RGB", (50, 40), (20, 200, 40)).save(tmp_path / "green.png")
    items = [Item("a", tmp_path / "green.png", "val", ()), Item("b", tmp_path / "none.png", "val", ())]
    (first, picture), (second, grey) = sample_pictures(items, {"a": caption(2), "b": caption(0)}, SQUARE, (2, 2))
    assert (first, second) == ("captions/0", "captions/1")
    assert picture.width == 2 * MARGIN + 3 * PANEL + 2 * GAP
    assert picture.getpixel((MARGIN + PANEL // 2, TITLE + PANEL // 2)) == (20, 200, 40)
    red, green, blue = grey.getpixel((MARGIN + PANEL // 2, TITLE + PANEL // 2))
    assert abs(red - green) < 20 and abs(green - blue) < 20, "a photo that is gone is grey, and training goes on"
