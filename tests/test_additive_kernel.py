"""The compiled attention scores against float64, in value and gradient, and what is left to plain code."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from attend.train.models import additive_kernel as kernel
from attend.train.models.additive_scores import additive_scores, share_keys


@pytest.fixture
def always(monkeypatch):
    monkeypatch.setattr(kernel, "WORTHWHILE", 1)


def cases(beams: int) -> list[torch.Tensor]:
    """Keys (5, 7, 33), v (33,), two queries (2, 5, R, 33), weights (5, R, 7): sides that fill no vector register."""
    torch.manual_seed(beams)
    shapes = [(5, 7, 33), (33,), (2, 5, beams, 33), (5, beams, 7)]
    return [torch.randn(shape, dtype=torch.double) * 2 for shape in shapes]


@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.parametrize("beams", [1, 2])
def test_values_and_gradients_over_two_steps_are_those_of_float64(always, beams, threads):
    base, v, queries, weights = cases(beams)
    before = torch.get_num_threads()
    torch.set_num_threads(threads)
    results = []
    try:
        for dtype in (torch.double, torch.float32):
            inputs = [tensor.to(dtype).requires_grad_() for tensor in (base, v, queries)]
            keys, gathered = share_keys(inputs[0] * 2)
            first = additive_scores(keys, inputs[2][0], inputs[1], gathered)
            second = additive_scores(keys, inputs[2][1] + first.sum() / 7, inputs[1], gathered)
            assert kernel.pays(keys, inputs[2][0]) == (dtype == torch.float32)
            loss = (second * weights.to(dtype)).sum() + first.square().sum()
            results.append([first, second, *torch.autograd.grad(loss, inputs)])
    finally:
        torch.set_num_threads(before)
    for exact, compiled in zip(*results, strict=True):
        assert float(((compiled.double() - exact).norm() / exact.norm()).detach()) < 2e-6


def test_tanh_is_within_half_a_millionth_everywhere():
    x = np.linspace(-20, 20, 400_001, dtype=np.float32)
    keys = torch.from_numpy(x).view(1, -1, 1)
    values = kernel.scores(keys, torch.zeros(1, 1, 1), torch.ones(1)).flatten().numpy()
    assert np.abs(values - np.tanh(x.astype(np.float64))).max() < 5e-7
    assert (np.diff(values) > -5e-7).all() and np.abs(values).max() <= 1 + 2e-7


def test_without_a_gradient_the_compiled_function_is_used_too(always):
    base, v, queries, _ = (tensor.float() for tensor in cases(3))
    plain = additive_scores(base.double(), queries[0].double(), v.double())
    with torch.no_grad():
        torch.testing.assert_close(additive_scores(base, queries[0], v).double(), plain, rtol=0, atol=5e-5)


@pytest.mark.fault("a number that is not finite in the keys", "stays one: the loss shows it", "Training")
def test_what_is_not_a_number_stays_so(always):
    keys, query, v = torch.zeros(1, 2, 4), torch.zeros(1, 1, 4), torch.ones(4)
    keys[0, 1, 2] = float("nan")
    scores = kernel.scores(keys, query, v)
    assert scores[0, 0, 0] == 0 and scores[0, 0, 1].isnan()


def test_small_work_float64_and_other_devices_are_left_to_torch():
    large = torch.zeros(64, 196, 512)
    assert kernel.pays(large, torch.zeros(64, 1, 512))
    assert not kernel.pays(large[:1], torch.zeros(1, 1, 512))
    assert kernel.pays(large[:1], torch.zeros(1, 16, 512))
    assert not kernel.pays(large.double(), torch.zeros(64, 1, 512).double())
    assert not kernel.pays(large.to("meta"), torch.zeros(64, 1, 512))
