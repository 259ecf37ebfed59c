"""Reading text files."""

from __future__ import annotations

from pathlib import Path

import pytest

from attend.data.text import read_lines, read_text
from attend.errors import UserError


@pytest.mark.fault("line separators such as U+2028 inside a caption", "part of the caption", "Captions and splits")
def test_only_a_line_feed_ends_a_line(tmp_path: Path) -> None:
    path = tmp_path / "x.txt"
    path.write_bytes("\ufeffone\r\n\n  \ntwo\u2028\x0b\x85three\rfour\n".encode())
    assert read_lines(path) == [(1, "one"), (4, "two\u2028\x0b\x85three\rfour")]


def test_empty_and_absent(tmp_path: Path) -> None:
    path = tmp_path / "x.txt"
    with pytest.raises(UserError, match=r"x\.txt cannot be read: No such file"):
        read_text(path)
    path.write_bytes(b"")
    assert read_lines(path) == []
