"""Captions for photo files: a photo, or a folder of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import torch
from PIL import Image

from attend.data.items import Problem
from attend.device import cores
from attend.errors import UserError
from attend.extract.decoding import decode_ahead
from attend.extract.images import Photo, PhotoError, read_photo
from attend.score.captioner import PHOTOS_AT_ONCE, LoadedCaptioner
from attend.score.search.caption import Caption
from attend.train.config import SearchSettings

UNREADABLE_KINDS = frozenset({".heic", ".heif", ".avif"})
"""Photos too, by their names: where Pillow cannot read them they are named, not passed over."""


@dataclass(frozen=True)
class PhotoCaption:
    """A photo with its caption, or with what is wrong with it. `animated`: only the first frame was captioned."""

    path: Path
    caption: Caption | None
    problem: Problem | None
    animated: bool = False


def find_photos(places: Sequence[Path]) -> tuple[list[Path], list[Path]]:
    """The photos among files and below folders, in order of their names, and the files in folders that are none.

    A file given by name is a photo whatever it is called; in a folder the name's ending decides, also for a link that
    leads nowhere, and names that begin with a dot are passed over. UserError: a place does not exist, or there is no
    photo anywhere.
    """
    Image.init()
    endings = {ending for ending, kind in Image.registered_extensions().items() if kind in Image.OPEN}
    photos: list[Path] = []
    others: list[Path] = []
    for place in places:
        if place.is_dir():
            for path in sorted(place.rglob("*")):
                if not path.is_dir() and not any(part.startswith(".") for part in path.relative_to(place).parts):
                    is_photo = path.suffix.lower() in endings | UNREADABLE_KINDS
                    (photos if is_photo else others).append(path)
        elif place.exists():
            photos.append(place)
        else:
            raise UserError(f"IMAGES={place}: no such photo or folder")
    if not photos:
        raise UserError(f"IMAGES={' '.join(map(str, places))}: no photo there ({len(others)} other files)")
    return photos, others


def caption_photos(
    captioner: LoadedCaptioner, paths: Sequence[Path], search: SearchSettings | None = None
) -> Iterator[PhotoCaption]:
    """Each photo's caption, or why it has none, in order. Photos are decoded ahead in threads."""
    read = partial(read_photo, preprocessing=captioner.preprocessing)
    decoded = decode_ahead(paths, read, cores(), 2 * PHOTOS_AT_ONCE)
    waiting: list[tuple[Path, Photo | PhotoError]] = []
    for path, photo in zip(paths, decoded, strict=True):
        waiting.append((path, photo))
        if len(waiting) == PHOTOS_AT_ONCE:
            yield from _caption(captioner, waiting, search)
            waiting = []
    yield from _caption(captioner, waiting, search)


def _caption(
    captioner: LoadedCaptioner, photos: Sequence[tuple[Path, Photo | PhotoError]], search: SearchSettings | None
) -> Iterator[PhotoCaption]:
    pixels = [photo.pixels for _, photo in photos if isinstance(photo, Photo)]
    captions = iter(captioner.caption_pixels(torch.stack(pixels), search) if pixels else [])
    for path, photo in photos:
        if isinstance(photo, PhotoError):
            yield PhotoCaption(path, None, photo.problem())
        else:
            yield PhotoCaption(path, next(captions), None, photo.animated)
