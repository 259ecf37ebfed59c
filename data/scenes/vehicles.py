"""How vehicles are drawn: car, boat, bicycle. Each function fills the box named in kinds.py, from (0, 0)."""

from __future__ import annotations

from math import cos, pi, sin

from attend.data.scenes.outlines import Point, box, circle, curve
from attend.data.scenes.palette import CREAM, GLASS, GOLD, INK, METAL, TYRE, WOOD, Paint, darker, lighter
from attend.data.scenes.pen import Pen


def car(pen: Pen, paint: Paint, pose: str) -> None:
    """A car driving to the right, 104 by 54."""
    cabin = curve([(22, 26), (30, 8), (42, 3), (62, 3), (72, 9), (82, 26)], steps=4)
    pen.shape(cabin, paint.base, paint.ink)
    pen.shape([(30, 23), (36, 10), (50, 8), (50, 23)], GLASS, paint.ink, "slope", 0.8)
    pen.shape([(55, 23), (55, 8), (65, 10), (74, 23)], GLASS, paint.ink, "slope", 0.8)
    for x in (36, 60):
        pen.fill([(x, 20), (x + 5, 10), (x + 8, 10), (x + 3, 20)], (255, 255, 255), opacity=0.6)
    body = [(2, 32), (8, 24), (26, 22), (80, 22), (96, 26), (102, 33), (101, 43), (88, 45), (14, 45), (2, 43)]
    pen.shape(curve(body, steps=4), paint.base, paint.ink)
    pen.fill(box(7, 38, 98, 41.5, 1.5), paint.dark)
    pen.ink([(52, 23), (52, 41)], paint.ink, 0.6, closed=False)
    pen.bar([(57, 29), (62, 29)], paint.ink, paint.ink, 0.8)
    pen.shape(curve([(95, 28), (101, 32), (95, 35)]), GOLD, paint.ink, "", 0.7)
    pen.shape(box(2, 29, 6, 35, 1.5), (214, 92, 80) if paint.name != "red" else CREAM, paint.ink, "", 0.7)
    for x in (25, 79):
        pen.shape(circle(x, 43, 10.2), TYRE, INK, "slope")
        pen.shape(circle(x, 43, 5), METAL, INK, "slope", 0.6)
        pen.dot(x, 43, 1.4, INK)


def boat(pen: Pen, paint: Paint, pose: str) -> None:
    """A sailing boat, bow to the right, 100 by 98: the hull has the colour, the sails are cream."""
    pen.bar([(47, 5), (47, 66)], WOOD, INK, 2.6)
    pen.shape(curve([(51, 8), (62, 20), (76, 38), (88, 58), (51, 58)], steps=1), CREAM, INK)
    pen.shape([(43, 15), (43, 58), (14, 58)], CREAM, INK)
    pen.fill([(51, 44), (79, 44), (87, 56.5), (51, 56.5)], paint.base, within=[(51, 8), (76, 38), (87, 57), (51, 57)])
    pen.fill([(43, 47), (22, 47), (15.4, 56.8), (42.4, 56.8)], paint.base, within=[(42.5, 15), (42.5, 57), (15, 57)])
    pen.shape(curve([(47, 2), (57, 1), (66, 5), (57, 8), (47, 9)], steps=2), paint.base, paint.ink, "", 0.8)
    hull = curve([(3, 64), (30, 68), (72, 68), (98, 62), (92, 80), (80, 95), (22, 95), (10, 84)], steps=4)
    pen.shape(hull, paint.base, paint.ink, "down")
    pen.fill(
        curve([(0, 72), (30, 75.5), (72, 75.5), (100, 70), (100, 74), (72, 79.5), (30, 79.5), (0, 76)], steps=3),
        paint.trim,
        within=hull,
    )
    pen.ink(hull, paint.ink)
    for x in (36, 52, 68):
        pen.shape(circle(x, 86, 3), GLASS, paint.ink, "", 0.7)


def bicycle(pen: Pen, paint: Paint, pose: str) -> None:
    """A bicycle facing right, 106 by 68."""
    rear, front = (23.0, 45.0), (83.0, 45.0)
    for x, y in (rear, front):
        pen.ink(circle(x, y, 20), TYRE, 2.6)
        pen.ink(circle(x, y, 17.6), METAL, 0.7)
        for spoke in range(8):
            angle = pi * spoke / 8
            reach: Point = (17 * cos(angle), 17 * sin(angle))
            pen.ink([(x - reach[0], y - reach[1]), (x + reach[0], y + reach[1])], METAL, 0.35, closed=False)
    saddle, crank, head = (41.0, 15.0), (50.0, 46.0), (75.0, 18.0)
    pen.bar([saddle, (43, 22)], METAL, INK, 2)
    for path in ([rear, (43, 22), crank, rear], [(43, 22), head], [crank, head], [(73, 11), head, front]):
        pen.bar(path, paint.base, paint.ink, 5.4)
    for start, end in (((44, 20.6), (72, 17.4)), ((49, 42), (72, 19.4))):
        pen.ink([start, end], lighter(paint.base, 0.45), 0.7, closed=False)
    pen.bar(curve([(73, 11), (72, 6), (80, 4), (86, 7), (84, 12)], closed=False), METAL, INK, 2)
    pen.bar([(80, 4), (86, 7)], TYRE, INK, 2.4)
    pen.shape(curve([(31, 12), (46, 11), (50, 14), (42, 17), (32, 17)]), darker(WOOD, 0.2), INK)
    pen.shape(circle(*crank, 5.4), METAL, INK, "slope", 0.8)
    pen.bar([crank, (55, 56)], METAL, INK, 1.6)
    pen.bar([(52, 57), (59, 57)], TYRE, INK, 1.8)
