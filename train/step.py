"""One optimiser step: forward, loss, backward, update."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import nn

from attend.device import PRECISIONS
from attend.errors import UserError
from attend.train.config import TrainConfig
from attend.train.losses.coverage import coverage_penalty
from attend.train.losses.likelihood import words_loss
from attend.train.models.interface import Batch, Output
from attend.train.optimizer import WeightAverage


class NonFiniteLossError(UserError):
    """The loss or its gradient is not finite: training stopped before the step that would have spoilt the weights."""


@dataclass(frozen=True)
class StepResult:
    """Figures of one mini-batch, as log lines give them."""

    loss: float  # what was minimised: mean over captions
    words_loss: float  # nats per caption, summed over steps, without smoothing
    penalty: float  # Σ_i (1 - Σ_t alpha_ti)² per caption, before λ
    gate: float  # mean beta over steps
    gradient_norm: float
    captions: int
    words: int


def train_step(
    model: nn.Module,
    batch: Batch,
    config: TrainConfig,
    optimizer: torch.optim.Optimizer,
    average: WeightAverage | None,
    precision: str,
) -> StepResult:
    """Minimise words' loss + λ penalty (eq. 14), both meant over the captions of the batch, by one step."""
    device = batch.annotations.device
    with torch.autocast(device.type, PRECISIONS[precision], enabled=precision != "float32"):
        output: Output = model(batch)
    likelihood = words_loss(output.log_probs, batch.words, batch.lengths).mean()
    smoothing = config.optim.label_smoothing
    minimised = words_loss(output.log_probs, batch.words, batch.lengths, smoothing).mean() if smoothing else likelihood
    penalty = coverage_penalty(output.attention, batch.lengths, batch.mask).mean()
    loss = minimised + config.loss.doubly_stochastic * penalty
    optimizer.zero_grad(set_to_none=True)
    loss.backward()
    norm = nn.utils.clip_grad_norm_(model.parameters(), config.optim.clip_norm or float("inf"))
    for name, value in (("loss", loss), ("norm of the gradient", norm)):
        if not torch.isfinite(value):
            raise NonFiniteLossError(
                f"the {name} became {value.item()}; last.pt holds the last good weights: go on from it with "
                f'RESUME=1 and SET="optim.learning_rate=…" below {config.optim.learning_rate:g} or "optim.clip_norm=5"'
            )
    optimizer.step()
    if average is not None:
        average.update(model)
    return StepResult(
        loss.item(),
        likelihood.item(),
        penalty.item(),
        output.gates.mean().item(),
        norm.item(),
        len(batch.words),
        int(batch.lengths.sum()),
    )
