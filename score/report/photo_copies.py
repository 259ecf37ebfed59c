"""A report's own copies of the photos: one to look at closely, one for the gallery."""

from __future__ import annotations

from pathlib import Path

from PIL import Image

LARGE, SMALL = 1000, 360
"""Longest sides in pixels."""
QUALITY = 84


def write_copies(photo: Image.Image, folder: Path, name: str) -> None:
    """Write `photos/NAME.jpg` and `thumbnails/NAME.jpg` of an upright RGB photo; smaller photos keep their size.

    What a camera wrote beside the pixels, such as a place, is not copied.
    """
    for kind, side in (("photos", LARGE), ("thumbnails", SMALL)):
        scale = min(1.0, side / max(photo.size))
        size = (max(1, round(photo.width * scale)), max(1, round(photo.height * scale)))
        copy = photo if size == photo.size else photo.resize(size, Image.Resampling.LANCZOS, reducing_gap=3.0)
        copy.save(folder / kind / f"{name}.jpg", quality=QUALITY)
