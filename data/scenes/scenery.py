"""What several backgrounds share: skies, clouds, hills and waves, on a sheet 100 by 100 units."""

from __future__ import annotations

from random import Random

from attend.data.scenes.outlines import Point, box, circle, curve, oval
from attend.data.scenes.palette import Rgb, mix
from attend.data.scenes.pen import Pen

WHITE: Rgb = (255, 255, 255)
DAY: Rgb = (150, 208, 244)


def day(pen: Pen, chance: Random, weather: str, sky: Rgb) -> None:
    """A sky paler towards the horizon; the sun, clouds or neither."""
    fade(pen, 70, sky, (240, 248, 250))
    if weather == "sun":
        x, y = chance.choice([12, 88]), chance.uniform(11, 14)
        pen.fill(circle(x, y, 12), (255, 240, 180), opacity=0.45)
        pen.fill(circle(x, y, 8), (255, 222, 96), "ball")
    if weather == "clouds":
        for middle in (16, 50, 84):
            cloud(pen, middle + chance.uniform(-8, 8), chance.uniform(7, 26), chance.uniform(0.7, 1.1), WHITE)


def strewn(chance: Random, count: int, left: float, top: float, right: float, bottom: float) -> list[Point]:
    """`count` places anywhere in a rectangle."""
    return [(chance.uniform(left, right), chance.uniform(top, bottom)) for _ in range(count)]


def fade(pen: Pen, foot: float, upper: Rgb, lower: Rgb) -> None:
    """The whole width from the top down to `foot`, `upper` turning into `lower`."""
    bands = 24
    for band in range(bands):
        colour = mix(upper, lower, band / (bands - 1))
        pen.fill(box(-1, foot * band / bands - 1, 101, foot * (band + 1) / bands), colour)


def cloud(pen: Pen, x: float, y: float, size: float, colour: Rgb) -> None:
    for dx, dy, wide, high in ((-8, 1, 6, 4), (0, -1.5, 7.5, 6), (8, 1, 6, 4), (0, 3, 13, 3)):
        pen.fill(oval(x + dx * size, y + dy * size, wide * size, high * size), colour)


def hills(pen: Pen, chance: Random, level: float, colour: Rgb, rise: float) -> None:
    ridge = [(x, level + chance.uniform(-rise, rise / 3)) for x in range(-4, 112, 18)]
    pen.fill([*curve(ridge, closed=False), (112, 101), (-4, 101)], colour)


def waves(pen: Pen, chance: Random, top: float, bottom: float, count: int, colour: Rgb) -> None:
    for x, y in strewn(chance, count, 0, top, 96, bottom):
        wide = 1.5 + (y - top) / 12
        pen.ink(
            curve([(x, y), (x + wide, y - 0.7), (x + 2 * wide, y), (x + 3 * wide, y - 0.7)], closed=False, steps=3),
            colour,
            0.45,
            closed=False,
        )
