"""v·tanh(p + q) and its gradient on a processor, compiled by Numba: one pass over the keys, nothing kept between.

Torch's operations go over the same (B, R, L, D) numbers once each, some eight times for a step and its gradient
(bench/train.py). The tanh is a rational function, x P(x²) / Q(x²), fitted to 4e-8 of tanh for |x| ≤ 8.6 by iterated
weighted least squares; beyond, the clamped value is off by 7e-8. tests/test_additive_kernel.py compares with float64.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import lru_cache

import torch
from torch import Tensor

WORTHWHILE = 2**20
"""Numbers of (B, R, L, D) from which compiling, which takes seconds once a process, is repaid."""


def pays(keys: Tensor, query: Tensor) -> bool:
    """Whether these keys (B, L, D) and this query (B, R, D) are for the compiled functions."""
    large = keys.numel() * query.shape[1] >= WORTHWHILE
    return large and keys.device.type == "cpu" and keys.dtype == torch.float32


def scores(keys: Tensor, query: Tensor, v: Tensor) -> Tensor:
    """keys (B, L, D), query (B, R, D), v (D,), all float32 → (B, R, L)."""
    keys, query, v = keys.contiguous(), query.contiguous(), v.contiguous()
    out = keys.new_empty((*query.shape[:2], keys.shape[1]))
    from attend.train.models.additive_compiled import forward

    arrays = [tensor.numpy(force=True) for tensor in (keys, query, v, out)]
    _in_parts(lambda first, last, _: forward(*arrays, first, last), len(keys))
    return out


def gradients(keys: Tensor, query: Tensor, v: Tensor, of_scores: Tensor, of_keys: Tensor) -> tuple[Tensor, Tensor]:
    """Adds the gradient of the keys to `of_keys` (B, L, D); returns those of query (B, R, D) and v (D,)."""
    tensors = [tensor.contiguous() for tensor in (keys, query, v, of_scores)]
    of_query, of_v = torch.zeros_like(tensors[1]), v.new_zeros((torch.get_num_threads(), len(v)))
    from attend.train.models.additive_compiled import backward

    arrays = [tensor.numpy(force=True) for tensor in (*tensors, of_keys, of_query)]
    parts = of_v.numpy()
    _in_parts(lambda first, last, part: backward(*arrays, parts[part], first, last), len(keys))
    return of_query, of_v.sum(dim=0)


def _in_parts(work: Callable[[int, int, int], None], photos: int) -> None:
    """`work(first, last, part)` on as many parts of the photos as torch has threads, all at once."""
    count = torch.get_num_threads()
    bounds = [photos * part // count for part in range(count + 1)]
    list(_threads(count).map(work, bounds, bounds[1:], range(count)))


@lru_cache(maxsize=1)
def _threads(count: int) -> ThreadPoolExecutor:
    return ThreadPoolExecutor(count, thread_name_prefix="attention")
