"""Whether photos are fed whole or cropped, when nobody says."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from PIL import Image

from attend.data.manifest import Manifest
from attend.extract.encoders import ENCODERS
from attend.extract.images import Preprocessing


def choose_preprocessing(fit: str, encoder: str, paths: Iterable[Path], existing: Manifest | None) -> Preprocessing:
    """The preprocessing for a dataset. `auto`: as in the `existing` store of this encoder; without one, `whole` when
    every photo already has exactly the encoder's input size (nothing would be gained by enlarging and cropping it),
    else `crop`, the paper's way. UserError: unknown `fit`."""
    architecture = ENCODERS[encoder]
    if fit == "auto" and existing is not None:
        fit = existing.fingerprint.preprocessing["fit"]
    elif fit == "auto":
        fit = "whole" if all_of_size(paths, architecture.size) else "crop"
    return Preprocessing(fit, architecture.size, architecture.resize)


def all_of_size(paths: Iterable[Path], size: int) -> bool:
    """True when every photo that can be opened is `size` × `size`, and there is one. Reads only the files' heads."""
    found = False
    for path in paths:
        try:
            with Image.open(path) as photo:
                if photo.size != (size, size):
                    return False
                found = True
        except (OSError, ValueError, SyntaxError, Image.DecompressionBombError):
            continue  # extraction names it
    return found
