"""Photos come in order, with a bounded number in memory, and a failure is one of them."""

from __future__ import annotations

import threading
import time
from pathlib import Path

import pytest
import torch

from attend.data.photo_file import PhotoFile
from attend.extract.decoding import decode_ahead
from attend.extract.images import Photo
from attend.extract.opening import PhotoError

FILE = PhotoFile(0, 0, "")


def paths(count: int) -> list[Path]:
    return [Path(str(number)) for number in range(count)]


def read(path: Path) -> Photo:
    number = int(path.name)
    time.sleep(0.002 * (number % 3))  # later ones overtake
    if number == 4:
        raise PhotoError(path, "is damaged")
    return Photo(torch.tensor([number]), FILE, (1, 1))


def test_in_order_with_failures_in_their_place():
    photos = list(decode_ahead(paths(20), read, threads=4, ahead=6))
    assert isinstance(photos[4], PhotoError)
    assert [int(photo.pixels) for photo in photos if isinstance(photo, Photo)] == [k for k in range(20) if k != 4]


@pytest.mark.fault(
    "photos that decode faster than they are encoded",
    "never more than a bounded number in memory",
    "Scale and hardware",
)
def test_never_more_than_asked_for_ahead():
    started = []
    lock = threading.Lock()

    def count(path: Path) -> Photo:
        with lock:
            started.append(path)
        return Photo(torch.zeros(1), FILE, (1, 1))

    for taken, _photo in enumerate(decode_ahead(paths(50), count, threads=3, ahead=5), start=1):
        assert len(started) <= taken + 5


@pytest.mark.fault("work that ends early", "no thread stays", "Scale and hardware")
def test_leaving_early_ends_the_threads():
    before = set(threading.enumerate())
    photos = decode_ahead(paths(50), read, threads=4, ahead=10)
    next(photos)
    photos.close()
    assert set(threading.enumerate()) <= before


def test_other_errors_are_not_swallowed():
    def broken(path: Path) -> Photo:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        list(decode_ahead(paths(2), broken, threads=2, ahead=2))
