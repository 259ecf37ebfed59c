"""A captioner without a network, so that every caption can be counted: log p is a table."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import torch
from torch import Tensor

from attend.data.vocabulary import SPECIAL, Vocabulary
from attend.score.search.caption import Caption
from attend.train.models.interface import NO_WORD, Attention

VOCABULARY = Vocabulary((*SPECIAL, "a", "b"))
LARGER = Vocabulary((*SPECIAL, "a", "b", "c"))
END, UNKNOWN = 0, 1
PLACES = 3
FULL = 400
"""Wider than the number of all captions of up to LONGEST words."""
LONGEST = 4


@dataclass(frozen=True)
class TableState:
    """What the table is read with: the photo's number and the steps so far, a row a caption in progress."""

    images: Tensor
    steps: Tensor
    photos: int

    def select(self, rows: Tensor) -> TableState:
        return replace(self, images=self.images[rows], steps=self.steps[rows])

    def keep(self, photos: Tensor) -> TableState:
        per_photo = len(self.images) // self.photos
        rows = (photos.unsqueeze(1) * per_photo + torch.arange(per_photo)).flatten()
        return TableState(self.images[rows], self.steps[rows], len(photos))


class Table:
    """A captioner without a network: log p depends on photo, step and previous word, all drawn at random.

    The photo's number is what the annotations hold. Attention and gate are functions of the same three, so that the
    right ones can be told from a neighbour's.
    """

    training = False

    def __init__(
        self,
        photos: int,
        words: int = len(VOCABULARY),
        sharpness: float = 2.0,
        seed: int = 0,
        dtype: torch.dtype = torch.float32,
    ) -> None:
        generator = torch.Generator().manual_seed(seed)
        logits = sharpness * torch.randn((photos, LONGEST + 3, words + 1, words), generator=generator, dtype=dtype)
        self.log_probs = logits.log_softmax(-1)  # (photo, step, previous word + 1, word)
        self.steps_taken = 0

    def start(self, annotations: Tensor, mask: Tensor | None = None) -> TableState:
        images = annotations[:, 0, 0].long()
        return TableState(images, torch.zeros_like(images), len(images))

    def step(self, state: TableState, previous_words: Tensor) -> tuple[Tensor, TableState, Attention]:
        self.steps_taken += 1
        log_probs = self.log_probs[state.images, state.steps, previous_words + 1]
        mark = looked_at(state.images, state.steps, previous_words)
        weights = torch.stack([mark, 1 - mark, torch.zeros_like(mark)], dim=1)
        return log_probs, replace(state, steps=state.steps + 1), Attention(weights, mark / 2)


def looked_at(image: Any, step: Any, previous: Any) -> Any:
    """The mark that a step leaves in its attention."""
    return 1 / (2 + image + 7 * step + 50 * (previous + 1))


def photos(*numbers: int) -> Tensor:
    """Annotations (B, L, 1) of photos by number."""
    return torch.tensor(numbers, dtype=torch.float32).view(-1, 1, 1).expand(-1, PLACES, 1).clone()


def log_prob(table: Table, image: int, path: tuple[int, ...]) -> float:
    steps, values = enumerate(zip((NO_WORD, *path), path, strict=False)), table.log_probs[image].numpy()
    return sum(float(values[step, before + 1, word]) for step, (before, word) in steps)


def path_of(caption: Caption) -> tuple[int, ...]:
    return (*caption.ids, END) if caption.finished else caption.ids


def all_captions(
    table: Table, image: int, power: float = 0.0, obeys: Callable[[tuple[int, ...]], bool] = lambda path: True
) -> list[tuple[bool, float, tuple[int, ...]]]:
    """Every caption of a photo that `obeys` as (finished, score, path), best first; a finished path holds the end."""
    words = range(1, table.log_probs.shape[-1])
    ended = [(*path, END) for length in range(LONGEST) for path in itertools.product(words, repeat=length)]
    cut = list(itertools.product(words, repeat=LONGEST))
    paths = [path for path in ended + cut if obeys(path)]
    return sorted((path[-1] == END, log_prob(table, image, path) / len(path) ** power, path) for path in paths)[::-1]
