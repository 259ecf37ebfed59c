"""The pen: areas, places and edges of what it draws, against geometry."""

from __future__ import annotations

import math

import numpy as np
import pytest

from attend.data.scenes.outlines import arc, box, circle, curve, oval
from attend.data.scenes.pen import MARGIN, Pen

RED, BLUE = (255, 0, 0), (0, 0, 255)


def _pixels(pen: Pen) -> np.ndarray:
    """The finished sheet without its margin, RGBA, (height, width, 4)."""
    return np.asarray(pen.picture())[MARGIN:-MARGIN, MARGIN:-MARGIN].astype(float)


@pytest.mark.parametrize(
    ("points", "area"),
    [
        (circle(30, 30, 20), math.pi * 400),
        (oval(30, 30, 24, 8, 30), math.pi * 24 * 8),
        (box(10, 5, 50, 45), 1600),
        (box(10, 5, 50, 45, 10), 1600 - (4 - math.pi) * 100),
        ([(10, 10), (50, 10), (10, 50)], 800),
    ],
)
@pytest.mark.parametrize("shading", ["", "slope", "down", "ball"])
def test_areas(points: list[tuple[float, float]], area: float, shading: str) -> None:
    pen = Pen(60, 60, 2, 1)
    pen.fill(points, RED, shading)
    assert _pixels(pen)[..., 3].sum() / 255 == pytest.approx(4 * area, rel=0.03)


def test_edges_are_smooth_and_colours_do_not_bleed() -> None:
    pen = Pen(60, 60, 2, 1)
    pen.fill(circle(30, 30, 20), RED)
    pixels = _pixels(pen)
    soft = (pixels[..., 3] > 20) & (pixels[..., 3] < 235)
    assert soft.sum() > 80
    assert np.abs(pixels[soft][:, :3] - RED).max() < 12


def test_within_clips() -> None:
    pen = Pen(60, 60, 2, 1)
    pen.fill(box(0, 0, 60, 60), RED, within=circle(30, 30, 10))
    assert _pixels(pen)[..., 3].sum() / 255 == pytest.approx(4 * math.pi * 100, rel=0.03)


def test_half_opacity_mixes_and_stays_opaque() -> None:
    pen = Pen(20, 20, 2, 1)
    pen.fill(box(0, 0, 20, 20), RED)
    pen.fill(box(0, 0, 20, 20), BLUE, opacity=0.5)
    assert _pixels(pen)[20, 20] == pytest.approx([128, 0, 128, 255], abs=2)


def test_light_falls_from_the_upper_left() -> None:
    pen = Pen(60, 60, 2, 1)
    pen.fill(box(5, 5, 55, 55), (120, 120, 120), "slope")
    pixels = _pixels(pen)[..., :3].sum(axis=-1)
    assert pixels[20, 20] > pixels[60, 60] > pixels[100, 100]


@pytest.mark.parametrize("width", [1.0, 3.0])
def test_lines_have_their_thickness(width: float) -> None:
    pen = Pen(60, 60, 2, 2)
    pen.ink([(10, 30), (50, 30)], RED, width, closed=False)
    column = _pixels(pen)[:, 60, 3].sum() / 255
    assert column == pytest.approx(2 * width, abs=0.4)


def test_line_width_does_not_depend_on_the_scale() -> None:
    thick = []
    for scale in (1, 4):
        pen = Pen(60, 60, scale, 2)
        pen.ink([(10, 30), (50, 30)], RED, closed=False)
        thick.append(_pixels(pen)[:, 30 * scale, 3].sum() / 255)
    assert thick[0] == pytest.approx(thick[1], abs=0.4)


def test_curve_goes_through_its_points() -> None:
    corners = [(0.0, 0.0), (10.0, 3.0), (12.0, 14.0), (2.0, 9.0)]
    for closed in (True, False):
        assert set(corners) <= set(curve(corners, closed))
    assert curve(corners, closed=False)[-1] == corners[-1]


def test_arc_ends_where_its_angles_say() -> None:
    points = arc(10, 10, 4, 2, 0, 90)
    assert points[0] == pytest.approx((14, 10))
    assert points[-1] == pytest.approx((10, 12))
