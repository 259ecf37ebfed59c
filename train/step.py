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
from attend.train.models.interface import Batch, Captioner
from attend.train.optimizer import WeightAverage


class NonFiniteLossError(UserError):
    """The loss is no number any more: training stopped before the step that would have spoilt the weights."""


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
    model: Captioner,
    batch: Batch,
    config: TrainConfig,
    optimizer: torch.optim.Optimizer,
    average: WeightAverage | None,
    precision: str,
) -> StepResult:
    """Minimise words' loss + λ penalty (eq. 14), both meant over the captions of the batch, by one step."""
    device = batch.annotations.device
    with torch.autocast(device.type, PRECISIONS[precision], enabled=precision != "float32"):
        output = model(batch)
    likelihood = words_loss(output.log_probs, batch.words, batch.lengths).mean()
    smoothing = config.optim.label_smoothing
    minimised = words_loss(output.log_probs, batch.words, batch.lengths, smoothing).mean() if smoothing else likelihood
    penalty = coverage_penalty(output.attention, batch.lengths, batch.mask).mean()
    loss = minimised + config.loss.doubly_stochastic * penalty
    if not torch.isfinite(loss):
        raise NonFiniteLossError(
            f"the loss became {loss.item()}: lower optim.learning_rate (now {config.optim.learning_rate:g}) "
            "or set optim.clip_norm=5"
        )
    optimizer.zero_grad(set_to_none=True)
    loss.backward()
    limit = config.optim.clip_norm or float("inf")
    norm = nn.utils.clip_grad_norm_(model.parameters(), limit)
    optimizer.step()
    if average is not None:
        assert isinstance(model, nn.Module)
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


def summarise(results: list[StepResult], seconds: float, waited: float) -> dict[str, float]:
    """Means over captions of several steps, with the rate and the share of the time spent waiting for data."""
    captions = sum(result.captions for result in results)
    words = sum(result.words for result in results)

    def mean(name: str) -> float:
        return sum(getattr(result, name) * result.captions for result in results) / captions

    return {
        "loss": mean("loss"),
        "words_loss": mean("words_loss"),
        "loss_per_word": mean("words_loss") * captions / words,
        "penalty": mean("penalty"),
        "gate": mean("gate"),
        "gradient_norm": mean("gradient_norm"),
        "captions_per_second": captions / max(seconds, 1e-9),
        "data_wait": waited / max(seconds, 1e-9),
    }
