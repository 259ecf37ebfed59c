"""Ratios as the scripts print them, and whether they are still what is documented (bench/expected.toml)."""

from __future__ import annotations

from collections.abc import Mapping

COLUMN = "ratio to the peer"
LEAST = 0.5
"""A ratio below this part of its documented value is a regression: what is above it can be the machine."""


def read_ratios(printed: str) -> dict[str, float]:
    """Row → ratio from all Markdown tables with the column; of rows with one name the first counts."""
    found: dict[str, float] = {}
    place: int | None = None
    for line in printed.splitlines():
        if not line.startswith("|"):
            place = None
            continue
        cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
        if COLUMN in cells:
            place = cells.index(COLUMN)
        elif place is not None and place < len(cells) and not set(cells[place]) <= {"-", ":"}:
            found.setdefault(cells[0], float(cells[place]))
    return found


def regressions(found: Mapping[str, float], documented: Mapping[str, float]) -> list[str]:
    """A line for every documented ratio that is missing or has fallen below `LEAST` of its value."""
    lines = []
    for row, value in documented.items():
        if row not in found:
            lines.append(f"{row}: no ratio was printed, documented are {value:g}")
        elif not found[row] >= LEAST * value:
            lines.append(f"{row}: {found[row]:g}, below half of the documented {value:g}")
    return lines
