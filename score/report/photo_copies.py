"""A report's own copies of the photos: one to look at closely, one for the gallery."""

from __future__ import annotations

from pathlib import Path

from PIL import Image

from attend.score.pictures.shrink import shrunk

LARGE, SMALL = 1000, 360
"""Longest sides in pixels."""
QUALITY = 84


def write_copies(photo: Image.Image, folder: Path, name: str) -> None:
    """Write `photos/NAME.jpg` and `thumbnails/NAME.jpg` of an upright RGB photo; smaller photos keep their size.

    What a camera wrote beside the pixels, such as a place, is not copied.
    """
    for kind, side in (("photos", LARGE), ("thumbnails", SMALL)):
        shrunk(photo, side).save(folder / kind / f"{name}.jpg", quality=QUALITY)
