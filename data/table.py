"""A table of captions as spreadsheets write it: a row a caption, below a line of column names."""

from __future__ import annotations

import csv
import io
from pathlib import Path

from attend.data.rows import Row
from attend.data.text import read_text
from attend.errors import UserError

COLUMNS = ("image", "caption")
MOST_CHARACTERS = 2**31 - 1
"""Longest text of a field: no caption is too long to be read."""
DELIMITERS = {",": "commas", "\t": "tabs", ";": "semicolons", "|": "bars"}


def read_table(table: Path) -> list[Row]:
    """Columns `image` and `caption`, and `split` where there is one; others are passed over. Separated by tabs in a
    .tsv file, by commas elsewhere; quoted as spreadsheets do.

    UserError: a column is absent, or a row is malformed; names the line.
    """
    text = read_text(table)
    delimiter = "\t" if table.suffix.lower() == ".tsv" else ","
    _check_separator(table, text.split("\n", 1)[0], delimiter)
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    csv.field_size_limit(MOST_CHARACTERS)
    rows = []
    begins = 1  # the line where the row that is read begins
    try:
        header = [name.strip().lower() for name in next(reader, [])]
        _check_header(header, table)
        begins = reader.line_num + 1
        for row in reader:
            if any(text.strip() for text in row):
                rows.append((begins, row))
            begins = reader.line_num + 1
    except csv.Error as error:
        told = (
            f"the row of line {begins}, up to line {reader.line_num}" if begins < reader.line_num else f"line {begins}"
        )
        raise UserError(f'{table}, {told}: {error}: quote the text as "…", a quote in it as ""') from error
    for line, row in rows:
        if len(row) != len(header):
            cure = (
                'quote a text with commas as "…"'
                if len(row) > len(header)
                else "give every column a text or leave it empty"
            )
            raise UserError(f"{table}, line {line}: {len(row)} columns, not {len(header)}: {cure}")
    return [_row(line, dict(zip(header, row, strict=True))) for line, row in rows]


def _row(line: int, fields: dict[str, str]) -> Row:
    return Row(line, fields["image"], (fields["caption"],), fields.get("split"))


def _check_separator(table: Path, line: str, delimiter: str) -> None:
    """UserError: the first line names the columns, but with another separator between them."""
    names = {one: {name.strip(' "\r').lower() for name in line.split(one)} for one in DELIMITERS}
    others = [name for one, name in DELIMITERS.items() if names[one].issuperset(COLUMNS)]
    if others and not names[delimiter].issuperset(COLUMNS):
        wanted = "tabs" if delimiter == "\t" else "commas, or as .tsv with tabs"
        raise UserError(f"{table} is separated by {others[0]}: save it with {wanted}")


def _check_header(header: list[str], table: Path) -> None:
    """UserError: a column is absent or comes twice."""
    for column in COLUMNS:
        if column not in header:
            there = f" ({', '.join(header)})" if header else ""
            raise UserError(
                f"{table} has no column {column!r} in its first line{there}: name the columns image,caption"
            )
    named = list(filter(None, header))
    if len(set(named)) != len(named):
        raise UserError(f"{table} has a column twice in its first line: {', '.join(named)}: rename one")
