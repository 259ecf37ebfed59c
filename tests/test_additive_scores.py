"""The pieced attention scores against plain differentiable code, in value and gradient, in float64."""

from __future__ import annotations

import pytest
import torch

from attend.train.models import additive_kernel
from attend.train.models import additive_scores as module
from attend.train.models.additive_scores import additive_scores, share_keys
from attend.train.models.repeated_linear import RepeatedLinear


@pytest.mark.parametrize("beams", [1, 2])
@pytest.mark.parametrize("piece_bytes", [1, 400, 2**21])
def test_values_and_gradients_over_two_steps_equal_plain_code(monkeypatch, beams, piece_bytes):
    monkeypatch.setattr(module, "PIECE_BYTES", piece_bytes)
    torch.manual_seed(0)
    base, v = torch.randn(5, 4, 3, dtype=torch.double), torch.randn(3, dtype=torch.double)
    queries = torch.randn(2, 5, beams, 3, dtype=torch.double)
    weights = torch.randn(5, beams, 4, dtype=torch.double)
    results = []
    for shared in (False, True):
        inputs = [tensor.clone().requires_grad_() for tensor in (base, v, queries)]
        keys, gathered = share_keys(inputs[0] * 2) if shared else (inputs[0] * 2, None)
        first = additive_scores(keys, inputs[2][0], inputs[1], gathered)
        second = additive_scores(keys, inputs[2][1] + first.sum() / 7, inputs[1], gathered)
        loss = (second * weights).sum() + first.square().sum()
        results.append([first, second, *torch.autograd.grad(loss, inputs)])
    for plain, pieced in zip(*results, strict=True):
        torch.testing.assert_close(plain, pieced, atol=1e-12, rtol=1e-10)


def test_keys_read_by_something_else_too_get_both_gradients():
    keys_in = torch.randn(2, 3, 4, dtype=torch.double, requires_grad=True)
    query, v = torch.randn(2, 1, 4, dtype=torch.double), torch.randn(4, dtype=torch.double)
    keys, gathered = share_keys(keys_in)
    (pieced,) = torch.autograd.grad(additive_scores(keys, query, v, gathered).sum() + keys.square().sum(), keys_in)
    (plain,) = torch.autograd.grad(additive_scores(keys_in, query, v).sum() + keys_in.square().sum(), keys_in)
    torch.testing.assert_close(pieced, plain)


def drawn(dtype: torch.dtype) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """Keys (2, 3, 4), query (2, 1, 4), v (4,)."""
    torch.manual_seed(0)
    keys, query, v = (torch.randn(shape, dtype=dtype, requires_grad=True) for shape in ((2, 3, 4), (2, 1, 4), (4,)))
    return keys, query, v


@pytest.mark.parametrize("dtype", [torch.double, torch.float32])
def test_a_backward_pass_that_stops_before_the_keys_leaves_nothing_to_the_next(monkeypatch, dtype):
    monkeypatch.setattr(additive_kernel, "WORTHWHILE", 1)
    keys, query, v = drawn(dtype)
    shared, gathered = share_keys(keys)
    loss = additive_scores(shared, query, v, gathered).sin().sum()
    torch.autograd.grad(loss, v, retain_graph=True)
    loss.backward(retain_graph=True)
    loss.backward()
    (plain,) = torch.autograd.grad(additive_scores(keys, query, v).sin().sum(), keys)
    torch.testing.assert_close(keys.grad, 2 * plain)


@pytest.mark.parametrize("dtype", [torch.double, torch.float32])
def test_a_second_derivative_is_refused_not_wrong(monkeypatch, dtype):
    monkeypatch.setattr(additive_kernel, "WORTHWHILE", 1)
    keys, query, v = drawn(dtype)
    shared, gathered = share_keys(keys)
    for one in (keys, query, v):
        with pytest.raises(RuntimeError, match="has no gradient"):
            torch.autograd.grad(additive_scores(shared, query, v, gathered).sum(), one, create_graph=True)


def test_the_gradient_of_a_matrix_used_three_times_is_the_sum_over_its_uses():
    torch.manual_seed(0)
    weight, inputs = torch.randn(3, 3, dtype=torch.double), torch.randn(4, 3, dtype=torch.double)
    results = []
    for gathered in (False, True):
        matrix, x = weight.clone().requires_grad_(), inputs.clone().requires_grad_()
        use = RepeatedLinear(matrix) if gathered else (lambda y, matrix=matrix: y @ matrix.T)
        hidden = x
        for _ in range(3):
            hidden = use(hidden).tanh()
        results.append([hidden, *torch.autograd.grad(hidden.square().sum(), (matrix, x))])
    for plain, other in zip(*results, strict=True):
        torch.testing.assert_close(plain, other, atol=1e-12, rtol=1e-10)


def test_a_repeated_matrix_takes_the_autocast_precision_and_gives_its_gradient_in_its_own():
    weight = torch.randn(3, 3, requires_grad=True)
    with torch.autocast("cpu", torch.bfloat16):
        output = RepeatedLinear(weight)(torch.ones(2, 3))
    assert output.dtype == torch.bfloat16
    output.float().sum().backward()
    assert weight.grad is not None
    assert weight.grad.dtype == torch.float32
    torch.testing.assert_close(weight.grad, torch.full((3, 3), 2.0))
