"""The registry of datasets: who reads each, how to get it and where to put it."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from attend.data.clean import clean
from attend.data.coco_sources import read_coco
from attend.data.flickr_sources import read_flickr8k, read_flickr30k
from attend.data.folder import read_own_photos
from attend.data.items import Item
from attend.data.sources import Reading, Sources
from attend.errors import UserError
from attend.progress import say

if TYPE_CHECKING:
    from attend.data.scenes.settings import ScenesSettings


@dataclass(frozen=True)
class Dataset:
    """`read` returns the items or raises UserError; `how` tells a person how to get the data and where to put it."""

    read: Callable[[Sources], Reading]
    how: str


def read_dataset(
    name: str, data: Path, *, images: Path | None, captions: Path | None, scenes: ScenesSettings
) -> list[Item]:
    """The items of a dataset. Its facts are printed to standard output, its notes to standard error.

    UserError: unknown name, data that is absent (says how to get it) or malformed.
    """
    if name not in DATASETS:
        raise UserError(f"unknown DATASET={name}: one of {', '.join(DATASETS)}")
    reading = clean(DATASETS[name].read(Sources(data, images, captions, scenes, DATASETS[name].how)))
    for fact in reading.facts:
        say(fact)
    for note in reading.notes:
        print(note, file=sys.stderr, flush=True)
    return reading.items


def _read_scenes(sources: Sources) -> Reading:
    if sources.images or sources.captions:
        raise UserError(
            "IMAGES= and CAPTIONS= have no effect with DATASET=scenes: leave them out, or use DATASET=folder"
        )
    from attend.data.scenes.reader import read_scenes

    return Reading(read_scenes(sources.data, sources.scenes))


KARPATHY_ZIP = "caption_datasets.zip, cs.stanford.edu/people/karpathy/deepimagesent"

DATASETS: dict[str, Dataset] = {
    "scenes": Dataset(_read_scenes, "drawn on the spot, nothing to get"),
    "flickr8k": Dataset(
        read_flickr8k,
        "get Flickr8k_Dataset.zip and Flickr8k_text.zip (github.com/jbrownlee/Datasets, release Flickr8k), or instead "
        f"of the second dataset_flickr8k.json ({KARPATHY_ZIP}), "
        "and unpack them into datasets/flickr8k, or name their folder with DATA=",
    ),
    "flickr30k": Dataset(
        read_flickr30k,
        "get the photos (shannon.cs.illinois.edu/DenotationGraph, or Kaggle's flickr-image-dataset) and "
        f"dataset_flickr30k.json ({KARPATHY_ZIP}); put the JSON into datasets/flickr30k and the photos into "
        "datasets/flickr30k/images, or name their folders with DATA= and IMAGES=",
    ),
    "coco": Dataset(
        read_coco,
        "get train2014.zip and val2014.zip (images.cocodataset.org/zips) and "
        f"dataset_coco.json ({KARPATHY_ZIP}), or instead of the last annotations_trainval2014.zip "
        "(images.cocodataset.org/annotations), and unpack them into datasets/coco, or name their folder with DATA=",
    ),
    "folder": Dataset(
        read_own_photos,
        "name your photos with IMAGES=folder and a table with the columns image,caption with CAPTIONS=captions.csv",
    ),
}
