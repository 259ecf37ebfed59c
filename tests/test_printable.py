"""A line that stays one on a terminal."""

from __future__ import annotations

from attend.printable import printable


def test_what_steers_a_terminal_is_written_out_and_nothing_else_is() -> None:
    assert printable("Ünï 狗, 7\u202fPM \\ %20") == "Ünï 狗, 7\u202fPM \\ %20"
    assert printable("a\x1b[2J\nb\u202e\udce9") == r"a\x1b[2J\nb\u202e\udce9"
