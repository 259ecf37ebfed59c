"""v·tanh(p + q) and its gradient on a processor, compiled by Numba: one pass over the keys, nothing kept between.

Torch's operations go over the same (B, R, L, D) numbers once each, some eight times for a step and its gradient
(bench/train.py). The tanh is a rational function, x P(x²) / Q(x²), fitted to 4e-8 of tanh for |x| ≤ 8.6 by iterated
weighted least squares; beyond, the clamped value is off by 7e-8. tests/test_additive_kernel.py compares with float64.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import lru_cache
from typing import Any

import numpy as np
import torch
from torch import Tensor

WORTHWHILE = 2**20
"""Numbers of (B, R, L, D) from which compiling, which takes seconds once a process, is repaid."""

_LIMIT, _ONE, _ZERO = np.float32(8.6), np.float32(1), np.float32(0)
_P0, _P1, _P2 = np.float32(0.9999999616063648), np.float32(0.12943860970322282), np.float32(0.002947339282908186)
_P3, _P4, _P5 = (
    np.float32(9.512518323925784e-06),
    np.float32(-1.3527362395005808e-08),
    np.float32(2.0205769733335858e-11),
)
_Q1, _Q2, _Q3 = np.float32(0.4627716100912778), np.float32(0.023871693880559777), np.float32(0.0002317899131451467)


def pays(keys: Tensor, query: Tensor) -> bool:
    """Whether these keys (B, L, D) and this query (B, R, D) are for the compiled functions."""
    large = keys.numel() * query.shape[1] >= WORTHWHILE
    return large and keys.device.type == "cpu" and keys.dtype == torch.float32


def scores(keys: Tensor, query: Tensor, v: Tensor) -> Tensor:
    """keys (B, L, D), query (B, R, D), v (D,), all float32 → (B, R, L)."""
    keys, query, v = keys.contiguous(), query.contiguous(), v.contiguous()
    out = keys.new_empty((*query.shape[:2], keys.shape[1]))
    forward, _ = _compiled()
    arrays = [tensor.numpy(force=True) for tensor in (keys, query, v, out)]
    _in_parts(lambda first, last, _: forward(*arrays, first, last), len(keys))
    return out


def gradients(keys: Tensor, query: Tensor, v: Tensor, of_scores: Tensor, of_keys: Tensor) -> tuple[Tensor, Tensor]:
    """Adds the gradient of the keys to `of_keys` (B, L, D); returns those of query (B, R, D) and v (D,)."""
    tensors = [tensor.contiguous() for tensor in (keys, query, v, of_scores)]
    of_query, of_v = torch.zeros_like(tensors[1]), v.new_zeros((torch.get_num_threads(), len(v)))
    _, backward = _compiled()
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


@lru_cache(maxsize=1)
def _compiled() -> tuple[Callable[..., None], Callable[..., None]]:
    """Both functions for this processor; kept on the disk for other processes where there is a place for it."""
    import numba

    options = {"nogil": True, "error_model": "numpy", "fastmath": {"reassoc", "contract", "nsz", "arcp"}}
    inline = numba.njit(inline="always", **options)(_tanh)
    made: list[Any] = []
    for make in (_make_forward, _make_backward):
        function = make(inline)
        try:
            made.append(numba.njit(cache=True, **options)(function))
        except RuntimeError:  # no folder to keep it in
            made.append(numba.njit(**options)(function))
    return made[0], made[1]


def _tanh(x: Any) -> Any:
    x = _LIMIT if x > _LIMIT else x  # so written, a NaN stays one
    x = -_LIMIT if x < -_LIMIT else x
    z = x * x
    above = ((((_P5 * z + _P4) * z + _P3) * z + _P2) * z + _P1) * z + _P0
    return x * above / (((_Q3 * z + _Q2) * z + _Q1) * z + _ONE)


def _make_forward(tanh: Callable[[Any], Any]) -> Callable[..., None]:
    def forward(keys, query, v, scores, first, last):  # type: ignore[no-untyped-def]
        for b in range(first, last):
            for r in range(query.shape[1]):
                q = query[b, r]
                for place in range(keys.shape[1]):
                    p, total = keys[b, place], _ZERO
                    for d in range(keys.shape[2]):
                        total += v[d] * tanh(p[d] + q[d])
                    scores[b, r, place] = total

    return forward


def _make_backward(tanh: Callable[[Any], Any]) -> Callable[..., None]:
    def backward(keys, query, v, of_scores, of_keys, of_query, of_v, first, last):  # type: ignore[no-untyped-def]
        for b in range(first, last):
            for r in range(query.shape[1]):
                q, to_query = query[b, r], of_query[b, r]
                for place in range(keys.shape[1]):
                    p, to_key, weight = keys[b, place], of_keys[b, place], of_scores[b, r, place]
                    for d in range(keys.shape[2]):
                        value = tanh(p[d] + q[d])
                        of_v[d] += weight * value
                        slope = weight * v[d] * (_ONE - value * value)
                        to_query[d] += slope
                        to_key[d] += slope

    return backward
