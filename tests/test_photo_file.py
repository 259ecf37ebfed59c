"""What a photo's file was, as a record."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

import pytest

from attend.data.photo_file import PhotoFile, read_photo_file
from attend.errors import UserError


def test_what_a_file_is(tmp_path: Path) -> None:
    path = tmp_path / "photo.jpg"
    path.write_bytes(b"photo")
    os.utime(path, ns=(5, 1_764_520_000_123_456_789))
    content, file = read_photo_file(path)
    assert content == b"photo"
    assert file == PhotoFile(5, 1_764_520_000_123_456_789, hashlib.sha256(b"photo").hexdigest())
    assert PhotoFile.parse(file.record()) == file


@pytest.mark.parametrize("record", ["", "5 6", "five 6 ab", "5 6 ab cd", 7])
def test_records_that_are_none(record: str) -> None:
    with pytest.raises(UserError, match=r"a photo's record in the manifest is .*: restore the manifest, or give --reb"):
        PhotoFile.parse(record)
