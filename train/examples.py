"""Training captions as word ids."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from attend.data.items import Item
from attend.data.vocabulary import UNKNOWN, Vocabulary
from attend.data.words import tokenise
from attend.errors import UserError


@dataclass(frozen=True)
class Examples:
    """N captions. `image_ids[images[k]]` is the photo of caption k; `words[k]` ends with the end word, 0."""

    image_ids: tuple[str, ...]
    images: np.ndarray  # (N,) int64
    words: tuple[np.ndarray, ...]  # N arrays of ids, each (T_k,) int64
    cut: int  # captions that were longer than allowed

    @property
    def lengths(self) -> np.ndarray:
        """Steps of each caption, the end step included, (N,)."""
        return np.array([len(words) for words in self.words], dtype=np.int64)

    @property
    def unknown(self) -> float:
        """Share of the captions' words that are not in the vocabulary."""
        return sum(int((words == UNKNOWN).sum()) for words in self.words) / int((self.lengths - 1).sum())


def training_splits(items: Sequence[Item], restval: bool) -> tuple[str, ...]:
    """The splits to train on. UserError: `restval` is wanted and no photo is in it."""
    if restval and not any(item.split == "restval" for item in items):
        raise UserError("words.restval=yes: the store has no photo in the split restval, leave the setting out")
    return ("train", "restval") if restval else ("train",)


def training_captions(items: Sequence[Item], splits: Sequence[str], most: int = 0) -> list[tuple[str, list[str]]]:
    """(image id, words) of the captions of the splits, the first `most` of a photo or all (0), in item order; captions
    without a word are left out."""
    pairs = [
        (item.image_id, tokenise(text))
        for item in items
        if item.split in splits
        for text in item.captions[: most or None]
    ]
    return [(image_id, words) for image_id, words in pairs if words]


def captions_beyond(items: Sequence[Item], splits: Sequence[str], most: int) -> int:
    """How many captions of the splits `most` leaves out."""
    return sum(max(0, len(item.captions) - most) for item in items if item.split in splits) if most else 0


def make_examples(captions: Sequence[tuple[str, list[str]]], vocabulary: Vocabulary, longest: int) -> Examples:
    """Captions as ids, cut to `longest` words and then ended; `UserError` when there is none."""
    if not captions:
        cure = "run `make features` again with captions of train photos (docs/datasets.md)"
        raise UserError(f"the store has no training caption: {cure}")
    image_ids = tuple(dict.fromkeys(image_id for image_id, _ in captions))
    rows = {image_id: row for row, image_id in enumerate(image_ids)}
    words = tuple(np.array([*vocabulary.encode(words[:longest]), 0], dtype=np.int64) for _, words in captions)
    return Examples(
        image_ids=image_ids,
        images=np.array([rows[image_id] for image_id, _ in captions], dtype=np.int64),
        words=words,
        cut=sum(len(words) > longest for _, words in captions),
    )
