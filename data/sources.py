"""Where the raw files of a dataset lie, and what a reader hands back."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from attend.data.items import Item
from attend.errors import UserError

if TYPE_CHECKING:
    from attend.data.scenes.settings import ScenesSettings


@dataclass(frozen=True)
class Sources:
    """Where raw data lies. `data` is the dataset's folder; `images` and `captions` stand in for its own parts. `how`
    tells a person how to get the data and where to put it."""

    data: Path
    images: Path | None
    captions: Path | None
    scenes: ScenesSettings
    how: str

    def photos(self, *names: str) -> Path:
        """The folder of photos: `images`, or the first of `names` that is in `data`. UserError: there is none."""
        folder = self.images or first(self.data / name for name in names)
        if folder is None or not folder.is_dir():
            raise UserError(f"no photos in {folder or self.data}: {self.how}")
        return folder

    def table(self, *names: str) -> Path:
        """The file of captions: `captions`, or the first of `names` that is in `data`. UserError: there is none."""
        file = self.captions or first(self.data / name for name in names)
        if file is None or not file.is_file():
            raise UserError(f"no captions at {file or self.data}: {self.how}")
        return file


@dataclass(frozen=True)
class Reading:
    """The items of a dataset; `notes` tell what was left out or looks wrong, `facts` where splits and boxes come from,
    a line each."""

    items: list[Item]
    notes: tuple[str, ...] = ()
    facts: tuple[str, ...] = ()


def first(paths: Iterable[Path]) -> Path | None:
    """The first path that exists."""
    return next((path for path in paths if path.exists()), None)
