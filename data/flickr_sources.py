"""Flickr8k and Flickr30k as people have them: which of the published files are there, and what they lack."""

from __future__ import annotations

from pathlib import Path

from attend.data.flickr import Captions, flickr_items, read_bars, read_flickr, read_tokens
from attend.data.hash_splits import RULE, hash_splits
from attend.data.items import Item
from attend.data.karpathy import read_karpathy
from attend.data.listing import some
from attend.data.sources import Reading, Sources
from attend.errors import UserError

LISTS = {"train": "trainImages", "val": "devImages", "test": "testImages"}
JSON_30K = "dataset_flickr30k.json"


def read_flickr8k(sources: Sources) -> Reading:
    """Karpathy's JSON, or the token file with its three lists of photos."""
    photos = sources.photos("images", "Flicker8k_Dataset", "Flickr8k_Dataset")
    captions = sources.table("dataset_flickr8k.json", "Flickr8k.token.txt")
    if captions.suffix == ".json":
        return Reading(read_karpathy(captions, photos))
    splits = {split: captions.with_name(f"Flickr_8k.{name}.txt") for split, name in LISTS.items()}
    absent = [path.name for path in splits.values() if not path.is_file()]
    if absent:
        raise UserError(f"no {', '.join(absent)} beside {captions}: {sources.how}")
    return _without_strangers(read_flickr(captions, splits, photos), captions)


def read_flickr30k(sources: Sources) -> Reading:
    """Karpathy's JSON; or the token file or results.csv, with Karpathy's splits when his JSON is beside them."""
    photos = sources.photos("images", "flickr30k-images", "flickr30k_images")
    captions = sources.table(JSON_30K, "results_20130124.token", "results.csv")
    if captions.suffix == ".json":
        return Reading(read_karpathy(captions, photos))
    found, notes = _original_captions(captions)
    json = captions.with_name(JSON_30K)
    if json.is_file():
        split_of = {item.image_id: item.split for item in read_karpathy(json, photos)}
        reading = _without_strangers(flickr_items(found, split_of, photos), captions)
        return Reading(reading.items, (*notes, *reading.notes), (f"splits are those of {json}",))
    told = f"no {JSON_30K} beside {captions}: photos are split {RULE}; scores do not compare with those of other papers"
    return Reading(flickr_items(found, hash_splits(list(found)), photos), notes, (told,))


def _original_captions(path: Path) -> tuple[Captions, tuple[str, ...]]:
    if path.suffix.lower() != ".csv":
        return read_tokens(path), ()
    captions, without_bar = read_bars(path)
    lines = some([str(number) for number in without_bar])
    told = f"{path}: {len(without_bar):,} rows lack the second bar and are read without it: line {lines}"
    return captions, (told,) if without_bar else ()


def _without_strangers(items: list[Item], captions: Path) -> Reading:
    """The items less those in no split that have no photo either: nobody asked for them, so they are only named."""
    strangers = [item.image_id for item in items if item.split == "none" and not item.path.exists()]
    if not strangers:
        return Reading(items)
    told = (
        f"{captions}: {len(strangers):,} captioned photos do not exist and are in no split, left out: {some(strangers)}"
    )
    unwanted = set(strangers)
    return Reading([item for item in items if item.image_id not in unwanted], (told,))
