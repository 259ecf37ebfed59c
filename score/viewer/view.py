"""A caption on its photo as plain data for the pages' viewer: words, maps, and where on the photo the maps lie."""

from __future__ import annotations

import base64
from typing import Any

import numpy as np

from attend.extract.framing import Framing
from attend.score.pictures.enlarge import SPREAD
from attend.score.seen import SeenCaption
from attend.train.run import Run

CELL_VARIANTS = frozenset({"hard"})
"""Variants that look at one place a word: the viewer draws the place round."""
CHOOSING_VARIANTS = frozenset({"soft", "hard"})
"""Variants that learn where to look."""


def view_settings(run: Run) -> dict[str, Any]:
    """What the viewer needs to know of the run: `grid` [rows, columns], `spread` of the Gaussian in places, `cells`."""
    return {"grid": list(run.grid), "spread": SPREAD, "cells": run.variant in CELL_VARIANTS}


def looking(variant: str) -> str:
    """A variant in words: some do not choose where to look."""
    return f"{variant} attention" if variant in CHOOSING_VARIANTS else f"{variant}, which looks everywhere alike,"


def view(caption: SeenCaption) -> dict[str, Any]:
    """One caption of T words over L places.

    `maps` is base64 of T·L bytes, each word's weights as 0 to 255 of its largest; `size` [width, height] of the upright
    photo in pixels, `seen` [left, top, width, height] of what the encoder saw, as shares of the photo's sides.
    """
    return {
        "words": list(caption.words),
        "gates": _rounded(caption.gates),
        "probabilities": _rounded(caption.probabilities),
        "log_prob": round(caption.log_prob, 3),
        "finished": caption.finished,
        "maps": base64.b64encode(map_bytes(caption.attention)).decode(),
        "size": [caption.framing.width, caption.framing.height],
        "seen": seen_share(caption.framing),
    }


def map_bytes(attention: np.ndarray) -> bytes:
    """Weights (T, L) as T·L bytes: 255 is the largest of its row."""
    if not attention.size:
        return b""
    peaks = np.maximum(attention.max(axis=1, keepdims=True), 1e-12)
    return bytes((255 * attention / peaks).round().astype(np.uint8).tobytes())


def seen_share(framing: Framing) -> list[float]:
    """Left, top, width and height of the part that the encoder sees, as shares of the photo's width and height."""
    left, top, width, height = framing.seen
    shares = (left / framing.width, top / framing.height, width / framing.width, height / framing.height)
    return [round(share, 6) for share in shares]


def _rounded(values: np.ndarray) -> list[float]:
    return [round(float(value), 4) for value in values]
