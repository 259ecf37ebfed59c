"""From a photo file to the pixels an encoder sees: the one preprocessing of batch extraction and of single photos."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from PIL import Image

from attend.data.photo_file import PhotoFile
from attend.errors import UserError
from attend.extract.colours import WHITE
from attend.extract.opening import PhotoError, decode_photo, load_photo

FITS = ("crop", "whole")
LARGEST_RESIZED = 100_000_000
"""Pixels a resized photo may have; a 1 × 10,000 strip enlarged to a shorter side of 256 would have 655 million."""


@dataclass(frozen=True)
class Photo:
    """What the encoder sees: `pixels` uint8 (3, size, size), out of `file`, which is (width, height) `upright` pixels
    once turned as its EXIF asks. `animated`: there are more frames than this first one."""

    pixels: torch.Tensor
    file: PhotoFile
    upright: tuple[int, int]
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


def prepare(photo: Image.Image, preprocessing: Preprocessing) -> torch.Tensor:
    """An RGB photo as uint8 (3, size, size), equal to torchvision's Resize and CenterCrop on a Pillow image."""
    size = preprocessing.size
    if preprocessing.fit == "whole":
        fitted = photo if photo.size == (size, size) else photo.resize((size, size), Image.Resampling.BILINEAR)
    else:
        resized = photo.resize(resized_size(photo.size, preprocessing.resize), Image.Resampling.BILINEAR)
        left, top = crop_corner(resized.size, size)
        fitted = resized.crop((left, top, left + size, top + size))
    # rows × columns × colours in memory is channels_last already
    return torch.from_numpy(np.array(fitted, dtype=np.uint8)).permute(2, 0, 1)


def read_photo(path: Path, preprocessing: Preprocessing) -> Photo:
    """`load_photo`, `decode_photo` and `prepare`. Raises PhotoError."""
    content, file = load_photo(path)
    photo = decode_photo(path, content, preprocessing.background)
    refuse_strip(path, photo.size, preprocessing)
    return Photo(prepare(photo, preprocessing), file, photo.size, photo.info["animated"])


def refuse_strip(path: Path, size: tuple[int, int], preprocessing: Preprocessing) -> None:
    """PhotoError where `prepare` would have to enlarge a photo of `size` (width, height) beyond all measure."""
    if preprocessing.fit == "crop":
        width, height = resized_size(size, preprocessing.resize)
        if width * height > LARGEST_RESIZED:
            raise PhotoError(path, f"is a strip of {size[0]} × {size[1]} pixels: crop it, or use fit=whole")


def resized_size(size: tuple[int, int], shorter: int) -> tuple[int, int]:
    """Width and height once the shorter side is `shorter`; the longer one is cut down to whole pixels."""
    width, height = size
    if width <= height:
        return shorter, int(shorter * height / width)
    return int(shorter * width / height), shorter


def crop_corner(size: tuple[int, int], crop: int) -> tuple[int, int]:
    """Left and top of the centre `crop` × `crop` in a photo of (width, height); halves go to the even neighbour."""
    width, height = size
    return round((width - crop) / 2), round((height - crop) / 2)
