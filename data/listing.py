"""Names in a line of text: the first ones, and how many more there are."""

from __future__ import annotations

from collections.abc import Sequence

from attend.printable import printable


def some(names: Sequence[str], most: int = 4) -> str:
    """`a, b, c, d and 7 more`."""
    return printable(", ".join(names[:most])) + (f" and {len(names) - most:,} more" if len(names) > most else "")
