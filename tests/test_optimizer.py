"""The optimisers by hand."""

from __future__ import annotations

import math

import pytest
import torch
from torch import nn

from attend.errors import UserError
from attend.train.config import OptimSettings
from attend.train.optimizer import GravesRMSProp, WeightAverage, build_optimizer, set_learning_rate


def test_graves_rmsprop_follows_his_equations():
    weight = nn.Parameter(torch.tensor([1.0], dtype=torch.float64))
    optimizer = GravesRMSProp([weight], lr=1e-4, decay=0.95, momentum=0.9, weight_decay=0.0)
    square = mean = step = 0.0
    expected = 1.0
    for gradient in (0.3, -2.0, 0.7):
        weight.grad = torch.tensor([gradient], dtype=torch.float64)
        optimizer.step()
        square = 0.95 * square + 0.05 * gradient**2
        mean = 0.95 * mean + 0.05 * gradient
        step = 0.9 * step - 1e-4 * gradient / math.sqrt(square - mean**2 + 1e-4)
        expected += step
        assert weight.item() == pytest.approx(expected, abs=1e-14)


def test_adam_equals_the_published_rule():
    model = nn.Linear(1, 1, bias=False)
    with torch.no_grad():
        model.weight.fill_(1.0)
    optimizer = build_optimizer(model, OptimSettings(learning_rate=0.01))
    first = second = 0.0
    expected = 1.0
    for k, gradient in enumerate((0.3, -2.0, 0.7), start=1):
        model.weight.grad = torch.full((1, 1), gradient)
        optimizer.step()
        first = 0.9 * first + 0.1 * gradient
        second = 0.999 * second + 0.001 * gradient**2
        expected -= 0.01 * (first / (1 - 0.9**k)) / (math.sqrt(second / (1 - 0.999**k)) + 1e-8)
        assert model.weight.item() == pytest.approx(expected, abs=1e-6)


def test_the_authors_adam_corrects_with_one_minus_beta():
    """Their rule, term by term; and that it is not Adam: under one gradient its steps are 3.5 to 6.4 times as long."""
    models = [nn.Linear(1, 1, bias=False).double() for _ in range(2)]
    names = ("adam_arctic", "adam")
    optimizers = [
        build_optimizer(model, OptimSettings(algorithm=name)) for model, name in zip(models, names, strict=True)
    ]
    first = second = 0.0
    expected = models[0].weight.item()
    lengths = []
    for k in range(1, 9):
        before = [model.weight.item() for model in models]
        for model, optimizer in zip(models, optimizers, strict=True):
            model.weight.grad = torch.full((1, 1), -0.3, dtype=torch.float64)
            optimizer.step()
        first = 0.1 * -0.3 + 0.9 * first
        second = 0.001 * 0.3**2 + 0.999 * second
        rate = 2e-4 * math.sqrt(1 - 0.001**k) / (1 - 0.1**k)
        expected -= rate * first / (math.sqrt(second) + 1e-8)
        assert models[0].weight.item() == pytest.approx(expected, abs=1e-12)
        lengths.append([model.weight.item() - old for model, old in zip(models, before, strict=True)])
    assert [length[1] for length in lengths] == pytest.approx([2e-4] * 8, rel=1e-4)
    assert lengths[0][0] == pytest.approx(3.51 * 2e-4, rel=0.01)
    assert lengths[7][0] == pytest.approx(6.38 * 2e-4, rel=0.01)


def test_the_step_size_warms_up_and_then_decays_as_before():
    settings = OptimSettings(learning_rate=0.8, warmup_steps=4, decay_every=1)
    optimizer = build_optimizer(nn.Linear(1, 1), settings)
    rates = [set_learning_rate(optimizer, settings, 0, step) for step in range(6)]
    assert rates == pytest.approx([0.2, 0.4, 0.6, 0.8, 0.8, 0.8])
    assert set_learning_rate(optimizer, settings, 1, 100) == pytest.approx(0.4)


def test_an_unknown_algorithm_is_named():
    with pytest.raises(UserError, match=r"optim\.algorithm=sgd is unknown: adam, adam_arctic or rmsprop"):
        build_optimizer(nn.Linear(1, 1), OptimSettings(algorithm="sgd"))


def test_the_step_size_falls_every_so_many_epochs():
    settings = OptimSettings(learning_rate=0.8, decay_every=2, decay_factor=0.5)
    optimizer = build_optimizer(nn.Linear(1, 1), settings)
    rates = [set_learning_rate(optimizer, settings, epoch) for epoch in range(5)]
    assert rates == [0.8, 0.8, 0.4, 0.4, 0.2]
    assert optimizer.param_groups[0]["lr"] == 0.2
    constant = OptimSettings(learning_rate=0.8)
    assert {set_learning_rate(optimizer, constant, epoch) for epoch in range(50)} == {0.8}


def test_the_average_of_weights_by_hand():
    model = nn.Linear(1, 1, bias=False)
    with torch.no_grad():
        model.weight.fill_(4.0)
    average = WeightAverage(model, decay=0.5)
    expected = 4.0
    for k, value in enumerate((1.0, 2.0, 8.0), start=1):
        with torch.no_grad():
            model.weight.fill_(value)
        average.update(model)
        decay = min(0.5, k / (k + 10))
        expected = decay * expected + (1 - decay) * value
        assert average.weights["weight"].item() == pytest.approx(expected, abs=1e-6)
