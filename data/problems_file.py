"""`problems.jsonl` beside the manifest: what could not be done, one record a line, for programs and people."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Sequence
from pathlib import Path

from attend.data.atomic import write_atomically
from attend.data.items import Problem
from attend.errors import UserError

PROBLEMS = "problems.jsonl"


def write_problems(folder: Path, problems: Sequence[Problem]) -> None:
    """Write the file, or remove it when there is nothing to tell."""
    path = folder / PROBLEMS
    if problems:
        lines = (json.dumps(dataclasses.asdict(problem), ensure_ascii=False) + "\n" for problem in problems)
        write_atomically(path, "".join(lines).encode("utf-8", errors="surrogateescape"))
    elif path.exists():  # a store may be read-only where there is nothing to do
        path.unlink()


def read_problems(folder: Path) -> list[Problem]:
    """What the last extraction could not do; nothing where there is no such file. UserError: it cannot be read."""
    path = folder / PROBLEMS
    if not path.is_file():
        return []
    try:
        lines = path.read_text(encoding="utf-8", errors="surrogateescape").split("\n")
        return [Problem(**json.loads(line)) for line in lines if line]
    except (OSError, ValueError, TypeError) as error:
        raise UserError(f"{path} cannot be read ({error}): run `make features` again") from error
