"""Photos made small enough to be shown."""

from __future__ import annotations

from PIL import Image


def shrunk(photo: Image.Image, longest: int) -> Image.Image:
    """The photo with its longer side `longest` pixels; a smaller one as it is."""
    scale = min(1.0, longest / max(photo.size))
    size = (max(1, round(photo.width * scale)), max(1, round(photo.height * scale)))
    return photo if size == photo.size else photo.resize(size, Image.Resampling.LANCZOS, reducing_gap=3.0)
