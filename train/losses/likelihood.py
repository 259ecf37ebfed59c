"""The words' loss: negative log-likelihood of the captions."""

from __future__ import annotations

import torch
from torch import Tensor


def steps_mask(lengths: Tensor, steps: int) -> Tensor:
    """Lengths (B,) → (B, T) bool, true for the steps of each caption, its end step included."""
    return torch.arange(steps, device=lengths.device) < lengths.unsqueeze(1)


def words_loss(log_probs: Tensor, words: Tensor, lengths: Tensor, smoothing: float = 0.0) -> Tensor:
    """-Σ_t log p(y_t | y_<t, a) for each caption, (B,), in nats: a sum over steps.  # arctic

    log_probs (B, T, K), words (B, T), lengths (B,). With `smoothing` s each step's target is (1 - s) on the word
    and s spread evenly over the K words.
    """
    taken = log_probs.gather(-1, words.clamp(min=0).unsqueeze(-1)).squeeze(-1)  # (B, T)
    if smoothing:
        taken = (1 - smoothing) * taken + smoothing * log_probs.mean(dim=-1)
    return -taken.masked_fill(~steps_mask(lengths, words.shape[1]), 0).sum(dim=1)
