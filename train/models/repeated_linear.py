"""A matrix used at every step of a recurrence, whose gradient is one product over all steps instead of one for each."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor
from torch.autograd import Function


class _Uses:
    """Inputs (B, I) of one forward pass and the gradients (B, O) that came back for its outputs."""

    def __init__(self) -> None:
        self.inputs: list[Tensor] = []
        self.gradients: list[Tensor] = []


class _Weight(Function):
    """The matrix unchanged; backward, which runs after that of every use, multiplies what they collected."""

    @staticmethod
    def forward(ctx: Any, weight: Tensor, uses: _Uses) -> Tensor:
        ctx.uses = uses
        ctx.set_materialize_grads(False)
        return weight.view_as(weight)

    @staticmethod
    def backward(ctx: Any, *others: Any) -> tuple[Tensor | None, None]:
        uses = ctx.uses
        if not uses.gradients:
            return None, None
        weight_gradient = torch.cat(uses.gradients).T @ torch.cat(uses.inputs)  # (O, T·B) (T·B, I)
        uses.inputs, uses.gradients = [], []
        return weight_gradient, None


class _Use(Function):
    @staticmethod
    def forward(ctx: Any, inputs: Tensor, weight: Tensor, uses: _Uses) -> Tensor:
        ctx.save_for_backward(inputs, weight)
        ctx.uses = uses
        return inputs @ weight.T

    @staticmethod
    def backward(ctx: Any, *outputs: Any) -> tuple[Tensor, None, None]:
        inputs, weight = ctx.saved_tensors
        ctx.uses.inputs.append(inputs)
        ctx.uses.gradients.append(outputs[0])
        return outputs[0] @ weight, None, None


class RepeatedLinear:
    """x → x Wᵀ for one forward pass, W (O, I); in the autocast precision where that is on."""

    def __init__(self, weight: Tensor) -> None:
        kind = weight.device.type
        self.dtype = torch.get_autocast_dtype(kind) if torch.is_autocast_enabled(kind) else weight.dtype
        self.uses = _Uses()
        self.weight = _Weight.apply(weight.to(self.dtype), self.uses)

    def __call__(self, inputs: Tensor) -> Tensor:
        """Inputs (B, I) → (B, O)."""
        return _Use.apply(inputs.to(self.dtype), self.weight, self.uses)
