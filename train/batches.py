"""Which captions stand together in a mini-batch: always captions of one length."""

from __future__ import annotations

from itertools import chain, zip_longest

import numpy as np

from attend.errors import UserError


def plan_batches(lengths: np.ndarray, size: int, order: str, seed: int, epoch: int) -> list[np.ndarray]:
    """Captions (indices) of every mini-batch of one epoch: each caption once, one length a batch, last ones smaller.

    `random`: batches in random order, so that a length is drawn in proportion to what is left of it (section 4.3).
    `round_robin`: one batch of each length in turn until all are used up.  # arctic: HomogeneousData
    The plan depends on (seed, epoch) alone, so a resumed run finds its place in it.
    """
    chance = np.random.default_rng([seed, epoch])
    by_length = []
    for length in np.unique(lengths):
        captions = chance.permutation(np.flatnonzero(lengths == length))
        by_length.append([captions[start : start + size] for start in range(0, len(captions), size)])
    if order == "random":
        batches = list(chain.from_iterable(by_length))
        return [batches[k] for k in chance.permutation(len(batches))]
    if order == "round_robin":
        shuffled = [by_length[k] for k in chance.permutation(len(by_length))]
        return [batch for turn in zip_longest(*shuffled) for batch in turn if batch is not None]
    raise UserError(f"batches.order={order} is unknown: random or round_robin")
