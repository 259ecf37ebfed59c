"""A caption on its photo: attention that is known lands on the pixels it was paid to, whatever shape and EXIF."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from attend.extract.colours import TURNS
from attend.extract.framing import framing
from attend.extract.images import Preprocessing, read_photo
from attend.score.search.caption import Caption
from attend.score.seen import on_photo, seen_record

GRID = (14, 14)
CROP, WHOLE = Preprocessing("crop"), Preprocessing("whole")
BACK = {
    Image.Transpose.ROTATE_90: Image.Transpose.ROTATE_270,
    Image.Transpose.ROTATE_270: Image.Transpose.ROTATE_90,
}
"""What undoes a turn, where it is not the same turn again."""


def caption(*places: tuple[int, ...]) -> Caption:
    """A word for each set of places, which share its attention evenly."""
    attention = np.zeros((len(places), 196), dtype=np.float32)
    for row, chosen in enumerate(places):
        attention[row, list(chosen)] = 1 / len(chosen)
    gates = np.linspace(0.2, 0.8, len(places), dtype=np.float32)
    log_probs = np.log(np.full(len(places), 0.25, dtype=np.float32))
    words = tuple(f"word{number}" for number in range(len(places)))
    return Caption(tuple(range(2, 2 + len(places))), words, -5.0, log_probs, attention, gates, True)


@pytest.mark.parametrize(
    ("size", "preprocessing", "expected"),
    [
        # the crop begins at 298 of 819 columns and 16 of 256 rows; a place is 16 pixels of it
        ((640, 200), CROP, ((298 + 16 * 9) * 640 / 819, (16 + 16 * 3) * 200 / 256, 16 * 640 / 819, 16 * 200 / 256)),
        ((200, 640), CROP, ((16 + 16 * 9) * 200 / 256, (298 + 16 * 3) * 640 / 819, 16 * 200 / 256, 16 * 640 / 819)),
        ((640, 200), WHOLE, (640 * 9 / 14, 200 * 3 / 14, 640 / 14, 200 / 14)),
        ((200, 640), WHOLE, (200 * 9 / 14, 640 * 3 / 14, 200 / 14, 640 / 14)),
        ((224, 224), WHOLE, (144, 48, 16, 16)),
    ],
)
def test_one_place_by_arithmetic(size, preprocessing, expected) -> None:
    seen = on_photo(caption((3 * 14 + 9,)), GRID, framing(size, preprocessing))
    [box] = seen.boxes()
    assert box == pytest.approx(expected)
    assert seen.maps.shape == (1, 14, 14) and seen.maps[0, 3, 9] == 1


@pytest.mark.parametrize("size", [(640, 200), (200, 640)])
@pytest.mark.parametrize("orientation", range(1, 9))
@pytest.mark.parametrize("preprocessing", [CROP, WHOLE])
@pytest.mark.fault(
    "boxes on a photo that is not square, or that EXIF turns",
    "they frame what was attended to",
    "Captions and pictures",
)
def test_what_lies_in_the_box_is_what_the_place_saw(
    size: tuple[int, int], orientation: int, preprocessing: Preprocessing, tmp_path: Path
) -> None:
    """The box of a place, painted white on the photo as a viewer shows it, is white in that place of what the encoder
    gets from the file, and there alone."""
    for row, column in ((0, 0), (3, 9), (13, 13), (7, 2)):
        seen = on_photo(caption((row * 14 + column,)), GRID, framing(size, preprocessing))
        [(left, top, width, height)] = seen.boxes()
        canvas = np.zeros((size[1], size[0], 3), dtype=np.uint8)
        canvas[round(top) : round(top + height), round(left) : round(left + width)] = 255
        turn, upright = TURNS.get(orientation), Image.fromarray(canvas)
        stored = upright if turn is None else upright.transpose(BACK.get(turn, turn))
        exif = Image.Exif()
        exif[0x0112] = orientation
        stored.save(tmp_path / "photo.png", exif=exif)
        read = read_photo(tmp_path / "photo.png", preprocessing)
        assert read.upright == size
        places = read.pixels[0].float().reshape(14, 16, 14, 16).mean(dim=(1, 3)) / 255  # (14, 14) brightness
        assert divmod(int(places.argmax()), 14) == (row, column)
        assert places[row, column] > 0.75
        assert places.sum() - places[row, column] < 0.8, "only its edges reach into neighbours"


def test_half_of_the_attention_is_in_the_box() -> None:
    """Two neighbours with half each: one of them is half. Of four with a quarter each it takes two."""
    seen = on_photo(caption((30, 31), (30, 31, 44, 45)), GRID, framing((224, 224), WHOLE))
    assert seen.boxes() == [(32, 32, 16, 16), (32, 32, 16, 32)] or seen.boxes() == [(32, 32, 16, 16), (32, 32, 32, 16)]
    assert seen.boxes(1.0) == [(32, 32, 32, 16), (32, 32, 32, 32)]


def test_the_caption_keeps_all_it_knew() -> None:
    plain = caption((3,), (5,))
    seen = on_photo(plain, GRID, framing((640, 200), CROP))
    assert (seen.text, seen.words, seen.ids, seen.log_prob) == ("word0 word1", plain.words, plain.ids, -5.0)
    assert seen.probabilities == pytest.approx([0.25, 0.25])
    assert (seen.framing.width, seen.framing.height) == (640, 200)


def test_the_record_is_plain_and_in_pixels() -> None:
    record = seen_record(on_photo(caption((0,), (195,)), GRID, framing((640, 200), CROP)))
    assert record["photo"] == {"width": 640, "height": 200}
    assert record["seen"] == [232.87, 12.5, 175.04, 175.0]
    assert (record["grid"], record["box_share"]) == ([14, 14], 0.5)
    assert record["boxes"] == [[232.87, 12.5, 12.5, 12.5], [395.41, 175.0, 12.5, 12.5]]
    assert [row.index(1.0) for row in record["attention"]] == [0, 195]
    assert all(sum(row) == 1 for row in record["attention"])


def test_an_empty_caption_has_no_boxes() -> None:
    seen = on_photo(caption(), GRID, framing((640, 200), CROP))
    assert seen.boxes() == [] and seen.maps.shape == (0, 14, 14)
    assert seen_record(seen)["attention"] == []
