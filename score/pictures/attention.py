"""One picture of a caption: the photo as the encoder saw it, then, word by word, where the model looked (§5.4)."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

import numpy as np
from PIL import Image, ImageDraw, ImageFont

from attend.score.pictures.enlarge import light

MOST_COLUMNS = 6
PANEL = 224
GAP, MARGIN, STRIP, TITLE = 14, 20, 44, 62
PAPER, INK, FAINT, TRACK, ACCENT = "#ffffff", "#1d2430", "#7a8494", "#e6e9ee", "#d9822b"
DARKEST = 0.28
"""Brightness of what the model does not look at."""


def lit(photo: Image.Image, weights: np.ndarray, grid: tuple[int, int]) -> Image.Image:
    """The photo in full light and colour where the weights (L,) peak, darkened to grey where there are none."""
    pixels = np.asarray(photo.convert("RGB"), dtype=np.float32)  # (height, width, 3)
    lighting = light(weights, grid, pixels.shape[:2])[..., None]
    grey = pixels.mean(axis=2, keepdims=True)
    shown = (DARKEST + (1 - DARKEST) * lighting) * (lighting * pixels + (1 - lighting) * grey)
    return Image.fromarray(shown.round().astype(np.uint8))


def draw_attention(
    photo: Image.Image,
    words: tuple[str, ...],
    attention: np.ndarray,
    gates: np.ndarray,
    grid: tuple[int, int],
    title: str,
) -> Image.Image:
    """Panels for a caption of T words: attention (T, L), gates (T,). The gate is drawn beside its word, 0 to 1."""
    panel = photo.convert("RGB").resize((PANEL, PANEL), Image.Resampling.LANCZOS)
    count = 1 + len(words)
    rows = -(-count // MOST_COLUMNS)
    columns = -(-count // rows)
    width = 2 * MARGIN + columns * (PANEL + GAP) - GAP
    page = Image.new("RGB", (width, TITLE + rows * (PANEL + STRIP + GAP) + MARGIN - GAP), PAPER)
    draw = ImageDraw.Draw(page)
    draw.text((MARGIN, TITLE / 2 + 2), fitted(title, 19, width - 2 * MARGIN), INK, font(19, bold=True), anchor="lm")
    page.paste(panel, (MARGIN, TITLE))
    draw.text((MARGIN, TITLE + PANEL + STRIP / 2), "what the model saw", FAINT, font(14), anchor="lm")
    for number, (word, weights, gate) in enumerate(zip(words, attention, gates, strict=True), start=1):
        left, top = MARGIN + number % columns * (PANEL + GAP), TITLE + number // columns * (PANEL + STRIP + GAP)
        page.paste(lit(panel, weights, grid), (left, top))
        _strip(draw, left, top + PANEL, word, float(gate))
    return page


def _strip(draw: ImageDraw.ImageDraw, left: int, top: int, word: str, gate: float) -> None:
    """The word, and at its right the gate as a number over a bar."""
    bar, middle = 62, top + STRIP // 2
    draw.text((left, middle), fitted(word, 17, PANEL - bar - 12), INK, font(17, bold=True), anchor="lm")
    start, end = left + PANEL - bar, left + PANEL
    draw.text((end, middle - 3), f"gate {gate:.2f}", FAINT, font(12), anchor="rb")
    draw.rounded_rectangle((start, middle + 3, end - 1, middle + 7), radius=2, fill=TRACK)
    if (filled := round(bar * gate)) > 0:
        draw.rounded_rectangle((start, middle + 3, start + max(filled, 4) - 1, middle + 7), radius=2, fill=ACCENT)


@lru_cache(maxsize=8)
def font(size: int, bold: bool = False) -> ImageFont.FreeTypeFont:
    """DejaVu Sans, which comes with matplotlib: no font has to be installed."""
    import matplotlib

    name = "DejaVuSans-Bold.ttf" if bold else "DejaVuSans.ttf"
    return ImageFont.truetype(str(Path(matplotlib.get_data_path()) / "fonts" / "ttf" / name), size)


def fitted(text: str, size: int, width: float) -> str:
    """The text, cut with an ellipsis where it would be wider than `width` pixels in bold."""
    if font(size, bold=True).getlength(text) <= width:
        return text
    while text and font(size, bold=True).getlength(text + "…") > width:
        text = text[:-1]
    return text.rstrip() + "…"
