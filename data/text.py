"""Caption files as text: UTF-8, with or without a byte order mark, lines ended as Unix or as Windows does."""

from __future__ import annotations

from pathlib import Path

from attend.errors import UserError


def read_text(path: Path) -> str:
    """The whole file. UserError: absent, or not UTF-8 (names the line)."""
    try:
        content = path.read_bytes()
    except OSError as error:
        raise UserError(f"{path} cannot be read: {error.strerror}") from error
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise UserError(f"{path}, line {line}, is not UTF-8: save the file as UTF-8") from error


def read_lines(path: Path) -> list[tuple[int, str]]:
    """(line number, line) of every line that is not blank. Only a line feed ends a line: captions may hold the rest."""
    lines = [line.removesuffix("\r") for line in read_text(path).split("\n")]
    return [(number, line) for number, line in enumerate(lines, start=1) if line.strip()]
