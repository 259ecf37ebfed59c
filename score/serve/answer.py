"""From the bytes of an uploaded photo to what the page shows: captions with their maps, and the photo itself."""

from __future__ import annotations

import base64
import io
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from PIL import Image, UnidentifiedImageError

from attend.errors import UserError
from attend.extract.images import refuse_strip
from attend.extract.opening import PhotoError, decode_photo
from attend.score.captioner import LoadedCaptioner
from attend.score.pictures.shrink import shrunk
from attend.score.viewer.view import view
from attend.train.config import SearchSettings

KINDS = ("JPEG", "PNG", "GIF", "WEBP", "BMP", "TIFF")
"""Formats that are opened. Pillow has readers that start other programs: no upload reaches those."""
KINDS_TOLD = "JPEG, PNG, GIF, WebP, BMP or TIFF"
SHOWN, QUALITY = 1280, 88
"""Longest side in pixels, and JPEG quality, of the photo that goes back to the page."""


@dataclass(frozen=True)
class Limits:
    """What an upload may be: bytes of the file, pixels of the photo."""

    bytes: int = 20 * 2**20
    pixels: int = 60_000_000


class UploadError(Exception):
    """An upload that is not captioned: the HTTP `status`, and why, in a sentence that ends with the cure."""

    def __init__(self, status: int, why: str) -> None:
        super().__init__(why)
        self.status, self.why = status, why


def answer(
    captioner: LoadedCaptioner, name: str, content: bytes, search: SearchSettings, limits: Limits, best: int
) -> dict[str, Any]:
    """The `best` captions of a photo as plain data, best first, for the page. UploadError: it cannot be captioned.

    `name` is only used to speak of it. The photo that goes back is the one the captioner saw: upright, its first
    frame, its transparent places filled.
    """
    check_kind(name, content, limits)
    try:
        photo = decode_photo(Path(name), content, captioner.preprocessing.background)
        refuse_strip(Path(name), photo.size, captioner.preprocessing)
    except PhotoError as error:
        raise UploadError(422, str(error)) from None
    try:
        [captions] = captioner.caption(photo, search, n_best=best, attention=True)
    except UserError as error:  # no caption of this photo obeys the rules of the search
        raise UploadError(422, str(error)) from None
    animated = bool(photo.info["animated"])
    return {
        "photo": data_address(photo),
        "captions": [view(caption) for caption in captions],
        "note": "Only the first frame of this animation was looked at." if animated else "",
    }


def check_kind(name: str, content: bytes, limits: Limits) -> None:
    """Look at the head of a file, without decoding it. UploadError: empty, of another kind, too many pixels."""
    if not content:
        raise UploadError(422, f"{name} is empty: choose another file")
    try:
        with Image.open(io.BytesIO(content), formats=KINDS) as photo:
            width, height = photo.size
    except UnidentifiedImageError:
        raise UploadError(415, f"{name} is not {KINDS_TOLD}: convert it") from None
    except Image.DecompressionBombError:
        raise UploadError(413, f"{name} has too many pixels; {limits.pixels:,} are allowed: make it smaller") from None
    except Exception as error:  # Pillow's readers raise many kinds on damaged heads
        raise UploadError(422, f"{name} is damaged ({error}): choose another file") from None
    if width * height > limits.pixels:
        raise UploadError(
            413, f"{name} has {width:,} × {height:,} pixels; {limits.pixels:,} are allowed: make it smaller"
        )


def data_address(photo: Image.Image) -> str:
    """The photo, made small enough to be shown, as a `data:` address."""
    file = io.BytesIO()
    shrunk(photo, SHOWN).save(file, "JPEG", quality=QUALITY)
    return "data:image/jpeg;base64," + base64.b64encode(file.getvalue()).decode()
