"""float16 arrays: the type of every stored annotation."""

from __future__ import annotations

import numpy as np

_EXPONENT = np.uint16(0x7C00)  # all exponent bits of a float16: infinity or NaN


def to_half(values: np.ndarray) -> np.ndarray:
    """`values` as contiguous float16; what is beyond 65,504 becomes infinity."""
    with np.errstate(over="ignore"):
        return np.ascontiguousarray(values, dtype=np.float16)


def finite_rows(half: np.ndarray) -> np.ndarray:
    """Of contiguous float16 (n, …): (n,) bool, true where a row holds neither NaN nor infinity."""
    special = (half.view(np.uint16) & _EXPONENT) == _EXPONENT
    return ~special.any(axis=tuple(range(1, half.ndim)))
