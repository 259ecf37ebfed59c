"""The part of a photo that the encoder sees, in the photo's own pixels: by arithmetic, and by looking."""

from __future__ import annotations

import numpy as np
import pytest
from PIL import Image

from attend.extract.framing import framing
from attend.extract.images import Preprocessing, prepare, read_photo
from tests.tiny_encoder import drawn_photo

CROP, WHOLE = Preprocessing("crop"), Preprocessing("whole")


def test_by_arithmetic_on_long_photos() -> None:
    """640 × 200 becomes 819 × 256 (819.2 cut down), whose centre 224 × 224 begins at 298 (297.5 to even) and 16."""
    wide = framing((640, 200), CROP)
    assert (wide.width, wide.height) == (640, 200)
    across, down = 640 / 819, 200 / 256
    assert wide.seen == pytest.approx((298 * across, 16 * down, 224 * across, 224 * down))
    assert wide.seen == pytest.approx((232.87, 12.5, 175.04, 175.0), abs=0.01)
    tall = framing((200, 640), CROP)
    assert tall.seen == pytest.approx((12.5, 232.87, 175.0, 175.04), abs=0.01)
    assert framing((640, 200), WHOLE).seen == (0, 0, 640, 200)
    assert framing((256, 256), CROP).seen == (16, 16, 224, 224)


def test_places_divide_what_is_seen() -> None:
    wide = framing((640, 200), CROP)
    x, y, width, height = wide.seen
    assert wide.places((14, 14), 0, 0, 14, 14) == pytest.approx(wide.seen)
    assert wide.places((14, 7), 13, 6, 14, 7) == pytest.approx(
        (x + 6 / 7 * width, y + 13 / 14 * height, width / 7, height / 14)
    )
    assert framing((640, 200), WHOLE).places((2, 4), 1, 1, 2, 3) == (160, 100, 320, 100)


@pytest.mark.parametrize("size", [(640, 200), (200, 640), (301, 224), (90, 61), (224, 224), (1000, 999)])
@pytest.mark.parametrize("preprocessing", [CROP, WHOLE, Preprocessing("crop", 32, 36)])
def test_what_is_painted_on_the_photo_appears_where_the_frame_says(
    size: tuple[int, int], preprocessing: Preprocessing
) -> None:
    """A bright block on a dark photo has its middle and its area, in the encoder's view, where arithmetic has them."""
    frame = framing(size, preprocessing)
    x, y, width, height = frame.seen
    assert x >= 0 and y >= 0 and x + width <= size[0] + 1e-9 and y + height <= size[1] + 1e-9
    left, top, wide, high = frame.places((4, 4), 1, 2, 2, 3)
    left, top, right, bottom = round(left), round(top), round(left + wide), round(top + high)  # whole pixels to paint
    canvas = np.zeros((size[1], size[0], 3), dtype=np.uint8)
    canvas[top:bottom, left:right] = 255
    seen = prepare(Image.fromarray(canvas), preprocessing)[0].numpy() / 255  # (side, side)
    side = preprocessing.size
    centres = np.arange(side) + 0.5
    middle = (seen.sum(0) @ centres / seen.sum(), seen.sum(1) @ centres / seen.sum())
    expected = ((left + right) / 2 - x) / width * side, ((top + bottom) / 2 - y) / height * side
    assert middle == pytest.approx(expected, abs=0.15)
    area = (right - left) / width * side * (bottom - top) / height * side
    assert seen.sum() == pytest.approx(area, rel=0.03)


@pytest.mark.parametrize("orientation", range(1, 9))
@pytest.mark.fault(
    "a region of a photo that EXIF turns", "told in pixels of the photo as viewers show it", "Captions and pictures"
)
def test_exif_turns_the_photo_before_it_is_framed(orientation: int, tmp_path) -> None:
    photo = drawn_photo(0, (60, 40))
    exif = Image.Exif()
    exif[0x0112] = orientation
    photo.save(tmp_path / "turned.png", exif=exif)
    read = read_photo(tmp_path / "turned.png", Preprocessing("crop", 32, 36))
    assert read.upright == ((60, 40) if orientation < 5 else (40, 60))
