"""float16 conversion and the search for what is not finite."""

from __future__ import annotations

import numpy as np
import pytest

from attend.data.half import finite_rows, to_half


def test_all_65536_bit_patterns() -> None:
    every = np.arange(2**16, dtype=np.uint32).astype(np.uint16).view(np.float16)
    assert np.array_equal(finite_rows(every.reshape(-1, 1)), np.isfinite(every))


@pytest.mark.parametrize(
    ("value", "finite"), [(65504, True), (65519.9, True), (65520, False), (-7e4, False), (np.nan, False), (1e-30, True)]
)
def test_the_edge_of_float16(value: float, finite: bool) -> None:
    half = to_half(np.array([[0.0, 1.0], [value, 0.0]], dtype=np.float32))
    assert half.dtype == np.float16
    assert finite_rows(half).tolist() == [True, finite]


def test_no_rows() -> None:
    assert finite_rows(np.empty((0, 3, 4), np.float16)).shape == (0,)
