"""The losses by hand on tiny cases."""

from __future__ import annotations

import math

import pytest
import torch

from attend.train.config import TrainConfig
from attend.train.losses.coverage import coverage_penalty
from attend.train.losses.likelihood import steps_mask, words_loss
from attend.train.losses.objective import SoftObjective
from attend.train.models.interface import Batch, Output


def test_steps_mask_counts_the_end_step_and_nothing_behind_it():
    assert steps_mask(torch.tensor([1, 3]), 3).tolist() == [[True, False, False], [True, True, True]]


def test_words_loss_is_the_sum_over_the_captions_own_steps():
    probabilities = torch.tensor([[[0.5, 0.25, 0.25], [0.1, 0.8, 0.1], [0.2, 0.2, 0.6]]] * 2)
    words = torch.tensor([[1, 1, 0], [1, 0, 2]])
    losses = words_loss(probabilities.log(), words, torch.tensor([3, 2]))
    assert losses[0].item() == pytest.approx(-math.log(0.25 * 0.8 * 0.2))
    assert losses[1].item() == pytest.approx(-math.log(0.25 * 0.1))


def test_label_smoothing_spreads_the_target_over_all_words():
    probabilities = torch.tensor([[[0.5, 0.25, 0.25]]])
    loss = words_loss(probabilities.log(), torch.tensor([[0]]), torch.tensor([1]), smoothing=0.3)
    spread = (math.log(0.5) + 2 * math.log(0.25)) / 3
    assert loss.item() == pytest.approx(-(0.7 * math.log(0.5) + 0.3 * spread))


def test_coverage_penalty_is_equation_14():
    attention = torch.tensor([[[0.5, 0.5, 0.0], [0.25, 0.25, 0.5]], [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]])
    both = coverage_penalty(attention, torch.tensor([2, 2]))
    assert both[0].item() == pytest.approx(2 * 0.25**2 + 0.5**2)
    assert both[1].item() == pytest.approx(1.0)


def test_coverage_penalty_ignores_steps_behind_the_end_and_masked_places():
    attention = torch.tensor([[[0.5, 0.5, 0.0], [9.0, 9.0, 9.0]]])
    assert coverage_penalty(attention, torch.tensor([1])).item() == pytest.approx(0.25 + 0.25 + 1)
    mask = torch.tensor([[True, True, False]])
    assert coverage_penalty(attention, torch.tensor([1]), mask).item() == pytest.approx(0.5)


def test_the_entropy_that_soft_attention_logs_is_that_of_the_captions_own_steps():
    """One place alone has 0 nats, four alike have log 4; behind the end nothing counts."""
    alone, even = [1.0, 0.0, 0.0, 0.0], [0.25] * 4
    attention = torch.tensor([[even, alone, even], [even, even, alone]])
    output = Output(torch.zeros(2, 3, 5).log_softmax(-1), attention, torch.ones(2, 3))
    batch = Batch(torch.zeros(2, 4, 1), torch.zeros(2, 3, dtype=torch.int64), torch.tensor([2, 3]))
    loss = SoftObjective(TrainConfig())(lambda _: output, batch)
    assert loss.figures["entropy"].item() == pytest.approx(math.log(4) * 3 / 5)
    assert loss.counts["entropy"].item() == 5
