"""One process's share of a mini-batch, and random numbers that do not depend on how the batch was shared out."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass

import torch
from torch import Tensor

from attend.train import ranks


@dataclass(frozen=True)
class Share:
    """Captions `first` to `first + count - 1` of a mini-batch of `total`, of which `counted` enter its means.

    A process to which no caption falls computes the first one and counts none: it draws and exchanges what all do.
    """

    first: int
    count: int
    total: int
    counted: int

    @property
    def rows(self) -> slice:
        """Where the captions stand in the mini-batch."""
        return slice(self.first, self.first + self.count)

    @property
    def weight(self) -> float:
        """What the mean over the share weighs in the mean over the mini-batch."""
        return self.counted / self.total


def share_of(total: int, rank: int = 0, world: int = 1) -> Share:
    """The share of process `rank` of `world` in `total` captions; shares differ by one caption at most."""
    first, end = total * rank // world, total * (rank + 1) // world
    return Share(first, end - first, total, end - first) if end > first else Share(0, 1, total, 0)


_current: ContextVar[Share | None] = ContextVar("share", default=None)


@contextmanager
def computing(share: Share) -> Iterator[None]:
    """Within it, what is drawn and meant belongs to this share; outside, to everything that is computed."""
    before = _current.set(share)
    try:
        yield
    finally:
        _current.reset(before)


def drawn(like: Tensor, fill: Callable[[Tensor], Tensor]) -> Tensor:
    """Random numbers in the shape, type and place of `like` (rows, ...), an equal number of rows a caption.

    `fill` draws them in place for the whole mini-batch, and the share's rows are taken: whatever the number of
    processes, a caption has the same luck, and all generators stay at one place. ValueError: rows do not divide.
    """
    share = _current.get()
    if share is None:
        return fill(torch.empty_like(like))
    each, rest = divmod(len(like), share.count)
    if rest:
        raise ValueError(f"{len(like)} rows are no equal number for each of {share.count} captions")
    whole = fill(like.new_empty((each * share.total, *like.shape[1:])))
    return whole[each * share.first : each * (share.first + share.count)]


def multinomial(weights: Tensor) -> Tensor:
    """Weights (rows, N) of at least 0 → one index a row, (rows,), drawn in proportion: `torch.multinomial` for shares.

    The smallest of N exponential times with these rates is its own with probability weight / sum.
    """
    return (weights / drawn(weights, lambda times: times.exponential_(1))).argmax(dim=-1)


def mean_of_batch(mean: Tensor) -> Tensor:
    """From the mean over this process's captions to the mean over the mini-batch."""
    share = _current.get()
    return mean if share is None else ranks.total([mean * share.weight])[0]
