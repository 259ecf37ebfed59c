"""How small belongings are drawn: cup, ball, umbrella. Each function fills the box named in kinds.py, from (0, 0)."""

from __future__ import annotations

from attend.data.scenes.outlines import arc, circle, curve, oval
from attend.data.scenes.palette import METAL, WOOD, Paint, darker, lighter
from attend.data.scenes.pen import Pen


def cup(pen: Pen, paint: Paint, pose: str) -> None:
    """A cup with its handle to the right, 52 by 44."""
    pen.bar(arc(37, 23, 11, 9, -80, 80), paint.base, paint.ink, 4)
    belly = [(40, 8), (39, 28), (34, 39), (27, 43), (15, 43), (8, 39), (3, 28), (2, 8)]
    body = [(2, 8), *curve(belly, closed=False)]
    pen.shape(body, paint.base, paint.ink)
    pen.fill([(0, 18), (42, 18), (42, 25), (0, 25)], paint.trim, within=body)
    pen.fill(curve([(6, 12), (9, 12), (10, 28), (13, 38), (9, 34)]), (255, 255, 255), within=body, opacity=0.55)
    pen.ink(body, paint.ink)
    pen.shape(oval(21, 8, 19, 5.4), lighter(paint.base, 0.35), paint.ink)
    pen.fill(oval(21, 9.4, 15.6, 3.4), darker(WOOD, 0.35))


def ball(pen: Pen, paint: Paint, pose: str) -> None:
    """A ball with two bands, 46 by 46."""
    rim = circle(23, 23, 21)
    pen.fill(rim, paint.base, "ball")
    for x in (0, 33):
        lean = 5 if x < 20 else -5
        band = [(x, -2), (x + 7, -2), (x + 7 + lean, 23), (x + 7, 48), (x, 48), (x + lean, 23)]
        pen.fill(curve(band), paint.trim, within=rim, opacity=0.85)
    pen.fill(
        curve([(8, 36), (23, 42), (38, 34), (44, 23), (44, 44), (4, 46)]),
        darker(paint.base, 0.6),
        within=rim,
        opacity=0.25,
    )
    pen.fill(oval(15.5, 13, 5, 3.2, -38), (255, 255, 255), opacity=0.75)
    pen.ink(rim, paint.ink)


def umbrella(pen: Pen, paint: Paint, pose: str) -> None:
    """An open umbrella standing on its pole, 100 by 98."""
    pen.bar([(50, 4), (50, 95)], WOOD, darker(WOOD, 0.6), 3)
    pen.bar(curve([(50, 84), (50, 93), (56, 96), (61, 91)], closed=False), WOOD, darker(WOOD, 0.6), 3)
    scallops = [point for left in (2, 26, 50, 74) for point in arc(left + 12, 48, 12, 7, 180, 360)]
    canopy = [*scallops, *arc(50, 50, 48, 44, 0, -180)]
    pen.fill(canopy, paint.base, "slope")
    for inner, outer in ((0, 24), (-24, 0)):
        rib = [(50, 6), *curve([(50, 6), (50 + inner * 0.8, 22), (50 + inner, 48)], closed=False)]
        panel = [*rib, *reversed(curve([(50, 6), (50 + outer * 0.8, 22), (50 + outer, 48)], closed=False))]
        pen.fill(panel, paint.dark if inner < 0 else lighter(paint.base, 0.25), within=canopy)
    for reach in (-24, 0, 24):
        pen.ink(curve([(50, 6), (50 + reach * 0.8, 22), (50 + reach, 48)], closed=False), paint.ink, 0.8, closed=False)
    pen.ink(canopy, paint.ink)
    pen.shape(circle(50, 4, 2.4), METAL, paint.ink, "", 0.8)
