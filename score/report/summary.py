"""The scores of a run as a report shows them: the run's rows, the paper's beside them, and what the numbers mean."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from attend.score.paper import SOURCE, paper_rows
from attend.score.search.settings import told

COLUMNS = (
    *(f"BLEU-{n} without penalty" for n in range(1, 5)),
    "BLEU-4",
    "METEOR",
    "ROUGE-L",
    "CIDEr-D",
    "SPICE",
)
HEADLINE = ("BLEU-4", "METEOR", "ROUGE-L", "CIDEr-D")
COMPARED = (*(f"BLEU-{n} without penalty" for n in range(1, 5)), "METEOR")
"""What the paper reports."""


@dataclass(frozen=True)
class Cell:
    """A score with its interval where there is one; or, without a score, why."""

    score: float | None = None
    low: float | None = None
    high: float | None = None
    why: str = ""


@dataclass(frozen=True)
class TableRow:
    """One source of captions. `paper`: a row of the paper."""

    name: str
    cells: tuple[Cell, ...]
    paper: bool


@dataclass(frozen=True)
class Table:
    """Rows over `columns`; columns that no row fills are left out."""

    columns: tuple[str, ...]
    rows: tuple[TableRow, ...]


def score_table(scores: Sequence[Mapping[str, Any]]) -> Table:
    """The run's splits and the paper's rows for their dataset."""
    rows = [(f"this run, {record['split']}", _own(record), False) for record in scores]
    for name, numbers in paper_rows(scores[0]["dataset"]).items():
        rows.append((name, {metric: Cell(number) for metric, number in numbers.items()}, True))
    columns = tuple(name for name in COLUMNS if any(name in cells for _, cells, _ in rows))
    empty = Cell()
    return Table(
        columns,
        tuple(TableRow(name, tuple(cells.get(each, empty) for each in columns), paper) for name, cells, paper in rows),
    )


def headline(record: Mapping[str, Any]) -> list[tuple[str, Cell]]:
    """The scores that stand at the head of the page."""
    cells = _own(record)
    return [(name, cells[name]) for name in HEADLINE if name in cells and cells[name].score is not None]


def _own(record: Mapping[str, Any]) -> dict[str, Cell]:
    """The metrics of `scores-SPLIT.json`."""
    return {
        name: Cell(cell["score"], *cell["interval"]) if "score" in cell else Cell(why=cell["missing"])
        for name, cell in record["metrics"].items()
    }


def notes(record: Mapping[str, Any]) -> list[str]:
    """What the scores of one split were computed on and with, and everything that was left out; a sentence each."""
    references = record["references"]
    each = f"{references['fewest']}"
    if references["most"] != references["fewest"]:
        each += f" to {references['most']}"
    lines = [
        f"{record['dataset']}, split {record['split']}: {record['images']:,} photos, {each} references each.",
        f"Search: {told(record['search'])}.",
    ]
    if record["bleu_with_penalty"] is not None:
        lines.append(
            f"Length ratio {record['length_ratio']:.3f}: {record['caption_words']:,} words for "
            f"{record['reference_words']:,}; brevity penalty {record['brevity_penalty']:.3f}."
        )
    counted = [
        (len(record["missing_without_features"]), "photos without features were not captioned"),
        (len(record["skipped_without_references"]), "photos without references were not scored"),
        (record["unfinished_captions"], "captions were cut at the length limit"),
        (record["empty_captions"], "captions are empty"),
    ]
    lines += [f"{count:,} {what}." for count, what in counted if count]
    failed = [f"{name}: {cell['missing']}." for name, cell in record["metrics"].items() if "missing" in cell]
    return lines + failed


def about_the_table(scores: Sequence[Mapping[str, Any]]) -> list[str]:
    """How to read the table, a sentence each."""
    record = scores[0]
    lines = [
        f"Scale {record['scale']}. Tokens: {record['tokenisation']}. Small print under a score: {record['intervals']}.",
        "Without the brevity penalty short captions score better: read those columns with the length ratio.",
    ]
    if paper_rows(record["dataset"]):
        lines.append(f"Paper: {SOURCE}.")
        if record["split"] != "test":
            lines.append(f"The paper's rows are of the test split, this run's first row of {record['split']}.")
    return lines
