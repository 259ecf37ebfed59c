"""The embedded dataset: draws what is missing, reads the rest. Nothing is downloaded."""

from __future__ import annotations

import hashlib
import io
from pathlib import Path
from random import Random

from attend.data.atomic import partial_path, remove_abandoned
from attend.data.items import Item, Region
from attend.data.scenes import truth
from attend.data.scenes.captions import captions
from attend.data.scenes.composition import compose
from attend.data.scenes.picture import draw
from attend.data.scenes.settings import ScenesSettings
from attend.data.scenes.truth import PictureTruth, Truth
from attend.errors import UserError
from attend.progress import Progress

SAVE_EVERY = 200
"""Pictures between two writings of scenes.json: so many are drawn again, at most, after a kill."""


def read_scenes(data: Path, settings: ScenesSettings) -> list[Item]:
    """One Item a picture, with five captions and a region for every thing; pictures lie in `data`/images.

    A picture on disk is used if scenes.json says it was made with these settings by this generator and its bytes have
    the hash noted there; any other is drawn (again). Raises UserError on a setting out of range, on an unreadable
    scenes.json, and where `data`/images holds pictures that no scenes.json accounts for: they may be somebody's.
    """
    settings.check()
    images = data / "images"
    known = truth.load(data)
    if known is None and images.exists() and any(images.iterdir()):
        raise UserError(
            f"{images} holds files but {data / truth.NAME} is missing: choose another DATA= or empty the folder"
        )
    wanted = truth.made_with(settings)
    reason = "" if known is None else ", ".join(_changes(known.made_with, wanted))
    kept = Truth(wanted) if known is None or reason else known
    ids = {f"{number:06d}": number for number in range(1, settings.images + 1)}
    missing = [image_id for image_id in ids if not _vouched(images / f"{image_id}.png", kept.pictures.get(image_id))]
    if missing:
        images.mkdir(parents=True, exist_ok=True)
        for folder in (data, images):
            remove_abandoned(folder)
        kept.save(data)
        with Progress(
            len(missing), f"scenes: drawing again, {reason}" if reason else "scenes: drawing", "pictures"
        ) as bar:
            for done, image_id in enumerate(missing, start=1):
                kept.pictures[image_id] = _draw(images / f"{image_id}.png", ids[image_id], settings)
                bar.update()
                if done % SAVE_EVERY == 0:
                    kept.save(data)
        kept.save(data)
    return [
        _item(image_id, images / f"{image_id}.png", settings.split(number), kept.pictures[image_id])
        for image_id, number in ids.items()
    ]


def _draw(path: Path, number: int, settings: ScenesSettings) -> PictureTruth:
    """Draw one picture into its file. Everything random in it comes from (seed, number)."""
    seed = f"{settings.seed}:{number}"
    scene = compose(Random(seed), settings.max_objects)
    picture, boxes = draw(scene, settings.size, seed)
    content = io.BytesIO()
    picture.save(content, "PNG", compress_level=3)
    partial = partial_path(path)
    partial.write_bytes(content.getvalue())
    partial.replace(path)  # the disk need not be waited for: whoever reads the picture checks its hash
    written = captions(scene, Random(f"{seed}:captions"))
    return truth.record(scene, boxes, written, hashlib.sha256(content.getvalue()).hexdigest())


def _vouched(path: Path, picture: PictureTruth | None) -> bool:
    """Whether the file is there and is what scenes.json says it is."""
    if picture is None or not path.is_file():
        return False
    return hashlib.sha256(path.read_bytes()).hexdigest() == picture.sha256


def _changes(old: dict[str, int], new: dict[str, int]) -> list[str]:
    """What differs, in words: "size 224 -> 448"."""
    return [f"{name} {old.get(name)} -> {value}" for name, value in new.items() if old.get(name) != value]


def _item(image_id: str, path: Path, split: str, picture: PictureTruth) -> Item:
    regions = tuple(Region(thing.name, thing.box) for thing in picture.things)
    return Item(image_id, path, split, picture.captions, regions)
