"""What could not be done, in lines for people."""

from __future__ import annotations

from collections.abc import Sequence

from attend.data.items import Problem
from attend.data.problems_file import PROBLEMS

MOST_LINES = 20


def problem_lines(problems: Sequence[Problem]) -> list[str]:
    """For people: the first ones in full, then how many more there are."""
    lines = [str(problem) for problem in problems[:MOST_LINES]]
    if len(problems) > MOST_LINES:
        lines.append(f"… and {len(problems) - MOST_LINES} more, all in {PROBLEMS} beside the manifest")
    return lines
