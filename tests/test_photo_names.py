"""Names of photos, and names that are nearly theirs."""

from __future__ import annotations

import errno
import os
import unicodedata
from pathlib import Path

import pytest

from attend.data.photo_names import PHOTO_ENDINGS, files_below, near_names
from attend.errors import UserError


def test_photos_below_a_folder(tmp_path: Path) -> None:
    for name in ("b.JPG", "a/é.Png", "a/.b/c.jpg", "a.txt", "a.jpg/inside.gif"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_bytes(b"")
    assert files_below(tmp_path, PHOTO_ENDINGS) == ["a/é.Png", "a.jpg/inside.gif", "b.JPG"]
    assert files_below(tmp_path) == ["a/é.Png", "a.jpg/inside.gif", "a.txt", "b.JPG"]


def test_what_browsers_and_phones_call_a_jpeg_or_heic_is_a_photo(tmp_path: Path) -> None:
    for name in ("a.jfif", "b.JPE", "c.heif"):
        (tmp_path / name).write_bytes(b"")
    assert files_below(tmp_path, PHOTO_ENDINGS) == ["a.jfif", "b.JPE", "c.heif"]


@pytest.mark.fault("links between folders that form a circle", "followed once", "Installation and own data")
def test_links_to_folders_are_followed_and_end(tmp_path: Path) -> None:
    (tmp_path / "photos").mkdir()
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere/a.jpg").write_bytes(b"")
    (tmp_path / "photos/link").symlink_to(tmp_path / "elsewhere")
    (tmp_path / "elsewhere/back").symlink_to(tmp_path / "photos")
    assert files_below(tmp_path / "photos") == ["link/a.jpg"]


@pytest.mark.fault("a folder that may not be read", "named", "Installation and own data")
def test_a_folder_that_may_not_be_read_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "sub").mkdir()
    scandir = os.scandir

    def refuse(path):
        if str(path).endswith("sub"):
            raise PermissionError(errno.EACCES, "Permission denied", str(path))
        return scandir(path)

    monkeypatch.setattr(os, "scandir", refuse)  # permissions do not bind every user
    with pytest.raises(UserError, match=r"sub cannot be read \(Permission denied\): give yourself the permission"):
        files_below(tmp_path)


def test_the_photo_that_was_probably_meant(tmp_path: Path) -> None:
    decomposed = unicodedata.normalize("NFD", "café.jpg")
    for name in ("Dog.JPG", decomposed, "cat.jpeg", "x.jpg", "x.png", "cow.txt"):
        (tmp_path / name).write_bytes(b"")
    wanted = ("dog.jpg", "café.jpg", "cat.jpg", "CAT", "x.gif", "cow.jpg", "owl.jpg", "x.jpg", "no folder/dog.jpg")
    found = near_names(tmp_path / name for name in wanted)
    assert {path.name: near.name for path, near in found.items()} == {
        "dog.jpg": "Dog.JPG",
        "café.jpg": decomposed,
        "cat.jpg": "cat.jpeg",
        "CAT": "cat.jpeg",
    }


def test_the_slashes_of_windows(tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "a.jpg").write_bytes(b"")
    for name in ("sub\\a.jpg", "\\sub\\a.jpg"):
        assert near_names([tmp_path / name]) == {tmp_path / name: tmp_path / "sub" / "a.jpg"}


def test_a_name_that_would_leave_the_folder_is_no_near_name(tmp_path: Path) -> None:
    """`\\tmp\\…\\a.jpg` beside a photo of that absolute path."""
    (tmp_path / "a.jpg").write_bytes(b"")
    (tmp_path / "photos").mkdir()
    assert near_names([tmp_path / "photos" / str(tmp_path / "a.jpg").replace("/", "\\")]) == {}
