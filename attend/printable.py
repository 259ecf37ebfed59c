"""A line of text that stays one line on a terminal, whatever the names of files in it hold."""

from __future__ import annotations

import unicodedata


def printable(line: str) -> str:
    """What would steer the terminal, or begin another line, is written out, as `\\n` and `\\x1b`."""
    return "".join(sign if _is_harmless(sign) else repr(sign)[1:-1] for sign in line)


def _is_harmless(sign: str) -> bool:
    return sign.isprintable() or unicodedata.category(sign) == "Zs"
