"""Learning curves: points where they belong, round ticks, gaps for what is not a number."""

from __future__ import annotations

import math
import xml.etree.ElementTree as ET

import pytest

from attend.score.report.curves import BOTTOM, HEIGHT, LEFT, RIGHT, TOP, WIDTH, Line, curves_svg, round_ticks, short


@pytest.mark.parametrize(
    ("low", "high", "expected"),
    [
        (0, 20, [0, 5, 10, 15, 20]),
        (0, 21.3, [0, 10, 20, 30]),
        (2.1, 5.9, [2, 3, 4, 5, 6]),
        (0, 0, [0, 0.25]),
        (7, 7, [6, 8]),
        (0.001, 0.0011, [0.001, 0.001025, 0.00105, 0.001075, 0.0011]),
    ],
)
def test_ticks_are_round_and_hold_the_values(low: float, high: float, expected: list[float]) -> None:
    ticks = round_ticks(low, high)
    assert ticks[0] <= low + 1e-9 and ticks[-1] >= high - 1e-9
    assert 2 <= len(ticks) <= 7
    assert ticks == pytest.approx(expected)


def test_numbers_are_short() -> None:
    assert [short(number) for number in (0, 500, 1000, 2500, 20000)] == ["0", "500", "1k", "2.5k", "20k"]


def test_the_svg_is_well_formed_and_points_lie_on_their_values() -> None:
    svg = curves_svg('a "label" & more', [Line("bleu", "with", [(0, 0.0), (500, 10.0), (1000, 20.0)])], lowest=0)
    root = ET.fromstring(svg)
    assert root.attrib["aria-label"] == 'a "label" & more'
    places = [(float(dot.attrib["cx"]), float(dot.attrib["cy"])) for dot in root.iter("circle")]
    middle = ((LEFT + WIDTH - RIGHT) / 2, (TOP + HEIGHT - BOTTOM) / 2)
    assert places == [(LEFT, HEIGHT - BOTTOM), middle, (WIDTH - RIGHT, TOP)]


@pytest.mark.fault("values in the log that are no numbers", "gaps in the curve", "Captions and pictures")
def test_values_that_are_not_numbers_are_gaps() -> None:
    svg = curves_svg("loss", [Line("loss", "loss", [(0, 1.0), (1, math.nan), (2, 2.0), (3, math.inf), (4, 1.5)])])
    curve, _legend = (
        path.attrib["d"] for path in ET.fromstring(svg).iter("path") if path.attrib["class"] == "line loss"
    )
    assert curve.count("M") == 3


def test_nothing_to_draw_is_no_picture() -> None:
    assert curves_svg("x", []) == ""
    assert curves_svg("x", [Line("a", "loss", []), Line("b", "loss", [(1, math.nan)])]) == ""
