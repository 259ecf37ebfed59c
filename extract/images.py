"""From a photo file to the pixels an encoder sees: the one preprocessing of batch extraction and of single photos."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from PIL import Image, UnidentifiedImageError

from attend.data.items import Problem
from attend.errors import UserError
from attend.extract.colours import WHITE, to_rgb, upright

FITS = ("crop", "whole")
LARGEST_RESIZED = 100_000_000
"""Pixels a resized photo may have; a 1 × 10,000 strip enlarged to a shorter side of 256 would have 655 million."""

PLUG_IN_KINDS = {b"ftyphei": "HEIC", b"ftyphev": "HEIC", b"ftypmif1": "HEIC", b"ftypavif": "AVIF"}


class PhotoError(Exception):
    """A photo that cannot be used: `path` and `what` is wrong with it, in words that end with the cure."""

    def __init__(self, path: Path, what: str) -> None:
        super().__init__(f"{path} {what}")
        self.path, self.what = path, what

    def __reduce__(self) -> tuple[type[PhotoError], tuple[Path, str]]:
        return PhotoError, (self.path, self.what)

    def problem(self) -> Problem:
        """The same as a record."""
        return Problem(str(self.path), self.what)


@dataclass(frozen=True)
class Photo:
    """What the encoder sees: `pixels` uint8 (3, size, size). `animated`: there are more frames than this first one."""

    pixels: torch.Tensor
    animated: bool = False


@dataclass(frozen=True)
class Preprocessing:
    """How a photo becomes `size` × `size` pixels. Part of a store's fingerprint.

    `crop`: shorter side to `resize` keeping the aspect, then the centre `size` × `size` (the paper).
    `whole`: the whole photo squeezed to `size` × `size`; the identity on a photo of that size.
    Transparent places show `background` (red, green, blue).
    """

    fit: str = "crop"
    size: int = 224
    resize: int = 256
    background: tuple[int, int, int] = WHITE

    def __post_init__(self) -> None:
        if self.fit not in FITS:
            raise UserError(f"fit={self.fit!r} is not a way to fit a photo: one of auto, {', '.join(FITS)}")
        if not 0 < self.size <= self.resize:
            raise UserError(f"a crop of {self.size} pixels does not fit a shorter side of {self.resize}")

    def to_record(self) -> dict[str, Any]:
        """Plain data for a fingerprint; `whole` does not depend on `resize`, so it is not recorded there."""
        record: dict[str, Any] = asdict(self) | {"background": list(self.background)}
        if self.fit == "whole":
            del record["resize"]
        return record

    @classmethod
    def from_record(cls, record: Mapping[str, Any]) -> Preprocessing:
        """The inverse of `to_record`; what else a fingerprint says about pixels is left aside."""
        resize = record.get("resize", record["size"])
        return cls(record["fit"], record["size"], resize, tuple(record["background"]))


def open_photo(path: Path, background: tuple[int, int, int] = WHITE) -> Image.Image:
    """The photo in `path` as 8-bit RGB, upright, transparent places over `background`, the first frame of several.

    The kind of file is told from its content, not from its name. `info["animated"]` of the result says whether
    there were more frames. Raises PhotoError for whatever is not a whole, readable photo.
    """
    try:
        with Image.open(path) as photo:
            animated = bool(getattr(photo, "is_animated", False)) and photo.format != "MPO"
            photo.load()
            pixels = to_rgb(upright(photo), background)
    except FileNotFoundError:
        raise PhotoError(path, "does not exist: restore it or take it out of the captions") from None
    except UnidentifiedImageError:
        raise PhotoError(path, _not_a_picture(path)) from None
    except Image.DecompressionBombError:
        raise PhotoError(path, f"has more than {2 * (Image.MAX_IMAGE_PIXELS or 0):,} pixels: make it smaller") from None
    except MemoryError:
        raise PhotoError(path, "does not fit into memory: make it smaller") from None
    except (OSError, ValueError, SyntaxError, EOFError, ArithmeticError, LookupError, TypeError) as error:
        # Pillow's readers raise all of these on damaged files
        raise PhotoError(path, f"is damaged ({error}): restore or replace it") from None
    pixels.info = {"animated": animated}
    return pixels


def prepare(photo: Image.Image, preprocessing: Preprocessing) -> torch.Tensor:
    """An RGB photo as uint8 (3, size, size), equal to torchvision's Resize and CenterCrop on a Pillow image."""
    size = preprocessing.size
    if preprocessing.fit == "whole":
        fitted = photo if photo.size == (size, size) else photo.resize((size, size), Image.Resampling.BILINEAR)
    else:
        resized = photo.resize(_resized(photo.size, preprocessing.resize), Image.Resampling.BILINEAR)
        left, top = (round((side - size) / 2) for side in resized.size)
        fitted = resized.crop((left, top, left + size, top + size))
    # rows × columns × colours in memory is channels_last already
    return torch.from_numpy(np.array(fitted, dtype=np.uint8)).permute(2, 0, 1)


def read_photo(path: Path, preprocessing: Preprocessing) -> Photo:
    """`open_photo` and `prepare`. Raises PhotoError."""
    photo = open_photo(path, preprocessing.background)
    width, height = photo.size
    if preprocessing.fit == "crop":
        new_width, new_height = _resized(photo.size, preprocessing.resize)
        if new_width * new_height > LARGEST_RESIZED:
            raise PhotoError(path, f"is a strip of {width} × {height} pixels: crop it, or use fit=whole")
    return Photo(prepare(photo, preprocessing), photo.info["animated"])


def _resized(size: tuple[int, int], shorter: int) -> tuple[int, int]:
    """Width and height once the shorter side is `shorter`; the longer one is cut down to whole pixels."""
    width, height = size
    if width <= height:
        return shorter, int(shorter * height / width)
    return int(shorter * width / height), shorter


def _not_a_picture(path: Path) -> str:
    with path.open("rb") as file:
        head = file.read(64)
    if not head:
        return "is empty: restore or replace it"
    for mark, kind in PLUG_IN_KINDS.items():
        if mark in head[:32]:
            return f"is {kind}, which Pillow here cannot read: convert it to JPEG"
    return f"is not a picture Pillow can read (it starts with {head[:12]!r}): replace it"
