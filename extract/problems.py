"""`problems.jsonl` beside the manifest: what could not be done, one record a line, for programs and people."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Sequence
from pathlib import Path

from attend.data.atomic import write_atomically
from attend.data.items import Problem

PROBLEMS = "problems.jsonl"
MOST_LINES = 20


def write_problems(folder: Path, problems: Sequence[Problem]) -> None:
    """Write the file, or remove it when there is nothing to tell."""
    path = folder / PROBLEMS
    if problems:
        lines = (json.dumps(dataclasses.asdict(problem), ensure_ascii=False) + "\n" for problem in problems)
        write_atomically(path, "".join(lines).encode("utf-8", errors="surrogateescape"))
    elif path.exists():  # a store may be read-only where there is nothing to do
        path.unlink()


def problem_lines(problems: Sequence[Problem]) -> list[str]:
    """For people: the first ones in full, then how many more there are."""
    lines = [f"{problem.where} {problem.what}" for problem in problems[:MOST_LINES]]
    if len(problems) > MOST_LINES:
        lines.append(f"… and {len(problems) - MOST_LINES} more, all in {PROBLEMS} beside the manifest")
    return lines
