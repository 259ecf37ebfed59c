"""Backgrounds on land out of doors, on a sheet 100 by 100 units. None shows a thing of kinds.py: those are placed."""

from __future__ import annotations

from random import Random

from attend.data.scenes.outlines import arc, box, circle, curve
from attend.data.scenes.palette import Rgb, darker
from attend.data.scenes.pen import Pen
from attend.data.scenes.scenery import DAY, WHITE, day, fade, hills, strewn

GRASS: Rgb = (150, 202, 104)
SNOW: Rgb = (238, 244, 252)


def meadow(pen: Pen, chance: Random, weather: str) -> None:
    """Grass with hills behind it, under a day sky."""
    day(pen, chance, weather, DAY)
    hills(pen, chance, 46, (150, 196, 168), 8)
    hills(pen, chance, 54, (134, 192, 110), 6)
    pen.fill(
        curve([(-2, 60), (30, 57 + chance.random() * 4), (70, 60), (102, 57), (102, 101), (-2, 101)], steps=5),
        GRASS,
        "down",
    )
    for x, y in strewn(chance, 26, 2, 66, 98, 98):
        for lean in (-0.9, 0, 0.9):
            pen.ink([(x, y), (x + lean, y - 2.2)], (112, 168, 78), 0.35, closed=False)


def street(pen: Pen, chance: Random, weather: str) -> None:
    """A road with a pavement and a hedge behind it, under a day sky."""
    day(pen, chance, weather, (176, 214, 238))
    hedge: Rgb = (122, 176, 122)
    pen.fill(box(-1, 51, 101, 66), hedge, "down")
    for middle in range(0, 104, 8):
        pen.fill(circle(middle, 52, 5.6), hedge)
    for x, y in strewn(chance, 26, 0, 49, 100, 58):
        pen.ink(arc(x, y, 2, 1.6, 20, 150), darker(hedge, 0.25), 0.5, closed=False)
    pen.fill(box(-1, 62, 101, 75), (214, 208, 200), "down")
    for x in range(chance.randrange(12), 104, 12):
        pen.ink([(x + 2, 62), (x - 2, 73)], (188, 182, 176), 0.5, closed=False)
    pen.fill(box(-1, 73, 101, 76), (176, 170, 168))
    pen.fill(box(-1, 76, 101, 101), (122, 122, 132), "down")
    for x in range(chance.randrange(-10, 4), 104, 22):
        pen.fill([(x + 1, 95), (x + 13, 95), (x + 12, 97.4), (x, 97.4)], (240, 236, 214))


def night(pen: Pen, chance: Random, weather: str) -> None:
    """Dark hills under stars, sometimes with the moon."""
    fade(pen, 65, (36, 42, 98), (94, 108, 176))
    for x, y in strewn(chance, 34, 1, 1, 99, 50):
        pen.dot(x, y, chance.choice([0.35, 0.45, 0.8]), (252, 244, 200))
    if weather == "moon":
        x, y = chance.choice([14, 86]), chance.uniform(12, 16)
        pen.fill(circle(x, y, 11), (110, 120, 170), opacity=0.5)
        pen.fill(circle(x, y, 8), (252, 242, 196), "ball")
        for dx, dy, radius in ((-2, -2, 1.6), (3, 1, 1.2), (-1, 4, 1)):
            pen.dot(x + dx, y + dy, radius, (232, 218, 168))
    hills(pen, chance, 54, (56, 76, 122), 8)
    pen.fill(
        curve([(-2, 62), (35, 58 + chance.random() * 4), (75, 61), (102, 58), (102, 101), (-2, 101)], steps=5),
        (78, 112, 112),
        "down",
    )
    for x, y in strewn(chance, 20, 2, 68, 98, 98):
        pen.ink([(x, y), (x + 0.8, y - 2)], (58, 88, 94), 0.4, closed=False)


def snow(pen: Pen, chance: Random, weather: str) -> None:
    """Snow on the ground and hills, flakes falling."""
    fade(pen, 70, (156, 184, 216), (214, 228, 242))
    hills(pen, chance, 50, (206, 222, 240), 12)
    hills(pen, chance, 57, (222, 234, 248), 7)
    pen.fill(
        curve([(-2, 64), (30, 60 + chance.random() * 4), (70, 64), (102, 60), (102, 101), (-2, 101)], steps=5),
        SNOW,
        "down",
    )
    for x, y in strewn(chance, 46, 1, 1, 99, 99):
        pen.dot(x, y, chance.choice([0.5, 0.7, 1.0]), WHITE)
