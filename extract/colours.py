"""Any kind of Pillow image, once loaded, as upright 8-bit RGB."""

from __future__ import annotations

import numpy as np
from PIL import Image

WHITE = (255, 255, 255)
ORIENTATION = 0x0112
"""The EXIF tag that says which way the camera was held."""

TURNS = {
    2: Image.Transpose.FLIP_LEFT_RIGHT,
    3: Image.Transpose.ROTATE_180,
    4: Image.Transpose.FLIP_TOP_BOTTOM,
    5: Image.Transpose.TRANSPOSE,
    6: Image.Transpose.ROTATE_270,
    7: Image.Transpose.TRANSVERSE,
    8: Image.Transpose.ROTATE_90,
}


class UnstatedRangeError(ValueError):
    """Pixels whose numbers do not say what is white: what the photo has, in words that end with the cure."""


def upright(photo: Image.Image) -> Image.Image:
    """The photo turned as its EXIF orientation asks. EXIF data nobody can read counts as none, as in viewers."""
    try:
        turn = TURNS.get(photo.getexif().get(ORIENTATION, 1))
    except Exception:  # Pillow raises many kinds on broken EXIF, and the pixels are fine without it
        return photo
    return photo if turn is None else photo.transpose(turn)


def to_rgb(photo: Image.Image, background: tuple[int, int, int] = WHITE) -> Image.Image:
    """8-bit RGB. Transparent places are laid over `background`; of 16 bits the high byte is kept, as Pillow keeps it
    of 16-bit colour; colour profiles are ignored. Raises UnstatedRangeError."""
    if photo.mode == "F":
        raise UnstatedRangeError("has floating-point pixels, which have no stated range: convert it to 8 bits")
    if photo.mode.startswith("I"):
        return _from_16_bits(photo)
    if photo.mode in ("RGBA", "LA", "PA", "La", "RGBa") or "transparency" in photo.info:
        over = photo.convert("RGBA")
        return Image.alpha_composite(Image.new("RGBA", over.size, (*background, 255)), over).convert("RGB")
    return photo.convert("RGB")


def _from_16_bits(photo: Image.Image) -> Image.Image:
    """Modes I;16, I;16B, I;16L and I (older Pillow's 16-bit grey): grey levels 0..65535 as RGB."""
    levels = np.asarray(photo).astype(np.int64)  # (height, width)
    if levels.min() < 0 or levels.max() > 65535:
        raise UnstatedRangeError("has 32-bit pixels outside 0..65535, which have no stated range: convert it to 8 bits")
    return Image.fromarray((levels >> 8).astype(np.uint8)).convert("RGB")
