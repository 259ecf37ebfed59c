"""Which part of a photo the encoder sees, in pixels of the photo itself."""

from __future__ import annotations

from dataclasses import dataclass

from attend.extract.images import Preprocessing, crop_corner, resized_size

Box = tuple[float, float, float, float]
"""Left, top, width and height in pixels of the upright photo; pixel (column x, row y) covers x to x + 1, y to y + 1."""


@dataclass(frozen=True)
class Framing:
    """A photo of `width` × `height` pixels, upright as its EXIF asks, and the part `seen` of it."""

    width: int
    height: int
    seen: Box

    def places(self, grid: tuple[int, int], top: int, left: int, bottom: int, right: int) -> Box:
        """The box of rows `top` to `bottom` - 1 and columns `left` to `right` - 1 of a grid (rows, columns)."""
        rows, columns = grid
        x, y, width, height = self.seen
        return (
            x + width * left / columns,
            y + height * top / rows,
            width * (right - left) / columns,
            height * (bottom - top) / rows,
        )


def framing(size: tuple[int, int], preprocessing: Preprocessing) -> Framing:
    """How an upright photo of `size` (width, height) is framed: the inverse of `prepare`, whose scale differs by a hair
    between the two sides where the longer one was cut down to whole pixels."""
    width, height = size
    if preprocessing.fit == "whole":
        return Framing(width, height, (0.0, 0.0, float(width), float(height)))
    resized = resized_size(size, preprocessing.resize)
    left, top = crop_corner(resized, preprocessing.size)
    across, down = width / resized[0], height / resized[1]  # pixels of the photo a resized pixel
    seen = (left * across, top * down, preprocessing.size * across, preprocessing.size * down)
    return Framing(width, height, seen)
