"""Mini-batches hold captions of one length, each caption once."""

from __future__ import annotations

import numpy as np
import pytest

from attend.errors import UserError
from attend.train.batches import plan_batches

LENGTHS = np.array([3] * 130 + [5] * 65 + [9])


@pytest.mark.parametrize("order", ["random", "round_robin"])
def test_every_caption_once_in_batches_of_one_length(order):
    plan = plan_batches(LENGTHS, 64, order, seed=1, epoch=0)
    assert sorted(np.concatenate(plan).tolist()) == list(range(len(LENGTHS)))
    assert all(len(set(LENGTHS[batch])) == 1 for batch in plan)
    assert sorted(len(batch) for batch in plan) == [1, 1, 2, 64, 64, 64]


@pytest.mark.parametrize("order", ["random", "round_robin"])
def test_the_plan_depends_on_seed_and_epoch_alone(order):
    def flat(seed: int, epoch: int) -> list[int]:
        return np.concatenate(plan_batches(LENGTHS, 64, order, seed, epoch)).tolist()

    assert flat(1, 2) == flat(1, 2)
    assert flat(1, 2) != flat(1, 3)
    assert flat(1, 2) != flat(2, 2)


def test_round_robin_takes_one_batch_of_each_length_in_turn():
    lengths = [LENGTHS[batch[0]] for batch in plan_batches(LENGTHS, 64, "round_robin", seed=1, epoch=0)]
    assert sorted(lengths[:3]) == [3, 5, 9]
    assert sorted(lengths[3:5]) == [3, 5]
    assert lengths[5:] == [3]


def test_an_unknown_order_is_named():
    with pytest.raises(UserError, match=r"batches\.order=sorted is unknown: random or round_robin"):
        plan_batches(LENGTHS, 64, "sorted", 1, 0)
