"""A photo file opened: upright 8-bit RGB, or what is wrong with it in words."""

from __future__ import annotations

import io
import warnings
from pathlib import Path

from PIL import Image, UnidentifiedImageError

from attend.data.items import Problem
from attend.data.photo_file import PhotoFile, read_photo_file
from attend.extract.colours import WHITE, UnstatedRangeError, to_rgb, upright

# What Pillow warns of, large photos and EXIF data it cannot read, is used or refused here by rule; it names no photo.
# Appended: filters that a program has set itself come first.
warnings.filterwarnings("ignore", module=r"PIL\.", append=True)

DRAWINGS = {"EPS": "PostScript", "WMF": "a Windows metafile"}
"""Pillow's formats that are drawing programs, and what to call them. Pillow would run them; here none is ever run."""

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


def unreadable(path: Path, error: OSError) -> PhotoError:
    """What the operating system says about a file, in words."""
    match error:
        case FileNotFoundError() | NotADirectoryError():
            return PhotoError(path, "does not exist: restore it or take it out of the captions")
        case PermissionError():
            return PhotoError(path, "may not be read: give yourself the permission, for its folder too")
        case IsADirectoryError():
            return PhotoError(path, "is a folder: name a photo")
    return PhotoError(path, f"cannot be read ({error.strerror or error}): restore or replace it")


def load_photo(path: Path) -> tuple[bytes, PhotoFile]:
    """The bytes of a photo's file and what they are. Raises PhotoError."""
    try:
        return read_photo_file(path)
    except OSError as error:
        raise unreadable(path, error) from None
    except MemoryError:
        raise PhotoError(path, "does not fit into memory: make it smaller") from None


def decode_photo(path: Path, content: bytes, background: tuple[int, int, int] = WHITE) -> Image.Image:
    """The bytes of the photo in `path` as 8-bit RGB, upright, transparent places over `background`, the first frame of
    several.

    The kind of file is told from its content, not from its name. `info["animated"]` of the result says whether
    there were more frames. Raises PhotoError for whatever is not a whole, readable photo.
    """
    try:
        with Image.open(io.BytesIO(content)) as photo:
            if photo.format in DRAWINGS:
                raise PhotoError(path, f"is {DRAWINGS[photo.format]}, a drawing and no photo: convert it to PNG")
            animated = bool(getattr(photo, "is_animated", False)) and photo.format != "MPO"
            photo.load()
            pixels = to_rgb(upright(photo), background)
    except UnidentifiedImageError:
        raise PhotoError(path, _not_a_picture(content)) from None
    except Image.DecompressionBombError:
        raise PhotoError(path, f"has more than {2 * (Image.MAX_IMAGE_PIXELS or 0):,} pixels: make it smaller") from None
    except MemoryError:
        raise PhotoError(path, "does not fit into memory: make it smaller") from None
    except UnstatedRangeError as error:
        raise PhotoError(path, str(error)) from None
    except (OSError, ValueError, SyntaxError, EOFError, ArithmeticError, LookupError, TypeError) as error:
        # Pillow's readers raise all of these on damaged files
        raise PhotoError(path, f"is damaged ({error}): restore or replace it") from None
    pixels.info = {"animated": animated}
    return pixels


def open_photo(path: Path, background: tuple[int, int, int] = WHITE) -> Image.Image:
    """`load_photo` and `decode_photo`. Raises PhotoError."""
    return decode_photo(path, load_photo(path)[0], background)


def _not_a_picture(content: bytes) -> str:
    if not content:
        return "is empty: restore or replace it"
    for mark, kind in PLUG_IN_KINDS.items():
        if mark in content[:32]:
            return f"is {kind}, which Pillow here cannot read: convert it to JPEG"
    return f"is not a picture Pillow can read (it starts with {content[:12]!r}): replace it"
