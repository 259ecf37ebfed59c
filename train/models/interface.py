"""What every captioner offers and all that search, losses, metrics and pictures may know of it.

Letters, here and everywhere: B images · R captions in progress per image · T steps · L places · D channels · K words ·
m embedding size · n LSTM units.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Protocol, Self

import torch
from torch import Tensor

from attend.train.models.place_choice import PlaceChoice

NO_WORD = -1
"""Previous word at the first step: its embedding is the zero vector; there is no start token.  # arctic"""


@dataclass(frozen=True)
class Batch:
    """Captions for teacher forcing. `words` holds ids up to the end word (0), which `lengths` counts; then anything."""

    annotations: Tensor  # (B, L, D)
    words: Tensor  # (B, T) int64
    lengths: Tensor  # (B,) int64, 1 to T, the end step included
    mask: Tensor | None = None  # (B, L) bool, true where there is a place; None: everywhere
    previous: Tensor | None = None  # (B, T) what each step reads; None: `NO_WORD`, then the caption's own words

    @property
    def inputs(self) -> Tensor:
        """The previous word of each step, (B, T)."""
        if self.previous is not None:
            return self.previous
        first = self.words.new_full((len(self.words), 1), NO_WORD)
        return torch.cat([first, self.words[:, :-1]], dim=1)


@dataclass(frozen=True)
class Attention:
    """Where one step looked: `weights` sum to 1 over the places; `gate` is beta of section 4.2.1 (1 without a gate).

    Where a place was chosen, all weight is on it; `log_alpha` is what it was chosen from.
    """

    weights: Tensor  # (B·R, L)
    gate: Tensor  # (B·R,)
    log_alpha: Tensor | None = None  # (B·R, L), of hard attention only


@dataclass(frozen=True)
class Output:
    """Teacher-forced result for every step of a batch; steps behind a caption's length mean nothing."""

    log_probs: Tensor  # (B, T, K) float32: log p(word at t | words before t, annotations)
    attention: Tensor  # (B, T, L) float32
    gates: Tensor  # (B, T) float32
    log_alpha: Tensor | None = None  # (B, T, L) float32, of hard attention only


@dataclass(frozen=True)
class ImagePart:
    """What depends only on the photo: computed once, shared by all captions in progress for it."""

    annotations: Tensor  # (B, L, D)
    keys: Tensor  # (B, L, D) what attention compares the state with; whatever the variant needs
    mask: Tensor | None  # (B, L) bool

    def keep(self, images: Tensor) -> ImagePart:
        """The photos `images` (indices, (B',)) only."""
        mask = None if self.mask is None else self.mask[images]
        return ImagePart(self.annotations[images], self.keys[images], mask)


@dataclass(frozen=True)
class State:
    """A decoder between two words. Rows b·R to b·R + R - 1 of the memory belong to photo b; R = rows / photos."""

    image: ImagePart
    hidden: Tensor  # (B·R, n)
    cell: Tensor  # (B·R, n)
    step: int = 0  # words written so far
    choice: PlaceChoice | None = None  # how hard attention takes its places; None: the expected context

    def select(self, rows: Tensor) -> State:
        """Memory rows in a new order, with repeats; each photo must keep an equal number R' of its own rows."""
        return replace(self, hidden=self.hidden[rows], cell=self.cell[rows])

    def keep(self, images: Tensor) -> State:
        """Only the photos `images` (indices, (B',)), with all their rows."""
        per_image = self.hidden.shape[0] // self.image.annotations.shape[0]

        def rows(memory: Tensor) -> Tensor:
            return memory.unflatten(0, (-1, per_image))[images].flatten(0, 1)

        choice = None if self.choice is None else self.choice.keep(images)
        return State(self.image.keep(images), rows(self.hidden), rows(self.cell), self.step, choice)


class Decoding(Protocol):
    """A captioner between two words, as a search handles it: `State`, or whatever else a captioner keeps."""

    def select(self, rows: Tensor) -> Self:
        """See `State.select`."""
        ...

    def keep(self, images: Tensor) -> Self:
        """See `State.keep`."""
        ...


class Captioner(Protocol):
    """One captioning system. Implementations are torch modules listed in `variants.py`."""

    def start(self, annotations: Tensor, mask: Tensor | None = None) -> Decoding:
        """State before the first word, R = 1, from annotations (B, L, D) and an optional mask (B, L)."""
        ...

    def step(self, state: Any, previous_words: Tensor) -> tuple[Tensor, Any, Attention]:
        """From what `start` or `step` gave: the next word's log p (B·R, K) float32, given the previous words (B·R,).

        At the first step these are `NO_WORD`.
        """
        ...

    def forward(self, batch: Batch) -> Output:
        """All steps of given captions at once (teacher forcing)."""
        ...

    def __call__(self, batch: Batch) -> Output: ...

    def parameters(self) -> Any: ...

    def eval(self) -> Self: ...

    def train(self, mode: bool = True) -> Self: ...
