"""Writes docs/faults.md from the marks of the tests: `python docs/faults.py > docs/faults.md`."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
SECTIONS = (
    "Captions and splits",
    "Photos",
    "Store",
    "Scale and hardware",
    "Training",
    "Scores",
    "Captions and pictures",
    "Installation and own data",
)
HEAD = """# Faults

What goes wrong for people who do this job, and what the program does about it. Every line is checked by the test
beside it, which carries the mark `@pytest.mark.fault(kind, what the program does, section)`; `pytest -m fault` runs
them alone.
This page is made by `python docs/faults.py > docs/faults.md`."""


@dataclass(frozen=True)
class Fault:
    """A kind of fault, in words of the field, what the program does about it, and the test (FILE::NAME) that checks."""

    kind: str
    does: str
    section: str
    test: str


def faults(folder: Path) -> list[Fault]:
    """Every mark in `folder`/test_*.py, in the order of files and lines. Nothing is imported.

    ValueError: a mark that is not three texts, or not above a test.
    """
    return [fault for path in sorted(folder.glob("test_*.py")) for fault in _faults_of(path)]


def _faults_of(path: Path) -> Iterator[Fault]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        for mark in getattr(node, "decorator_list", []):
            if isinstance(mark, ast.Call) and ast.unparse(mark.func) == "pytest.mark.fault":
                name = getattr(node, "name", "")
                words = [ast.literal_eval(word) for word in mark.args]
                if len(words) != 3 or mark.keywords or not name.startswith("test_"):
                    raise ValueError(f"{path.name}, line {mark.lineno}: write fault(kind, does, section) above a test")
                yield Fault(*words, test=f"{path.name}::{name}")


def page(found: list[Fault]) -> str:
    """The whole page: a table a section, in the order of `SECTIONS`."""
    counts = {section: sum(fault.section == section for fault in found) for section in SECTIONS}
    links = [f"[{name}](#{name.lower().replace(' ', '-')}) ({count})" for name, count in counts.items()]
    lines = [HEAD, "", " · ".join(links)]
    for section in SECTIONS:
        rows = [fault for fault in found if fault.section == section]
        if rows:
            lines += ["", f"## {section}", "", "| kind | what the program does | test |", "|---|---|---|"]
            lines += [f"| {_cell(row.kind)} | {_cell(row.does)} | `{row.test}` |" for row in rows]
    return "\n".join(lines)


def _cell(text: str) -> str:
    return text.replace("|", r"\|")


if __name__ == "__main__":
    print(page(faults(ROOT / "tests")))
