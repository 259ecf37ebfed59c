"""Caption files as text: UTF-8, with or without a byte order mark, lines ended as Unix or as Windows does."""

from __future__ import annotations

import codecs
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from attend.errors import UserError

UTF_16_MARKS = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)


def read_text(path: Path) -> str:
    """The whole file. UserError: absent, UTF-16, not UTF-8 or with a NUL byte (names the line)."""
    try:
        content = path.read_bytes()
    except OSError as error:
        raise UserError(f"{path} cannot be read: {error.strerror}") from error
    if content.startswith(UTF_16_MARKS):
        raise UserError(f"{path} is UTF-16: save the file as UTF-8")
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise UserError(f"{path}, line {line}, is not UTF-8: save the file as UTF-8") from error
    place = text.find("\0")
    if place >= 0:
        line = text.count("\n", 0, place) + 1
        raise UserError(
            f"{path}, line {line}, has a NUL byte: the file is damaged, or UTF-16 that is to be saved as UTF-8"
        )
    return text


def half_character(text: str) -> str:
    """`text` with its halves of characters written out, which JSON can say but no file in UTF-8 hold; "" if whole."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-8", "backslashreplace").decode()
    return ""


def read_lines(path: Path) -> list[tuple[int, str]]:
    """(line number, line) of every line that is not blank. Only a line feed ends a line: captions may hold the rest."""
    lines = [line.removesuffix("\r") for line in read_text(path).split("\n")]
    return [(number, line) for number, line in enumerate(lines, start=1) if line.strip()]


def read_json(path: Path, hook: Callable[[dict[str, Any]], Any] | None = None) -> Any:
    """A JSON file; `hook` sees every object of it as soon as it is read. UserError: cut or damaged (names the line)."""
    try:
        return json.loads(read_text(path), object_hook=hook)
    except json.JSONDecodeError as error:
        where = f"line {error.lineno}, column {error.colno}"
        raise UserError(f"{path}, {where}: {error.msg}: the JSON is cut or damaged, get it again") from error
    except RecursionError as error:
        raise UserError(f"{path} is JSON nested too deeply: get it again") from error
