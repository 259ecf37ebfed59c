"""Learning curves as inline SVG: lines over training steps."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

WIDTH, HEIGHT = 480, 280
LEFT, RIGHT, TOP, BOTTOM = 48, 16, 38, 34
SPACES = 4


@dataclass(frozen=True)
class Line:
    """One curve: its name in the legend, its CSS class, and (step, value) points in the order of the steps."""

    name: str
    kind: str
    points: Sequence[tuple[float, float]]


@dataclass(frozen=True)
class Mark:
    """A step that is pointed out: a vertical line of the CSS class `kind`, with a name."""

    step: int
    name: str
    kind: str


@dataclass(frozen=True)
class Scale:
    """A linear map from values `low` to `high` to coordinates `start` to `end`."""

    low: float
    high: float
    start: float
    end: float

    def __call__(self, value: float) -> float:
        return round(self.start + (value - self.low) / (self.high - self.low) * (self.end - self.start), 1)


def curves_svg(label: str, lines: Sequence[Line], lowest: float | None = None, marks: Sequence[Mark] = ()) -> str:
    """The lines in one frame with axes and legend; "" when there is no point to draw.

    `label` tells screen readers what it is; the value axis begins at `lowest` or, by default, at the smallest value.
    Values that are not finite are gaps. Lines without a point are left out; `marks` only inform, they draw no frame.
    """
    lines = [line for line in lines if line.points]
    points = [point for line in lines for point in line.points if math.isfinite(point[1])]
    if not points:
        return ""
    values = [value for _, value in points]
    ticks = round_ticks(min(values) if lowest is None else lowest, max(values))
    x = Scale(0, max(1, *(step for step, _ in points)), LEFT, WIDTH - RIGHT)
    y = Scale(ticks[0], ticks[-1], HEIGHT - BOTTOM, TOP)
    parts = [f'<svg viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="{escape(label)}">']
    for tick in ticks:
        parts.append(f'<path class="grid" d="M{LEFT} {y(tick)}H{WIDTH - RIGHT}"/>')
        parts.append(f'<text x="{LEFT - 8}" y="{y(tick) + 4}" text-anchor="end">{signed(tick)}</text>')
    for tick in (tick for tick in round_ticks(0, x.high) if tick <= x.high):
        parts.append(f'<text x="{x(tick)}" y="{HEIGHT - 12}" text-anchor="middle">{short(tick)}</text>')
    for mark in marks:
        parts.append(
            f'<path class="mark {mark.kind}" d="M{x(mark.step)} {TOP}V{HEIGHT - BOTTOM}">'
            f"<title>{escape(mark.name)}: step {mark.step}</title></path>"
        )
    left = float(LEFT)
    for line in lines:
        parts.append(_curve(line, x, y))
        parts.append(
            f'<path class="line {line.kind}" d="M{left} 16h18"/><text x="{left + 24}" y="20">{escape(line.name)}</text>'
        )
        left += 48 + 7.2 * len(line.name)
    return "".join([*parts, "</svg>"])


def _curve(line: Line, x: Scale, y: Scale) -> str:
    """The line, interrupted where values are not finite, and a dot at each point where there are few."""
    parts, pen = [], "M"
    for step, value in line.points:
        if math.isfinite(value):
            parts.append(f"{pen}{x(step)} {y(value)}")
            pen = "L"
        else:
            pen = "M"
    finite = [(step, value) for step, value in line.points if math.isfinite(value)]
    dots = finite if len(finite) <= 40 else []
    circles = (
        f'<circle class="{line.kind}" cx="{x(step)}" cy="{y(value)}" r="3">'
        f"<title>step {step:g}: {value:.2f}</title></circle>"
        for step, value in dots
    )
    return "".join([f'<path class="line {line.kind}" d="{"".join(parts)}"/>', *circles])


def round_ticks(low: float, high: float) -> list[float]:
    """About SPACES + 1 round numbers, evenly spaced, from at most `low` to at least `high`."""
    rough = ((high - low) or abs(high) or 1.0) / SPACES
    power = 10.0 ** math.floor(math.log10(rough))
    spacing = next(factor * power for factor in (1, 2, 2.5, 5, 10) if factor * power >= rough * (1 - 1e-9))
    first, last = math.floor(low / spacing + 1e-9), math.ceil(high / spacing - 1e-9)
    return [number * spacing for number in range(first, max(last, first + 1) + 1)]


def signed(number: float) -> str:
    """-2.5 → −2.5, with the sign that is as wide as a digit."""
    return f"{number:g}".replace("-", "−")


def short(number: float) -> str:
    """1500 → 1.5k."""
    return f"{number / 1000:g}k" if number >= 1000 else f"{number:g}"
