"""The photos that kill are found, whichever and however many they are, and no other is blamed."""

from __future__ import annotations

import sys

import pytest

from attend.extract.cluster.suspects import deadly_photos
from tests.poison import POISON, environment
from tests.tiny_encoder import drawn_items

WHAT = "kills the process that decodes it (SIGKILL): replace it"


@pytest.fixture
def paths(tmp_path, monkeypatch):
    for name, value in environment(tmp_path).items():
        monkeypatch.setenv(name, value)
    return [item.path for item in drawn_items(tmp_path / "photos", 6)]


def test_no_photo_kills(paths):
    paths[2].write_bytes(b"damaged, but no death")
    paths[3].unlink()
    assert deadly_photos(paths) == {} and deadly_photos([]) == {}


@pytest.mark.parametrize("deadly", [[0], [5], [1, 2, 4]])
def test_those_that_kill_are_named(paths, deadly):
    for number in deadly:
        paths[number].write_bytes(POISON)
    assert deadly_photos(paths) == dict.fromkeys(deadly, WHAT)


def test_a_photo_that_needs_more_memory_than_a_worker_has_is_no_death_but_an_error(paths):
    paths[1].write_bytes(POISON)
    assert deadly_photos(paths, memory=2**31) == {1: WHAT}


def test_a_process_that_does_not_begin_blames_no_photo(paths, monkeypatch):
    monkeypatch.setattr(sys, "executable", "/bin/false")
    with pytest.raises(RuntimeError, match=r"does not begin \(status 1\)"):
        deadly_photos(paths)
