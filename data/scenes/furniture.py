"""How furniture is drawn: table, chair, lamp. Each function fills the box named in kinds.py, from (0, 0)."""

from __future__ import annotations

from attend.data.scenes.outlines import box, curve, oval
from attend.data.scenes.palette import Paint, darker, lighter
from attend.data.scenes.pen import Pen


def table(pen: Pen, paint: Paint, pose: str) -> None:
    """A table seen a little from above, 108 by 64."""
    back = darker(paint.base, 0.32)
    for x in (18, 84):
        pen.shape(box(x, 16, x + 5.5, 52), back, paint.ink, "")
    for x in (7, 94):
        pen.shape(box(x, 18, x + 7, 62, 1), paint.base, paint.ink)
    pen.shape(box(8, 17, 100, 27), paint.dark, paint.ink, "down")
    pen.shape([(14, 3), (94, 3), (106, 15), (2, 15)], lighter(paint.base, 0.15), paint.ink, "slope")
    pen.shape(box(2, 15, 106, 20, 1), paint.base, paint.ink, "")
    for start, end in (((30, 7), (64, 7)), ((50, 11), (88, 11))):
        pen.ink([start, end], paint.dark, 0.6, closed=False)


def chair(pen: Pen, paint: Paint, pose: str) -> None:
    """A chair seen from the side and a little from above, its back to the left, 64 by 92."""
    back = darker(paint.base, 0.3)
    for x in (22, 54):
        pen.shape(box(x, 52, x + 5, 82), back, paint.ink, "")
    for x in (6, 42):
        pen.shape(box(x, 52, x + 6, 90, 1), paint.base, paint.ink)
    for y in (7, 19, 31):
        pen.shape([(5, y + 2), (22, y - 2), (22.6, y + 6), (5.6, y + 10)], paint.base, paint.ink)
    pen.bar([(21.5, 4), (23.4, 46)], back, paint.ink, 4)
    pen.bar([(5, 8), (8, 53)], paint.base, paint.ink, 4.4)
    pen.shape([(7, 53), (23, 45), (62, 45), (50, 53)], lighter(paint.base, 0.15), paint.ink, "slope")
    pen.shape([(5, 53), (50, 53), (50, 60), (5, 60)], paint.base, paint.ink, "down")
    pen.shape([(50, 53), (62, 45), (62, 52), (50, 60)], back, paint.ink, "")


def lamp(pen: Pen, paint: Paint, pose: str) -> None:
    """A lamp with a shade, 54 by 84: shade and foot have the colour."""
    pen.shape(oval(27, 77, 16, 5), paint.base, paint.ink, "slope")
    pen.shape(
        curve([(24, 42), (24, 54), (19, 66), (23, 77), (31, 77), (35, 66), (30, 54), (30, 42)]), paint.base, paint.ink
    )
    pen.shape(oval(27, 46, 6, 5), (255, 240, 170), paint.ink, "")
    shade = [(15, 3), (39, 3), (52, 44), (2, 44)]
    pen.shape(shade, paint.base, paint.ink)
    for top, foot in ((21, 15), (27, 27), (33, 39)):
        pen.ink([(top, 4), (foot, 43)], paint.dark, 0.7, closed=False)
    pen.fill([(2, 44), (3, 41), (51, 41), (52, 44)], paint.trim, within=shade)
    pen.fill([(15, 3), (14, 5.6), (40, 5.6), (39, 3)], paint.trim, within=shade)
    pen.ink(shade, paint.ink)
