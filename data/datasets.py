"""The registry of datasets: who reads each, how to get it and where to put it."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from attend.data.flickr import read_flickr
from attend.data.folder import left_out, read_folder
from attend.data.items import Item
from attend.data.karpathy import read_karpathy
from attend.data.listing import some
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
    how = DATASETS["flickr8k"].how
    photos = sources.images or _first(sources.data, "images", "Flicker8k_Dataset", "Flickr8k_Dataset")
    if photos is None or not photos.is_dir():
        raise UserError(f"no photos in {photos or sources.data}: {how}")
    captions = sources.captions or _first(sources.data, "dataset_flickr8k.json", "Flickr8k.token.txt")
    if captions is None or not captions.is_file():
        raise UserError(f"no captions at {captions or sources.data}: {how}")
    if captions.suffix == ".json":
        return read_karpathy(captions, photos)
    lists = {"train": "trainImages", "val": "devImages", "test": "testImages"}
    splits = {split: captions.with_name(f"Flickr_8k.{name}.txt") for split, name in lists.items()}
    absent = [path.name for path in splits.values() if not path.is_file()]
    if absent:
        raise UserError(f"no {', '.join(absent)} beside {captions}: {how}")
    return read_flickr(captions, splits, photos)


def _read_folder(sources: Sources) -> list[Item]:
    how = DATASETS["folder"].how
    photos = sources.images or sources.data / "images"
    captions = sources.captions or sources.data / "captions.csv"
    if not photos.is_dir():
        raise UserError(f"no photos in {photos}: {how}")
    if not captions.is_file():
        raise UserError(f"no captions at {captions}: {how}")
    items = read_folder(photos, captions)
    others = left_out(photos, items)
    if others:
        told = f"{len(others):,} photos in {photos} have no row in {captions} and are left out: {some(others)}"
        print(told, file=sys.stderr, flush=True)
    return items


def _read_scenes(sources: Sources) -> list[Item]:
    if sources.images or sources.captions:
        raise UserError(
            "IMAGES= and CAPTIONS= have no effect with DATASET=scenes: leave them out, or use DATASET=folder"
        )
    from attend.data.scenes.reader import read_scenes

    return read_scenes(sources.data, sources.scenes)


def _first(folder: Path, *names: str) -> Path | None:
    """The first of `names` that exists in `folder`."""
    return next((folder / name for name in names if (folder / name).exists()), None)


DATASETS: dict[str, Dataset] = {
    "scenes": Dataset(_read_scenes, "drawn on the spot, nothing to get"),
    "flickr8k": Dataset(
        _read_flickr8k,
        "get Flickr8k_Dataset.zip and Flickr8k_text.zip (github.com/jbrownlee/Datasets, release Flickr8k), or instead "
        "of the second dataset_flickr8k.json (caption_datasets.zip, cs.stanford.edu/people/karpathy/deepimagesent), "
        "and unpack them into datasets/flickr8k, or name their folder with DATA=",
    ),
    "folder": Dataset(
        _read_folder,
        "name your photos with IMAGES=folder and a table with the columns image,caption with CAPTIONS=captions.csv",
    ),
}
