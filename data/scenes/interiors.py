"""Backgrounds indoors, on a sheet 100 by 100 units. None shows a thing of kinds.py: those are placed."""

from __future__ import annotations

from random import Random

from attend.data.scenes.outlines import box, curve
from attend.data.scenes.palette import Rgb, darker, lighter, mix
from attend.data.scenes.pen import Pen
from attend.data.scenes.scenery import strewn

BOARD: Rgb = (206, 160, 112)


def room(pen: Pen, chance: Random, weather: str) -> None:
    """A papered wall, sometimes a framed picture of hills on it, and a wooden floor."""
    wall = chance.choice([(248, 232, 204), (220, 234, 222), (226, 226, 242), (246, 222, 220)])
    pen.fill(box(-1, -1, 101, 70), wall, "slope")
    for x in range(chance.randrange(10), 104, 10):
        pen.ink([(x, 0), (x, 64)], darker(wall, 0.07), 0.8, closed=False)
    if chance.random() < 0.6:
        x = chance.choice([12, 66])
        pen.shape(box(x, 8, x + 22, 25), (178, 132, 84), (110, 78, 54), "slope", 0.6)
        pen.fill(box(x + 2.4, 10.4, x + 19.6, 22.6), (196, 224, 236))
        pen.fill(
            curve([(x + 2, 20), (x + 7, 15), (x + 12, 19), (x + 17, 14), (x + 20, 22.8), (x + 2, 22.8)], steps=3),
            (140, 180, 140),
            within=box(x + 2.4, 10.4, x + 19.6, 22.6),
        )
    pen.fill(box(-1, 64, 101, 68), lighter(wall, 0.6))
    pen.ink([(-1, 64), (101, 64)], darker(wall, 0.3), 0.4, closed=False)
    _floor(pen, chance, 68, (224, 186, 138))


def wall(pen: Pen, chance: Random, weather: str) -> None:
    """A plain plastered wall and a strip of stone floor."""
    colour = chance.choice([(248, 228, 190), (208, 230, 238), (224, 234, 200), (244, 220, 216)])
    pen.fill(box(-1, -1, 101, 82), colour, "slope")
    for x, y in strewn(chance, 9, 0, 4, 92, 66):
        pen.ink([(x, y), (x + chance.uniform(3, 7), y)], darker(colour, 0.08), 0.6, closed=False)
    pen.fill(box(-1, 76, 101, 101), mix(colour, (150, 146, 150), 0.55), "down")
    pen.fill(box(-1, 75, 101, 77.4), lighter(colour, 0.55))
    pen.ink([(-1, 77.6), (101, 77.6)], darker(colour, 0.4), 0.4, closed=False)


def shelf(pen: Pen, chance: Random, weather: str) -> None:
    """A tiled wall with a wooden shelf along it, on two brackets."""
    colour = chance.choice([(206, 226, 226), (234, 226, 208), (214, 220, 238)])
    pen.fill(box(-1, -1, 101, 101), colour, "slope")
    for step in range(0, 104, 13):
        pen.ink([(step, -1), (step, 101)], lighter(colour, 0.5), 0.6, closed=False)
        pen.ink([(-1, step), (101, step)], lighter(colour, 0.5), 0.6, closed=False)
    pen.fill(box(-1, 90, 101, 96), darker(colour, 0.25))
    for x in (14, 80):
        pen.shape([(x, 90), (x + 6, 90), (x + 6, 101), (x + 3, 101)], darker(BOARD, 0.35), darker(BOARD, 0.6), "", 0.5)
    pen.shape([(-3, 76), (103, 76), (103, 84), (-3, 84)], lighter(BOARD, 0.2), darker(BOARD, 0.6), "down", 0.5)
    pen.shape(box(-3, 84, 103, 91), BOARD, darker(BOARD, 0.6), "down", 0.5)
    for y in (79, 81.5, 86.6, 88.6):
        start = chance.uniform(0, 80)
        pen.ink([(start, y), (start + chance.uniform(8, 22), y)], darker(BOARD, 0.2), 0.35, closed=False)


def _floor(pen: Pen, chance: Random, top: float, colour: Rgb) -> None:
    """Floorboards running away from the viewer."""
    pen.fill(box(-1, top, 101, 101), colour, "down")
    for x in range(-60, 170, 14):
        pen.ink([(50 + (x - 50) * 0.6, top), (x, 101)], darker(colour, 0.22), 0.4, closed=False)
    pen.ink([(-1, top), (101, top)], darker(colour, 0.4), 0.5, closed=False)
