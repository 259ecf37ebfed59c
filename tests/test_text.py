"""Reading text files."""

from __future__ import annotations

from pathlib import Path

import pytest

from attend.data.text import read_json, read_lines, read_text
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


def test_json_that_is_cut_is_named_by_line_and_column(tmp_path: Path) -> None:
    path = tmp_path / "x.json"
    path.write_text('{\n"a": [1, 2')
    with pytest.raises(UserError, match=r"x\.json, line 2, column 11: .*: the JSON is cut or damaged, get it again"):
        read_json(path)
    path.write_text("[" * 100_000)
    with pytest.raises(UserError, match=r"x\.json is JSON nested too deeply"):
        read_json(path)


def test_the_line_of_a_nul_byte(tmp_path: Path) -> None:
    path = tmp_path / "x.txt"
    path.write_bytes(b"one\r\ntwo\0\n")
    with pytest.raises(UserError, match=r"x\.txt, line 2, has a NUL byte"):
        read_text(path)
