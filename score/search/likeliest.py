"""The largest of many numbers without sorting them."""

from __future__ import annotations

import torch
from torch import Tensor

BLOCKS = 100
"""Parts that a long row is cut into: the maxima of so many are found in one pass that reads the row once."""


def likeliest(scores: Tensor, count: int) -> tuple[Tensor, Tensor]:
    """The `count` largest of each row of scores (…, K) and their columns, (…, count) each, largest first.

    As topk, which of equal numbers comes first is open. The `count` largest of a row lie in the `count` columns of
    blocks whose maxima are largest, so only those are looked through. NaN counts as the largest, as in topk.
    """
    leading, columns = scores.shape[:-1], scores.shape[-1]
    length = columns // BLOCKS
    if length <= count:
        values, indices = scores.topk(count)
        return values, indices
    scores = scores.reshape(-1, columns)  # (N, K)
    even = length * BLOCKS
    blocks = scores[:, :even].unflatten(1, (BLOCKS, length))  # column = block · length + place
    places = blocks.amax(dim=1).topk(count).indices  # (N, count) of `length` places
    inside = blocks.gather(2, places.unsqueeze(1).expand(-1, BLOCKS, -1)).flatten(1)  # (N, BLOCKS · count)
    indices = torch.arange(BLOCKS, device=scores.device).view(1, -1, 1) * length + places.unsqueeze(1)
    indices = indices.flatten(1)
    if even < columns:
        inside = torch.cat([inside, scores[:, even:]], dim=1)
        rest = torch.arange(even, columns, device=scores.device).expand(len(scores), -1)
        indices = torch.cat([indices, rest], dim=1)
    values, chosen = inside.topk(count)
    return values.view(*leading, count), indices.gather(1, chosen).view(*leading, count)
