"""Optimisers of the paper and the moving average of the weights."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import torch
from torch import Tensor, nn

from attend.errors import UserError
from attend.train.config import OptimSettings


class GravesRMSProp(torch.optim.Optimizer):
    """RMSProp as in Graves, arXiv 1308.0850, eq. 38-45; what the paper used for Flickr8k.

    n ← ρ n + (1-ρ) ε²,  g ← ρ g + (1-ρ) ε,  Δ ← μ Δ - lr ε / sqrt(n - g² + 1e-4),  w ← w + Δ, with ε the gradient.
    torch.optim.RMSprop(centered=True) adds its epsilon outside the root and so is another rule.
    """

    def __init__(
        self, parameters: Iterable[Tensor], lr: float, decay: float, momentum: float, weight_decay: float
    ) -> None:
        super().__init__(parameters, {"lr": lr, "decay": decay, "momentum": momentum, "weight_decay": weight_decay})

    @torch.no_grad()
    def step(self, closure: Callable[[], float] | None = None) -> float | None:  # type: ignore[override]
        """One update of every parameter that has a gradient."""
        loss = closure() if closure is not None else None
        for group in self.param_groups:
            rho = group["decay"]
            for weight in group["params"]:
                if weight.grad is None:
                    continue
                gradient = weight.grad
                if group["weight_decay"]:
                    gradient = gradient.add(weight, alpha=group["weight_decay"])
                state = self.state[weight]
                if not state:
                    for name in ("square", "mean", "step"):
                        state[name] = torch.zeros_like(weight)
                state["square"].mul_(rho).addcmul_(gradient, gradient, value=1 - rho)
                state["mean"].mul_(rho).add_(gradient, alpha=1 - rho)
                scale = state["square"].addcmul(state["mean"], state["mean"], value=-1).add_(1e-4).sqrt_()
                state["step"].mul_(group["momentum"]).addcdiv_(gradient, scale, value=-group["lr"])
                weight.add_(state["step"])
        return loss


def build_optimizer(model: nn.Module, settings: OptimSettings) -> torch.optim.Optimizer:
    """The optimiser that `optim.algorithm` names."""
    parameters = [weight for weight in model.parameters() if weight.requires_grad]
    if settings.algorithm == "adam":
        return torch.optim.Adam(parameters, settings.learning_rate, weight_decay=settings.weight_decay, fused=True)
    if settings.algorithm == "rmsprop":
        return GravesRMSProp(parameters, settings.learning_rate, 0.95, 0.9, settings.weight_decay)
    raise UserError(f"optim.algorithm={settings.algorithm} is unknown: adam or rmsprop")


def set_learning_rate(optimizer: torch.optim.Optimizer, settings: OptimSettings, epoch: int) -> float:
    """The step size of an epoch (from 0) under `decay_every`, set and returned."""
    halvings = epoch // settings.decay_every if settings.decay_every else 0
    rate = settings.learning_rate * settings.decay_factor**halvings
    for group in optimizer.param_groups:
        group["lr"] = rate
    return rate


class WeightAverage:
    """Exponential moving average of the weights; its decay grows to the one set: min(d, k / (k + 10)) at update k."""

    def __init__(self, model: nn.Module, decay: float) -> None:
        self.decay, self.updates = decay, 0
        self.weights = {name: value.detach().clone() for name, value in model.state_dict().items()}

    @torch.no_grad()
    def update(self, model: nn.Module) -> None:
        """Take the weights after one optimiser step into the average."""
        self.updates += 1
        share = 1 - min(self.decay, self.updates / (self.updates + 10))
        now = list(model.state_dict().values())
        torch._foreach_lerp_(list(self.weights.values()), now, share)

    def state_dict(self) -> dict[str, Any]:
        """Plain data for a checkpoint."""
        return {"updates": self.updates, "weights": self.weights}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Go on from a checkpoint."""
        self.updates = state["updates"]
        for name, value in self.weights.items():
            value.copy_(state["weights"][name])
