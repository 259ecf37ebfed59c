"""v·tanh(p_i + q) for all places: the costly part of additive attention, in pieces that stay in the processor's cache.

Plain tensor code reads and writes (B, L, D) arrays some fifteen times for one step and its gradient. Here a few photos
at a time go through all operations, and the gradient of the keys is summed over the steps in place (bench/train.py).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import torch
from torch import Tensor
from torch.autograd import Function

from attend.train.models import additive_kernel

PIECE_BYTES = 2**21
"""Size of the part of (B, R, L, D) worked on at once: about a core's second-level cache."""


class KeyGradient:
    """The gradient of one batch's keys, summed over the steps that read them in one backward pass."""

    def __init__(self) -> None:
        self.sum: Tensor | None = None
        self._passing = -1

    def begun(self, keys: Tensor) -> Tensor:
        """The sum so far in this backward pass; what one that did not reach the keys has left is forgotten."""
        passing = torch._C._current_graph_task_id()
        if self.sum is None or passing != self._passing:
            self.sum, self._passing = torch.zeros_like(keys), passing
        return self.sum


class _SharedKeys(Function):
    """The keys unchanged; backward, which runs after that of every step, hands over the collected sum."""

    @staticmethod
    def forward(ctx: Any, keys: Tensor, gradient: KeyGradient) -> Tensor:
        ctx.gradient = gradient
        ctx.set_materialize_grads(False)
        return keys.view_as(keys)

    @staticmethod
    def backward(ctx: Any, *others: Any) -> tuple[Tensor | None, None]:
        total, ctx.gradient.sum = ctx.gradient.sum, None
        if others[0] is not None:  # read by something else too
            total = others[0] if total is None else total + others[0]
        return total, None


class _Scores(Function):
    """Nothing of size (B, R, L, D) is kept for backward: computing the tanh again costs less than fetching it."""

    @staticmethod
    def forward(ctx: Any, keys: Tensor, query: Tensor, v: Tensor, gradient: KeyGradient) -> Tensor:
        ctx.save_for_backward(keys, query, v)
        ctx.gradient = gradient
        return _scores(keys, query, v)

    @staticmethod
    def backward(ctx: Any, *outputs: Any) -> tuple[None, Tensor, Tensor, None]:
        if torch.is_grad_enabled():  # create_graph=True
            raise RuntimeError("the gradient of shared attention keys has no gradient: call additive_scores without it")
        keys, query, v = ctx.saved_tensors
        of_scores = outputs[0].to(keys.dtype)  # (B, R, L)
        way = additive_kernel.gradients if additive_kernel.pays(keys, query) else _gradients
        return None, *way(keys, query, v, of_scores, ctx.gradient.begun(keys)), None


def _scores(keys: Tensor, query: Tensor, v: Tensor) -> Tensor:
    """As `additive_scores`, with nothing kept for a gradient."""
    if additive_kernel.pays(keys, query):
        return additive_kernel.scores(keys, query, v)
    scores = keys.new_empty((*query.shape[:2], keys.shape[1]))  # (B, R, L)
    for piece, tanh in _pieces(keys, query):
        torch.matmul(tanh, v, out=scores[piece])
    return scores


def _gradients(keys: Tensor, query: Tensor, v: Tensor, of_scores: Tensor, of_keys: Tensor) -> tuple[Tensor, Tensor]:
    """Adds the gradient of the keys to `of_keys` (B, L, D); returns those of query (B, R, D) and v (D,)."""
    of_query = torch.empty_like(query)
    of_v = torch.zeros_like(v, dtype=torch.promote_types(v.dtype, torch.float32))
    for piece, tanh in _pieces(keys, query):
        weight = of_scores[piece].unsqueeze(2)  # (b, R, 1, L)
        of_v += (weight.reshape(1, -1) @ tanh.view(-1, len(v))).squeeze(0)
        slope = torch.ops.aten.tanh_backward(v.expand_as(tanh), tanh)  # v (1 - tanh²), (b, R, L, D)
        of_query[piece] = (weight @ slope).squeeze(2)
        if slope.shape[1] == 1:
            of_keys[piece].addcmul_(weight[:, 0].transpose(1, 2), slope[:, 0])
        else:
            of_keys[piece] += (weight.transpose(2, 3) * slope).sum(dim=1)
    return of_query, of_v.to(v.dtype)


def _pieces(keys: Tensor, query: Tensor) -> Iterator[tuple[slice, Tensor]]:
    """tanh(p + q) of a few photos at a time, (b, R, L, D), in one array that the next piece overwrites.

    On a GPU, which has no such cache to mind, all photos are one piece.
    """
    photo_bytes = keys[0].numel() * query.shape[1] * keys.element_size()
    count = max(1, PIECE_BYTES // photo_bytes) if keys.device.type == "cpu" else len(keys)
    tanh = keys.new_empty((min(count, len(keys)), query.shape[1], *keys.shape[1:]))
    for start in range(0, len(keys), count):
        piece = slice(start, min(start + count, len(keys)))
        part = tanh[: piece.stop - piece.start]
        torch.add(keys[piece].unsqueeze(1), query[piece].unsqueeze(2), out=part)
        yield piece, part.tanh_()


def share_keys(keys: Tensor) -> tuple[Tensor, KeyGradient]:
    """Keys (B, L, D) for many calls of `additive_scores` in one forward pass, and where their gradient gathers."""
    gradient = KeyGradient()
    return _SharedKeys.apply(keys, gradient), gradient


def additive_scores(keys: Tensor, query: Tensor, v: Tensor, gradient: KeyGradient | None = None) -> Tensor:
    """keys (B, L, D), query (B, R, D), v (D,) → scores (B, R, L), R captions a photo; differentiable in all three.

    `gradient` comes with the keys from `share_keys`. Without it, torch's operations where a gradient is wanted.
    """
    query, v = query.to(keys.dtype), v.to(keys.dtype)
    if not torch.is_grad_enabled():
        return _scores(keys, query, v)
    if gradient is None:
        return torch.tanh(keys.unsqueeze(1) + query.unsqueeze(2)) @ v
    return _Scores.apply(keys, query, v, gradient)
