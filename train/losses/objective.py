"""What a variant minimises, as the training step sees it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Protocol

import torch
from torch import Tensor

from attend.train.config import TrainConfig
from attend.train.losses.coverage import coverage_penalty
from attend.train.losses.likelihood import steps_mask, words_loss
from attend.train.models.interface import Batch, Captioner


@dataclass(frozen=True)
class Loss:
    """One mini-batch; every figure is a mean over its captions, or over what `counts` counts."""

    minimised: Tensor  # ()
    words: Tensor  # () nats per caption, summed over steps, without smoothing
    figures: dict[str, float | Tensor] = field(default_factory=dict)
    """The variant's own, for the log."""
    counts: dict[str, Tensor] = field(default_factory=dict)
    """How many things a figure is the mean of, where that is not the captions."""


class Objective(Protocol):
    """The loss of one run. It may carry a state of its own, which checkpoints hold."""

    def __call__(self, model: Any, batch: Batch) -> Loss:
        """Forward pass and loss, ready for `backward`."""
        ...

    def state_dict(self) -> dict[str, Any]:
        """Plain data for a checkpoint."""
        ...

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Go on from a checkpoint."""
        ...


class WordsObjective:
    """-log p(words), with label smoothing where it is set, meant over the captions."""

    def __init__(self, config: TrainConfig) -> None:
        self.smoothing = config.optim.label_smoothing

    def __call__(self, model: Captioner, batch: Batch) -> Loss:
        """See `Objective`."""
        output = model(batch)
        minimised, words = smoothed_words_loss(output.log_probs, batch.words, batch.lengths, self.smoothing)
        return Loss(minimised, words, {"gate": output.gates.detach().mean()})

    def state_dict(self) -> dict[str, Any]:
        """Nothing."""
        return {}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Nothing."""


class SoftObjective(WordsObjective):
    """-log p(words) + λ Σ_i (1 - Σ_t alpha_ti)² (eq. 14), meant over the captions."""

    def __init__(self, config: TrainConfig) -> None:
        super().__init__(config)
        self.weight = config.loss.doubly_stochastic

    def __call__(self, model: Captioner, batch: Batch) -> Loss:
        """See `Objective`."""
        output = model(batch)
        minimised, words = smoothed_words_loss(output.log_probs, batch.words, batch.lengths, self.smoothing)
        penalty = coverage_penalty(output.attention, batch.lengths, batch.mask).mean()
        each = torch.special.entr(output.attention.detach()).sum(dim=-1)  # (B, T)
        steps = batch.lengths.sum()
        entropy = each.masked_fill(~steps_mask(batch.lengths, each.shape[1]), 0).sum() / steps  # nats a step
        figures = {"penalty": penalty.detach(), "gate": output.gates.detach().mean(), "entropy": entropy}
        return Loss(minimised + self.weight * penalty, words, figures, {"entropy": steps})


def smoothed_words_loss(log_probs: Tensor, words: Tensor, lengths: Tensor, smoothing: float) -> tuple[Tensor, Tensor]:
    """What is minimised of the words, and their negative log-likelihood without smoothing: means over the captions."""
    likelihood = words_loss(log_probs, words, lengths).mean()
    return (words_loss(log_probs, words, lengths, smoothing).mean() if smoothing else likelihood), likelihood
