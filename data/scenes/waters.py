"""Backgrounds at, on and under water, on a sheet 100 by 100 units. None shows a thing of kinds.py: those are placed."""

from __future__ import annotations

from math import sin
from random import Random

from attend.data.scenes.outlines import box, circle, curve, oval
from attend.data.scenes.palette import Rgb, darker
from attend.data.scenes.pen import Pen
from attend.data.scenes.scenery import DAY, WHITE, cloud, day, fade, hills, strewn, waves

SAND: Rgb = (242, 222, 172)


def beach(pen: Pen, chance: Random, weather: str) -> None:
    """Sand in front, then the sea, then a day sky."""
    day(pen, chance, weather, (158, 214, 246))
    pen.fill(box(-1, 43, 101, 66), (74, 164, 206), "down")
    waves(pen, chance, 46, 58, 14, (190, 228, 240))
    shore = [(-2, 62), (25, 59 + chance.random() * 3), (55, 63), (80, 60), (102, 62)]
    pen.fill(curve([*shore, (102, 101), (-2, 101)], steps=5), WHITE)
    pen.fill(curve([*((x, y + 2) for x, y in shore), (102, 101), (-2, 101)], steps=5), SAND, "down")
    for x, y in strewn(chance, 50, 1, 67, 99, 99):
        pen.dot(x, y, 0.4, darker(SAND, 0.2))


def lake(pen: Pen, chance: Random, weather: str) -> None:
    """Open water with hills on the far shore, under a day sky."""
    day(pen, chance, weather, DAY)
    hills(pen, chance, 44, (138, 178, 170), 9)
    hills(pen, chance, 49, (120, 180, 120), 4)
    pen.fill(box(-1, 53, 101, 101), (92, 164, 214), "down")
    waves(pen, chance, 56, 98, 26, (188, 224, 244))


def sunset(pen: Pen, chance: Random, weather: str) -> None:
    """The sea in the evening, the sun half under the horizon."""
    fade(pen, 60, (238, 150, 138), (255, 216, 150))
    x = chance.uniform(22, 78)
    pen.fill(circle(x, 55, 17), (255, 228, 160), opacity=0.6)
    pen.fill(circle(x, 55, 11), (255, 240, 190))
    for _ in range(3):
        y = chance.uniform(6, 34)
        cloud(pen, chance.uniform(5, 95), y, chance.uniform(0.5, 0.8), (250, 196, 176))
    pen.fill(box(-1, 56, 101, 101), (138, 128, 178), "down")
    for step in range(9):
        wide = 9 - step * 0.7 + 2 * sin(step * 2.3)
        pen.fill(oval(x, 58 + step * 4, wide, 0.8), (250, 206, 160))
    waves(pen, chance, 59, 98, 20, (180, 166, 200))


def sea(pen: Pen, chance: Random, weather: str) -> None:
    """Under water: light from above, bubbles, weed on the sandy bottom."""
    fade(pen, 100, (136, 212, 222), (42, 118, 168))
    for _ in range(3):
        x = chance.uniform(5, 80)
        pen.fill([(x, -1), (x + 9, -1), (x + 2, 84), (x - 16, 84)], WHITE, opacity=0.12)
    pen.fill(curve([(-2, 92), (28, 89), (62, 93), (102, 89), (102, 101), (-2, 101)], steps=5), (222, 206, 160), "down")
    for x in (chance.uniform(2, 14), chance.uniform(16, 30), chance.uniform(72, 84), chance.uniform(86, 98)):
        high = chance.uniform(12, 26)
        stalk = [(x, 94), (x + 2.4, 94 - high / 3), (x - 2, 94 - high * 2 / 3), (x + 1.6, 94 - high)]
        pen.bar(curve(stalk, closed=False), (72, 150, 112), (46, 108, 96), 1.8)
    for x, y in strewn(chance, 16, 2, 3, 98, 86):
        pen.ink(circle(x, y, chance.uniform(0.6, 1.5)), (206, 238, 242), 0.35)
