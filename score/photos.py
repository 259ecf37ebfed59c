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
from attend.extract.framing import framing
from attend.extract.images import Photo, PhotoError, read_photo
from attend.score.captioner import PHOTOS_AT_ONCE, LoadedCaptioner
from attend.score.search.caption import Caption
from attend.score.seen import on_photo
from attend.train.config import SearchSettings

UNREADABLE_KINDS = frozenset({".heic", ".heif", ".avif"})
"""Photos too, by their names: where Pillow cannot read them they are named, not passed over."""


@dataclass(frozen=True)
class PhotoCaption:
    """A photo with its captions, in the order of the search, or with what is wrong with it.

    `animated`: only the first frame was captioned.
    """

    path: Path
    captions: Sequence[Caption]
    problem: Problem | None
    animated: bool = False

    @property
    def caption(self) -> Caption | None:
        """The best one."""
        return self.captions[0] if self.captions else None


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
    captioner: LoadedCaptioner,
    paths: Sequence[Path],
    search: SearchSettings | None = None,
    n_best: int = 1,
    attention: bool = False,
) -> Iterator[PhotoCaption]:
    """Each photo's `n_best` captions, or why it has none, in order. Photos are decoded ahead in threads.

    With `attention` they are `SeenCaption`s.
    """
    read = partial(read_photo, preprocessing=captioner.preprocessing)
    decoded = decode_ahead(paths, read, cores(), 2 * PHOTOS_AT_ONCE)
    waiting: list[tuple[Path, Photo | PhotoError]] = []
    for path, photo in zip(paths, decoded, strict=True):
        waiting.append((path, photo))
        if len(waiting) == PHOTOS_AT_ONCE:
            yield from _caption(captioner, waiting, search, n_best, attention)
            waiting = []
    yield from _caption(captioner, waiting, search, n_best, attention)


def _caption(
    captioner: LoadedCaptioner,
    photos: Sequence[tuple[Path, Photo | PhotoError]],
    search: SearchSettings | None,
    n_best: int,
    attention: bool,
) -> Iterator[PhotoCaption]:
    pixels = [photo.pixels for _, photo in photos if isinstance(photo, Photo)]
    found = iter(captioner.n_best_pixels(torch.stack(pixels), n_best, search) if pixels else [])
    for path, photo in photos:
        if isinstance(photo, PhotoError):
            yield PhotoCaption(path, [], photo.problem())
        else:
            captions: Sequence[Caption] = next(found)
            if attention:
                frame = framing(photo.upright, captioner.preprocessing)
                captions = [on_photo(caption, captioner.run.grid, frame) for caption in captions]
            yield PhotoCaption(path, captions, None, photo.animated)
