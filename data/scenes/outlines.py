"""Outlines as lists of points: every shape in a picture is one, so that one pen can fill, shade and ink them all."""

from __future__ import annotations

import math
from collections.abc import Sequence

Point = tuple[float, float]


def oval(x: float, y: float, wide: float, high: float, turn: float = 0.0) -> list[Point]:
    """An ellipse round (x, y) with half-axes `wide` and `high`, turned clockwise by `turn` degrees."""
    cos, sin = math.cos(math.radians(turn)), math.sin(math.radians(turn))
    steps = (math.tau * step / 40 for step in range(40))
    rim = [(wide * math.cos(angle), high * math.sin(angle)) for angle in steps]
    return [(x + a * cos - b * sin, y + a * sin + b * cos) for a, b in rim]


def circle(x: float, y: float, radius: float) -> list[Point]:
    """A circle round (x, y)."""
    return oval(x, y, radius, radius)


def box(left: float, top: float, right: float, bottom: float, radius: float = 0.0) -> list[Point]:
    """An upright rectangle, its corners rounded by `radius`."""
    if radius <= 0:
        return [(left, top), (right, top), (right, bottom), (left, bottom)]
    corners = [(right - radius, top + radius), (right - radius, bottom - radius)]
    corners += [(left + radius, bottom - radius), (left + radius, top + radius)]
    points = []
    for corner, (x, y) in enumerate(corners):
        for step in range(6):
            angle = math.pi / 2 * (corner - 1 + step / 5)
            points.append((x + radius * math.cos(angle), y + radius * math.sin(angle)))
    return points


def curve(points: Sequence[Point], closed: bool = True, steps: int = 6) -> list[Point]:
    """A smooth line through all `points` (Catmull-Rom), `steps` pieces between two of them."""
    count = len(points)
    smooth: list[Point] = []
    for index in range(count if closed else count - 1):
        if closed:
            before, start, end, after = (points[(index + shift) % count] for shift in (-1, 0, 1, 2))
        else:
            before, start, end, after = (points[min(max(index + shift, 0), count - 1)] for shift in (-1, 0, 1, 2))
        for step in range(steps):
            t = step / steps
            smooth.append(
                (_between(before[0], start[0], end[0], after[0], t), _between(before[1], start[1], end[1], after[1], t))
            )
    return smooth if closed else [*smooth, points[-1]]


def arc(x: float, y: float, wide: float, high: float, first: float, last: float) -> list[Point]:
    """The open piece of an ellipse from `first` to `last` degrees, clockwise from three o'clock."""
    angles = (math.radians(first + (last - first) * step / 20) for step in range(21))
    return [(x + wide * math.cos(angle), y + high * math.sin(angle)) for angle in angles]


def _between(before: float, start: float, end: float, after: float, t: float) -> float:
    """One coordinate of a Catmull-Rom curve, `t` of the way from `start` to `end`."""
    return 0.5 * (
        2 * start
        + (end - before) * t
        + (2 * before - 5 * start + 4 * end - after) * t**2
        + (3 * start - before - 3 * end + after) * t**3
    )
