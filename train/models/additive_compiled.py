"""What Numba compiles of `additive_kernel.py`, at the first call, for this processor; kept beside this file.

Importing this takes a second: only `additive_kernel.py` does, where it pays.
"""

from __future__ import annotations

from typing import Any

import numba
import numpy as np

LIMIT, ONE, ZERO = np.float32(8.6), np.float32(1), np.float32(0)
P0, P1, P2 = np.float32(0.9999999616063648), np.float32(0.12943860970322282), np.float32(0.002947339282908186)
P3, P4, P5 = np.float32(9.512518323925784e-06), np.float32(-1.352736239500581e-08), np.float32(2.02057697333359e-11)
Q1, Q2, Q3 = np.float32(0.4627716100912778), np.float32(0.023871693880559777), np.float32(0.0002317899131451467)

OPTIONS: dict[str, Any] = {
    "nogil": True,
    "error_model": "numpy",
    "fastmath": {"reassoc", "contract", "nsz", "arcp"},  # not those that say there is no NaN
}


def compiled(function: Any) -> Any:
    """`function` for Numba to compile; kept on the disk where there is a place for it."""
    try:
        return numba.njit(cache=True, **OPTIONS)(function)
    except RuntimeError:  # neither this folder nor the user's can be written to
        return numba.njit(**OPTIONS)(function)


@numba.njit(inline="always", **OPTIONS)
def tanh(x):  # type: ignore[no-untyped-def]
    """x P(x²) / Q(x²)."""
    x = LIMIT if x > LIMIT else x  # so written, a NaN stays one
    x = -LIMIT if x < -LIMIT else x
    z = x * x
    above = ((((P5 * z + P4) * z + P3) * z + P2) * z + P1) * z + P0
    return x * above / (((Q3 * z + Q2) * z + Q1) * z + ONE)


@compiled
def forward(keys, query, v, scores, first, last):  # type: ignore[no-untyped-def]
    """keys (B, L, D), query (B, R, D), v (D,) → scores (B, R, L), for the photos from `first` up to `last`."""
    for b in range(first, last):
        for r in range(query.shape[1]):
            q = query[b, r]
            for place in range(keys.shape[1]):
                p, total = keys[b, place], ZERO
                for d in range(keys.shape[2]):
                    total += v[d] * tanh(p[d] + q[d])
                scores[b, r, place] = total


@compiled
def backward(keys, query, v, of_scores, of_keys, of_query, of_v, first, last):  # type: ignore[no-untyped-def]
    """Adds to the gradients of keys (B, L, D), query (B, R, D) and v (D,) from that of the scores (B, R, L)."""
    for b in range(first, last):
        for r in range(query.shape[1]):
            q, to_query = query[b, r], of_query[b, r]
            for place in range(keys.shape[1]):
                p, to_key, weight = keys[b, place], of_keys[b, place], of_scores[b, r, place]
                for d in range(keys.shape[2]):
                    value = tanh(p[d] + q[d])
                    of_v[d] += weight * value
                    slope = weight * v[d] * (ONE - value * value)
                    to_query[d] += slope
                    to_key[d] += slope
