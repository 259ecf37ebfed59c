"""The registry of datasets: who reads each, how to get it and where to put it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from attend.data.items import Item
from attend.data.karpathy import read_karpathy
from attend.errors import UserError

if TYPE_CHECKING:
    from attend.data.scenes.settings import ScenesSettings


@dataclass(frozen=True)
class Sources:
    """Where raw data lies. `data` is the dataset's folder; `images` and `captions` stand in for its own parts."""

    data: Path
    images: Path | None
    captions: Path | None
    scenes: ScenesSettings


@dataclass(frozen=True)
class Dataset:
    """`read` returns the items or raises UserError; `how` tells a person how to get the data and where to put it."""

    read: Callable[[Sources], list[Item]]
    how: str


def read_dataset(
    name: str, data: Path, *, images: Path | None, captions: Path | None, scenes: ScenesSettings
) -> list[Item]:
    """The items of a dataset. UserError: unknown name, data that is absent (says how to get it) or malformed."""
    if name not in DATASETS:
        raise UserError(f"unknown DATASET={name}: one of {', '.join(DATASETS)}")
    return DATASETS[name].read(Sources(data, images, captions, scenes))


def _read_flickr8k(sources: Sources) -> list[Item]:
    folders = [sources.data / name for name in ("images", "Flicker8k_Dataset", "Flickr8k_Dataset")]
    photos = sources.images or next((folder for folder in folders if folder.is_dir()), None)
    if photos is None or not photos.is_dir():
        raise UserError(f"no photos in {photos or sources.data}: {DATASETS['flickr8k'].how}")
    karpathy = sources.captions or sources.data / "dataset_flickr8k.json"
    if karpathy.is_file():
        return read_karpathy(karpathy, photos)
    raise UserError(f"no captions at {karpathy}: {DATASETS['flickr8k'].how}")


def _read_scenes(sources: Sources) -> list[Item]:
    from attend.data.scenes.reader import read_scenes

    return read_scenes(sources.data, sources.scenes)


DATASETS: dict[str, Dataset] = {
    "scenes": Dataset(_read_scenes, "drawn on the spot, nothing to get"),
    "flickr8k": Dataset(
        _read_flickr8k,
        "get Flickr8k_Dataset.zip (github.com/jbrownlee/Datasets, release Flickr8k) and dataset_flickr8k.json "
        "(caption_datasets.zip, cs.stanford.edu/people/karpathy/deepimagesent), unpack both into datasets/flickr8k "
        "or name their folder with DATA=",
    ),
}
