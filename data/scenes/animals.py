"""How animals are drawn: cat, dog, bird, fish. Each function fills the box named in kinds.py, from (0, 0)."""

from __future__ import annotations

from attend.data.scenes.outlines import box, curve, oval
from attend.data.scenes.palette import GOLD, INK, Paint, darker, lighter
from attend.data.scenes.pen import Pen

ROSE = (232, 128, 128)


def cat(pen: Pen, paint: Paint, pose: str) -> None:
    """A cat sitting and looking out of the picture, 56 by 66."""
    pen.bar(curve([(38, 58), (50, 58), (52, 46), (47, 37), (51, 30)], closed=False), paint.base, paint.ink, 5)
    pen.shape(curve([(25, 30), (38, 42), (43, 58), (38, 64), (12, 64), (7, 58), (12, 42)]), paint.base, paint.ink)
    pen.fill(oval(25, 50, 7, 11), lighter(paint.base, 0.5))
    for x in (18, 32):
        pen.shape(oval(x, 61, 6.5, 3.8), lighter(paint.base, 0.25), paint.ink, "down", 0.8)
    for side in (-1, 1):
        pen.shape([(25 + side * 18, 18), (25 + side * 18.5, 0.5), (25 + side * 4, 9)], paint.base, paint.ink)
        pen.fill([(25 + side * 15.5, 14), (25 + side * 16, 5), (25 + side * 8, 10)], ROSE)
    pen.shape(oval(25, 21, 20, 15.5), paint.base, paint.ink)
    if paint.name in ("orange", "brown"):
        for x in (20, 25, 30):
            pen.bar([(x, 8), (x, 12)], paint.dark, paint.dark, 0.8)
    _faces(pen, paint)


def _faces(pen: Pen, paint: Paint) -> None:
    """The cat's face: green eyes, muzzle, nose and whiskers."""
    pen.fill(oval(25, 28, 8.5, 5), lighter(paint.base, 0.55))
    for x in (17, 33):
        pen.shape(oval(x, 19.5, 4, 4.6), (196, 226, 120), paint.ink, "", 0.6)
        pen.fill(oval(x, 19.5, 1.6, 3.8), INK)
        pen.dot(x - 1, 17.6, 0.9, (255, 255, 255))
    pen.fill([(22.6, 24.2), (27.4, 24.2), (25, 27)], ROSE)
    pen.ink(
        curve([(20.5, 29), (22.8, 30.2), (25, 27.4), (27.2, 30.2), (29.5, 29)], closed=False), INK, 0.6, closed=False
    )
    whisker = (250, 250, 250) if paint.name == "black" else INK
    for side in (-1, 1):
        for rise in (-1.5, 2):
            pen.ink([(25 + side * 10, 27.5 + rise / 2), (25 + side * 21, 26 + rise * 2)], whisker, 0.4, closed=False)


def dog(pen: Pen, paint: Paint, pose: str) -> None:
    """A dog standing and looking to the right, 70 by 60."""
    far = darker(paint.base, 0.26)
    pen.bar(curve([(12, 28), (5, 22), (4, 13), (8, 8)], closed=False), paint.base, paint.ink, 4.4)
    for x in (20, 43):
        pen.shape(box(x, 36, x + 7, 57, 3), far, paint.ink, "", 0.9)
    body = [(10, 27), (16, 22), (34, 23), (46, 20), (53, 26), (52, 38), (44, 45), (30, 42), (16, 44), (9, 38)]
    pen.shape(curve(body), paint.base, paint.ink)
    pen.fill(
        curve([(18, 43), (30, 40.6), (43, 44), (48, 38), (30, 37), (14, 39)]),
        lighter(paint.base, 0.3),
        within=curve(body),
    )
    for x in (12, 44):
        pen.shape(box(x, 34, x + 8, 58.5, 3.4), paint.base, paint.ink, "down", 0.9)
        pen.fill(box(x + 0.8, 54, x + 8.6, 58, 1.8), lighter(paint.base, 0.45))
    pen.shape(
        curve([(44, 4), (54, 2), (60, 7), (62, 12), (69, 14), (69.4, 20), (63, 24), (52, 25.6), (44, 22), (41, 12)]),
        paint.base,
        paint.ink,
    )
    pen.fill(curve([(61, 14), (68, 15), (68.4, 19.6), (62, 23), (56, 20)]), lighter(paint.base, 0.5))
    pen.fill(oval(67.6, 14.6, 2.6, 2.1), INK)
    pen.ink(curve([(58, 21), (62, 21.6), (66, 20)], closed=False), INK, 0.7, closed=False)
    pen.dot(57, 10.6, 2.6, (255, 255, 255))
    pen.dot(57.5, 10.8, 1.9, INK)
    pen.dot(57, 10, 0.7, (255, 255, 255))
    pen.shape(curve([(46, 4), (41, 3), (37, 9), (36, 19), (41, 23), (46, 17), (49, 8)]), paint.dark, paint.ink)


def bird(pen: Pen, paint: Paint, pose: str) -> None:
    """A bird looking to the right, 60 by 50: on its legs, or flying with a wing spread."""
    flying = pose == "flying"
    if not flying:
        for x in (27, 35):
            pen.bar([(x, 38), (x + 1, 47), (x + 5, 48)], GOLD, paint.ink, 1.0)
    else:
        pen.shape(curve([(26, 22), (16, 12), (14, 1), (28, 6), (38, 18)]), paint.dark, paint.ink)
    pen.shape(curve([(16, 26), (1, 21), (3, 28), (1, 33), (16, 35)]), paint.dark, paint.ink)
    pen.shape([(53, 15), (60, 19.4), (52, 22)], (248, 172, 40), paint.ink, "", 0.8)
    body = curve(
        [(8, 28), (22, 22), (34, 18), (39, 9), (47, 8), (54, 13), (54, 22), (50, 33), (38, 41), (22, 40), (12, 34)]
    )
    pen.shape(body, paint.base, paint.ink)
    pen.fill(oval(43, 35, 13, 8, -38), lighter(paint.base, 0.5), within=body)
    if flying:
        wing = [(22, 27), (16, 38), (18, 49), (31, 45), (40, 29), (33, 24)]
    else:
        wing = [(15, 28), (24, 24), (35, 26), (36, 33), (27, 37), (12, 36)]
    pen.shape(curve(wing), paint.dark, paint.ink)
    for start, end in (
        (((22, 34), (24, 43)), ((29, 33), (31, 40))) if flying else (((18, 32), (30, 31)), ((17, 35), (27, 34.6)))
    ):
        pen.ink([start, end], paint.ink, 0.5, closed=False)
    pen.dot(46.5, 15.5, 2.7, (255, 255, 255))
    pen.dot(47, 15.7, 1.9, INK)
    pen.dot(46.5, 15, 0.7, (255, 255, 255))


def fish(pen: Pen, paint: Paint, pose: str) -> None:
    """A fish swimming to the right, 70 by 46."""
    pen.shape(curve([(18, 22), (2, 6), (8, 22), (2, 40), (18, 26)]), paint.dark, paint.ink)
    pen.shape(curve([(26, 10), (34, 1), (50, 4), (52, 11)]), paint.dark, paint.ink)
    pen.shape(curve([(32, 36), (30, 45), (42, 43), (46, 36)]), paint.dark, paint.ink)
    body = curve([(12, 23), (24, 11), (42, 7), (60, 13), (68, 22), (61, 33), (42, 39), (24, 35)])
    pen.fill(body, paint.base, "slope")
    for x in (25, 42):
        pen.fill(curve([(x, 5), (x + 4, 5), (x + 6, 23), (x + 4, 41), (x, 41), (x + 2, 23)]), paint.trim, within=body)
    pen.fill(oval(38, 33, 22, 5), lighter(paint.base, 0.5), within=body, opacity=0.5)
    pen.ink(body, paint.ink)
    pen.shape(curve([(34, 22), (27, 28), (31, 33), (40, 26)]), paint.dark, paint.ink, "slope", 0.8)
    pen.dot(57, 18.5, 3.9, (255, 255, 255))
    pen.dot(57.6, 18.7, 2.5, INK)
    pen.dot(57, 17.8, 0.9, (255, 255, 255))
    pen.ink(curve([(67, 25), (63.5, 27), (61, 26)], closed=False), INK, 0.7, closed=False)
