"""A dataset read as `attend features` reads it."""

from __future__ import annotations

from pathlib import Path

from attend.data.datasets import read_dataset
from attend.data.items import Item
from attend.data.scenes.settings import ScenesSettings


def read(name: str, data: Path, images: Path | None = None, captions: Path | None = None) -> list[Item]:
    """The items; facts go to standard output, notes to standard error."""
    return read_dataset(name, data, images=images, captions=captions, scenes=ScenesSettings())
