"""How things out of doors are drawn: house, tree, flower, kite. Each fills the box named in kinds.py, from (0, 0)."""

from __future__ import annotations

from math import cos, radians, sin

from attend.data.scenes.outlines import arc, box, circle, curve, oval
from attend.data.scenes.palette import CREAM, GLASS, GOLD, LEAF, SLATE, WOOD, Paint, darker, lighter, mix
from attend.data.scenes.pen import Pen


def house(pen: Pen, paint: Paint, pose: str) -> None:
    """A house with a gable, 104 by 102: the walls have the colour, the roof is slate."""
    brick = mix(SLATE, WOOD, 0.5)
    pen.shape(box(70, 10, 81, 40), brick, paint.ink)
    pen.shape(box(68, 6, 83, 12, 1), darker(brick, 0.1), paint.ink, "")
    pen.shape([(14, 50), (52, 14), (90, 50), (90, 99), (14, 99)], paint.base, paint.ink)
    pen.fill([(14, 50), (52, 16), (90, 50), (90, 58), (52, 25), (14, 58)], paint.dark)
    pen.fill(box(14, 93, 90, 98.4), paint.dark)
    pen.shape([(2, 52), (52, 3), (102, 52), (96, 58), (52, 15), (8, 58)], SLATE, paint.ink, "down")
    pen.shape(circle(52, 38, 6.5), GLASS, paint.ink)
    pen.shape([*arc(52, 72, 9, 9, 180, 360), (61, 99), (43, 99)], WOOD, paint.ink)
    pen.dot(57.5, 84, 1.5, GOLD)
    for x in (21, 68):
        pen.shape(box(x, 63, x + 15, 81), GLASS, paint.ink)
        pen.ink([(x + 7.5, 63), (x + 7.5, 81)], CREAM, 1, closed=False)
        pen.ink([(x, 72), (x + 15, 72)], CREAM, 1, closed=False)
        pen.ink(box(x, 63, x + 15, 81), paint.ink)
        pen.shape(box(x - 1.5, 81, x + 16.5, 84, 1), CREAM, paint.ink, "", 0.8)


def tree(pen: Pen, paint: Paint, pose: str) -> None:
    """A leafy tree, 84 by 114: the crown has the colour."""
    trunk = [(36, 62), (37, 92), (29, 111), (39, 109), (44, 112), (48, 108), (57, 111), (49, 92), (49, 62)]
    pen.shape(trunk, WOOD, darker(WOOD, 0.6))
    pen.bar([(46, 82), (57, 70)], WOOD, darker(WOOD, 0.6), 4)
    pen.fill([(39, 62), (47, 62), (47, 90), (39, 90)], WOOD)
    pen.ink([(41, 84), (42, 98)], darker(WOOD, 0.4), 0.8, closed=False)
    crown = [(22, 74), (8, 66), (4, 52), (9, 42), (8, 28), (20, 18), (30, 6), (46, 3), (60, 9)]
    crown += [(70, 20), (78, 32), (76, 44), (81, 56), (73, 68), (60, 72), (50, 78), (36, 76)]
    pen.shape(curve(crown, steps=4), paint.base, paint.ink)
    leaves = curve(crown, steps=4)
    for x, y, radius in ((26, 30, 15), (46, 18, 12), (20, 54, 10), (48, 44, 13)):
        pen.fill(circle(x, y, radius), lighter(paint.base, 0.25), within=leaves, opacity=0.3)
    for x, y, radius in ((30, 34, 11), (58, 30, 11), (22, 60, 9), (46, 58, 12), (66, 58, 8)):
        pen.ink(arc(x, y, radius, radius * 0.8, 20, 130), paint.dark, 1.1, closed=False)


def flower(pen: Pen, paint: Paint, pose: str) -> None:
    """A flower on its stalk, 48 by 80: the petals have the colour."""
    edge = darker(LEAF, 0.6)
    pen.bar(curve([(24, 30), (23, 48), (26, 62), (25, 77)], closed=False), LEAF, edge, 3)
    pen.shape(curve([(25, 68), (32, 52), (45, 48), (42, 62), (32, 69)]), LEAF, edge)
    pen.shape(curve([(25, 74), (17, 60), (4, 56), (7, 69), (17, 76)]), LEAF, edge)
    pen.ink([(27, 66), (40, 52)], edge, 0.5, closed=False)
    pen.ink([(22, 72), (9, 60)], edge, 0.5, closed=False)
    for petal in range(8):
        turn = petal * 45 + 22
        x, y = 24 + 14 * cos(radians(turn)), 24 + 14 * sin(radians(turn))
        pen.shape(oval(x, y, 9.6, 6.6, turn), paint.base, paint.ink, "slope", 0.8)
    heart = WOOD if paint.name in ("yellow", "orange") else GOLD
    pen.shape(circle(24, 24, 7.4), heart, paint.ink, "ball")


def kite(pen: Pen, paint: Paint, pose: str) -> None:
    """A kite with a tail, 58 by 96."""
    tail = curve([(27, 58), (33, 68), (24, 76), (32, 85), (26, 94)], closed=False)
    pen.ink(tail, paint.ink, 0.8, closed=False)
    for x, y in ((31.5, 66), (26, 75), (31, 84)):
        for side in (-1, 1):
            pen.shape([(x, y), (x + side * 7, y - 3.6), (x + side * 7, y + 3.6)], paint.base, paint.ink, "", 0.7)
    top, right, foot, left, middle = (30, 2), (56, 27), (27, 61), (3, 24), (29.3, 25.6)
    pen.fill([top, right, foot, left], paint.base, "slope")
    pen.fill([top, right, middle], lighter(paint.base, 0.42))
    pen.fill([middle, foot, left], paint.dark)
    pen.ink([top, foot], paint.ink, 0.9, closed=False)
    pen.ink([left, right], paint.ink, 0.9, closed=False)
    pen.ink([top, right, foot, left], paint.ink)
