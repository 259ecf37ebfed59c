"""The pen: fills, shades and inks outlines on a sheet drawn several times too large and reduced at the end."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from math import ceil, hypot

from PIL import Image, ImageChops, ImageDraw

from attend.data.scenes.outlines import Point
from attend.data.scenes.palette import Rgb, darker, lighter

FINER = 3
"""A sheet has this many pixels for one of the picture, each way; averaging them smooths the edges."""

MARGIN = 4

_STEPS = 64  # side of a shading map before it is stretched over a shape


@cache
def _shading(name: str) -> Image.Image:
    """Where light falls, 255 bright to 0 dark: `slope` from the upper left, `down` from above, `ball` on a sphere."""
    ramp = [step / (_STEPS - 1) for step in range(_STEPS)]
    if name == "slope":
        values = [1 - 0.45 * x - 0.55 * y for y in ramp for x in ramp]
    elif name == "down":
        values = [1 - y for y in ramp for _ in ramp]
    else:
        values = [max(0.0, 1 - 1.25 * hypot(x - 0.34, y - 0.3)) for y in ramp for x in ramp]
    return Image.frombytes("L", (_STEPS, _STEPS), bytes(round(255 * value) for value in values))


class Pen:
    """Draws on a clear sheet `width` by `height` drawing units in size, `scale` picture pixels a unit.

    Outlines are `line` picture pixels thick; `margin` picture pixels round the drawing are left for what reaches over
    its box. Nothing is half clear on the sheet itself; only reducing it by `finer` makes it so.
    """

    def __init__(
        self, width: float, height: float, scale: float, line: float, margin: int = MARGIN, finer: int = FINER
    ) -> None:
        self.finer = finer
        self.factor = scale * finer  # sheet pixels a drawing unit
        self.line = line * finer
        self.offset = margin * finer
        across, down = (finer * (ceil(round(length * scale, 6)) + 2 * margin) for length in (width, height))
        self.sheet = Image.new("RGBA", (across, down))
        self.draw = ImageDraw.Draw(self.sheet)

    def shape(self, points: Sequence[Point], colour: Rgb, ink: Rgb, shading: str = "slope", width: float = 1.0) -> None:
        """Fill an outline and ink it, `width` times the usual line."""
        self.fill(points, colour, shading)
        self.ink(points, ink, width)

    def fill(
        self,
        points: Sequence[Point],
        colour: Rgb,
        shading: str = "",
        within: Sequence[Point] = (),
        opacity: float = 1.0,
    ) -> None:
        """Fill an outline: flat, or lighter and darker about `colour` as `shading` says; only the part `within`."""
        spots = self._spots(points)
        if not (shading or within or opacity < 1):
            self.draw.polygon(spots, fill=colour)
            return
        columns, rows = [x for x, _ in spots], [y for _, y in spots]
        left, top = max(0, int(min(columns))), max(0, int(min(rows)))
        right = min(self.sheet.width, ceil(max(columns)) + 1)
        bottom = min(self.sheet.height, ceil(max(rows)) + 1)
        if right <= left or bottom <= top:
            return
        mask = self._mask(spots, left, top, right, bottom, round(255 * opacity))
        if within:
            mask = ImageChops.multiply(mask, self._mask(self._spots(within), left, top, right, bottom, 255))
        if not shading:
            self.sheet.paste(colour, (left, top), mask)
            return
        self.sheet.paste(darker(colour, 0.2), (left, top), mask)
        light = ImageChops.multiply(mask, _shading(shading).resize(mask.size, Image.Resampling.BILINEAR))
        self.sheet.paste(lighter(colour, 0.22), (left, top), light)

    def ink(self, points: Sequence[Point], colour: Rgb, width: float = 1.0, closed: bool = True) -> None:
        """Draw along the points with round joints and ends, `width` times the usual line."""
        spots = self._spots(points)
        self._along(spots + spots[:2] if closed else spots, colour, self.line * width, ends=not closed)

    def bar(self, points: Sequence[Point], colour: Rgb, ink: Rgb, width: float) -> None:
        """A rod `width` drawing units thick along the points, inked on both sides."""
        spots = self._spots(points)
        self._along(spots, ink, width * self.factor + 2 * self.line, ends=True)
        self._along(spots, colour, width * self.factor, ends=True)

    def dot(self, x: float, y: float, radius: float, colour: Rgb) -> None:
        """A flat disc."""
        self._disc((self.offset + x * self.factor, self.offset + y * self.factor), radius * self.factor, colour)

    def picture(self) -> Image.Image:
        """The sheet at its final size, smooth-edged, its margin around it."""
        return self.sheet.reduce(self.finer)

    def _spots(self, points: Sequence[Point]) -> list[Point]:
        return [(self.offset + x * self.factor, self.offset + y * self.factor) for x, y in points]

    def _mask(self, spots: Sequence[Point], left: int, top: int, right: int, bottom: int, value: int) -> Image.Image:
        mask = Image.new("L", (right - left, bottom - top))
        ImageDraw.Draw(mask).polygon([(x - left, y - top) for x, y in spots], fill=value)
        return mask

    def _along(self, spots: Sequence[Point], colour: Rgb, width: float, ends: bool) -> None:
        thick = max(1, round(width))
        self.draw.line(spots, fill=colour, width=thick, joint="curve" if thick > 2 else None)
        if ends:
            for spot in (spots[0], spots[-1]):
                self._disc(spot, width / 2, colour)

    def _disc(self, spot: Point, radius: float, colour: Rgb) -> None:
        x, y = spot
        self.draw.ellipse((x - radius, y - radius, x + radius, y + radius), fill=colour)
