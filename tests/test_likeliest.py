"""The largest of many numbers against a full sort."""

from __future__ import annotations

import pytest
import torch

from attend.score.search import likeliest as module
from attend.score.search.likeliest import likeliest


@pytest.mark.parametrize("columns", [3, 99, 100, 700, 701, 1000, 1099, 10_000])
@pytest.mark.parametrize("count", [1, 3])
def test_values_and_columns_are_those_of_a_sort(columns: int, count: int) -> None:
    """All numbers differ, so there is one right answer; lengths below, at and between whole blocks."""
    generator = torch.Generator().manual_seed(columns)
    scores = torch.stack([torch.randperm(columns, generator=generator) for _ in range(20)]).float()
    values, indices = likeliest(scores, count)
    expected, order = scores.sort(dim=1, descending=True)
    assert torch.equal(values, expected[:, :count]) and torch.equal(indices, order[:, :count])


def test_all_of_them_in_one_block_or_behind_the_blocks_are_found() -> None:
    length = 12
    scores = torch.zeros((2, module.BLOCKS * length + 5))
    scores[0, [7, 7 + length, 7 + 2 * length]] = torch.tensor([3.0, 2.0, 1.0])  # one place of three blocks
    scores[1, -3:] = torch.tensor([1.0, 2.0, 3.0])  # the last columns, which no block has
    last = scores.shape[1] - 1
    assert likeliest(scores, 3)[1].tolist() == [[7, 7 + length, 7 + 2 * length], [last, last - 1, last - 2]]


def test_rows_may_lie_in_several_dimensions() -> None:
    scores = torch.randn((2, 3, 4, 1500), generator=torch.Generator().manual_seed(3))
    values, indices = likeliest(scores, 5)
    expected, order = scores.sort(dim=3, descending=True)
    assert torch.equal(values, expected[..., :5]) and torch.equal(indices, order[..., :5])


def test_equal_numbers_come_from_different_columns() -> None:
    values, indices = likeliest(torch.zeros((1, 5000)), 6)
    assert values.tolist() == [[0.0] * 6] and len(set(indices[0].tolist())) == 6


def test_a_row_with_minus_infinity_and_one_that_is_no_number() -> None:
    scores = torch.full((2, 2000), float("-inf"))
    scores[0, 1234], scores[1, 77] = 0.5, float("nan")
    values, indices = likeliest(scores, 2)
    assert (values[0].tolist(), int(indices[0, 0])) == ([0.5, float("-inf")], 1234)
    assert bool(values[1, 0].isnan()) and int(indices[1, 0]) == 77
