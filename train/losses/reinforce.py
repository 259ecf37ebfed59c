"""The parts of the score-function estimator of hard attention (section 4.1), for N sampled sequences of each caption.

N samples · B captions · T steps · L places. Everything is in nats and from log-softmax; alpha is never divided by.
"""

from __future__ import annotations

import torch
from torch import Tensor

from attend.errors import UserError
from attend.train.hard_settings import HardSettings
from attend.train.share import mean_of_batch

REWARDS = ("caption", "word", "remaining")


def credited_rewards(word_log_probs: Tensor, lengths: Tensor, reward: str) -> Tensor:
    """The reward of the place taken at each step, (B, N, T), from log p of each word (B, N, T), 0 behind the length.

    `caption`: log p(y|s), the same at every step (eq. 11-12). `word`: log p(y|s) / T.  # arctic: masked_cost.mean(0)
    `remaining`: Σ_{t' >= t} log p(y_t'|s), what the place at t can still change; it has the same expected gradient as
    `caption`, because E[∂log p(s_t)] = 0 for rewards that were earned before s_t was drawn.
    """
    total = word_log_probs.sum(dim=-1, keepdim=True).expand_as(word_log_probs)
    if reward == "caption":
        return total
    if reward == "word":
        return total / lengths.view(-1, 1, 1)
    if reward == "remaining":
        return word_log_probs.flip(-1).cumsum(dim=-1).flip(-1)
    raise UserError(f"hard.reward={reward} is unknown: one of {', '.join(REWARDS)}")


class MovingBaseline:
    """b ← 0.9 b + 0.1 mean log p, once a mini-batch; the step that updates it uses the old one.

    # arctic: baseline_time
    b is log p of a caption for the reward `caption`, else log p of a word.
    """

    def __init__(self, reward: str) -> None:
        self.reward, self.value = reward, 0.0  # arctic: from 0

    def baseline(self, rewards: Tensor, lengths: Tensor) -> Tensor:
        """What is subtracted from rewards (B, N, T): b; for `remaining` b times the words from step t on."""
        if self.reward != "remaining":
            return torch.full_like(rewards, self.value)
        steps = torch.arange(rewards.shape[-1], device=rewards.device)
        return self.value * (lengths.view(-1, 1, 1) - steps).clamp(min=0).to(rewards).expand_as(rewards)

    def update(self, word_log_probs: Tensor, lengths: Tensor) -> None:
        """Take one mini-batch in, its captions with the expected context too: log p of each word (B, N, T)."""
        totals = word_log_probs.sum(dim=-1)  # (B, N)
        if self.reward != "caption":
            totals = totals / lengths.unsqueeze(1)
        self.value = 0.9 * self.value + 0.1 * mean_of_batch(totals.mean()).item()


class LeaveOneOutBaseline:
    """The mean reward of the caption's other N - 1 samples at the same step: independent of the sample's own places.

    Nothing is carried from one mini-batch to the next, and captions of any difficulty and length have a baseline that
    fits (Mnih and Rezende, arXiv 1602.06725).
    """

    value = 0.0

    def baseline(self, rewards: Tensor, lengths: Tensor) -> Tensor:
        """What is subtracted from rewards (B, N, T), N >= 2."""
        return (rewards.sum(dim=1, keepdim=True) - rewards) / (rewards.shape[1] - 1)

    def update(self, word_log_probs: Tensor, lengths: Tensor) -> None:
        """Nothing is kept."""


def build_baseline(settings: HardSettings) -> MovingBaseline | LeaveOneOutBaseline:
    """The baseline that `hard.baseline` names. UserError: unknown, or it needs more samples."""
    if settings.baseline == "moving":
        return MovingBaseline(settings.reward)
    if settings.baseline == "leave_one_out":
        if settings.samples < 2:
            raise UserError("hard.baseline=leave_one_out compares samples of a caption: set hard.samples=2 or more")
        return LeaveOneOutBaseline()
    raise UserError(f"hard.baseline={settings.baseline} is unknown: moving or leave_one_out")


def places_log_prob(log_alpha: Tensor, weights: Tensor) -> Tensor:
    """log alpha of the place that one-hot weights (..., L) take, (...)."""
    return log_alpha.gather(-1, weights.argmax(dim=-1, keepdim=True)).squeeze(-1)


def entropy(log_alpha: Tensor) -> Tensor:
    """H[s_t] = -Σ_i alpha_ti log alpha_ti in nats, (...) from (..., L); places without probability add nothing."""
    finite = log_alpha.masked_fill(log_alpha.isneginf(), 0)
    return -(log_alpha.exp() * finite).sum(dim=-1)
