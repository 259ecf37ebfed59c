"""A table of scores as Markdown: a column a row of scores, the paper's beside them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from attend.score.metrics.bootstrap import Difference
from attend.score.metrics.panel import Cell
from attend.score.paper import paper_rows
from attend.score.score_table import ScoreTable


def markdown(table: ScoreTable) -> str:
    """The scores, the comparisons, and a list of what the numbers mean; for a terminal and for a page."""
    columns: dict[str, Mapping[str, str]] = {
        row.name: {cell.name: _shown(cell) for cell in row.cells} for row in table.rows
    }
    if table.spreads:
        spreads = {each.name: f"{each.mean:.2f} ± {each.deviation:.2f}" for each in table.spreads}
        columns["mean ± deviation over seeds"] = spreads
    for name, scores in paper_rows(table.dataset).items():
        columns[name] = {metric: f"{score:.2f}" for metric, score in scores.items()}
    names = [cell.name for cell in table.rows[0].cells]
    blocks = [_table(["", *columns], [[name, *(each.get(name, "") for each in columns.values())] for name in names])]
    for comparison in table.comparisons:
        blocks.append(f"A: {comparison.first}, B: {comparison.second}, on the same draws of the same images")
        head = ["", "A", "B", "A - B", "A is better in", ""]
        blocks.append(_table(head, [_difference(each) for each in comparison.differences]))
    return "\n\n".join([*blocks, "\n".join(f"- {note}" for note in table.notes())]) + "\n"


def _shown(cell: Cell) -> str:
    if cell.score is None:
        return cell.note.split(":")[0]
    return f"{cell.score:.2f} [{cell.low:.2f}, {cell.high:.2f}]"


def _difference(each: Difference) -> list[str]:
    difference = f"{each.first - each.second:+.2f} [{each.low:+.2f}, {each.high:+.2f}]"
    chance = "" if each.clear else "may be chance"
    return [each.name, f"{each.first:.2f}", f"{each.second:.2f}", difference, f"{each.better:.1%}", chance]


def _table(head: Sequence[str], body: Sequence[Sequence[str]]) -> str:
    """Columns are as wide as their widest cell."""
    widths = [max(len(line[column]) for line in (head, *body)) for column in range(len(head))]
    lines = [head, ["-" * width for width in widths], *body]
    padded = [" | ".join(text.ljust(width) for text, width in zip(line, widths, strict=True)) for line in lines]
    return "\n".join(f"| {line} |" for line in padded)
