"""The training signal of hard attention: samples, score function, baseline, entropy (section 4.1, eq. 10-12)."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from attend.errors import UserError
from attend.train.config import TrainConfig
from attend.train.hard_settings import HardSettings
from attend.train.losses.coverage import coverage_penalty
from attend.train.losses.likelihood import steps_mask
from attend.train.losses.objective import Loss, smoothed_words_loss
from attend.train.losses.reinforce import REWARDS, build_baseline, credited_rewards, entropy, places_log_prob
from attend.train.models.hard_attention import CONTEXTS, HardAttentionLSTM
from attend.train.models.interface import Batch
from attend.train.share import drawn

CHOICES = {"coin": ("image", "batch"), "reward": REWARDS, "entropy_over": ("sampled", "all")}


class HardObjective:
    """Minus the mean over the captions of 1/N Σ_n [log p(y|s^n) + λ_r (r - b) log p(s^n) + λ_e H], r and b held fixed.

    Its gradient is the paper's: ∂log p(y|s) + λ_r (log p(y|s) - b) ∂log p(s) + λ_e ∂H[s]. Captions whose coin says
    "expected" contribute ∂log p(y|alpha) alone, the soft gradient. The score-function term has the value 0, so that
    the loss that is logged is made of the words' loss, the entropy and the penalty.
    """

    def __init__(self, config: TrainConfig) -> None:
        check_hard(config)
        self.settings, self.smoothing = config.hard, config.optim.label_smoothing
        self.penalty_weight = config.loss.doubly_stochastic
        self.moving = build_baseline(config.hard)

    def __call__(self, model: HardAttentionLSTM, batch: Batch) -> Loss:
        """See `Objective`."""
        settings, captions, samples = self.settings, len(batch.words), self.settings.samples
        coins = throw_coins(captions, settings)
        sampled = coins.to(batch.words.device)  # (B,)
        output = model.sample(batch, sampled, samples)  # B·N rows
        assert output.log_alpha is not None
        words, lengths = (each.repeat_interleave(samples, dim=0) for each in (batch.words, batch.lengths))
        minimised, likelihood = smoothed_words_loss(output.log_probs, words, lengths, self.smoothing)
        steps = steps_mask(batch.lengths, batch.words.shape[1]).unsqueeze(1)  # (B, 1, T)

        def of_samples(each_row: Tensor) -> Tensor:
            return each_row.unflatten(0, (captions, samples)).masked_fill(~steps, 0)  # (B, N, T)

        word_log_probs = of_samples(output.log_probs.detach().gather(-1, words.unsqueeze(-1)).squeeze(-1))
        rewards = of_samples(credited_rewards(word_log_probs, batch.lengths, settings.reward).flatten(0, 1))
        baseline = of_samples(self.moving.baseline(rewards, batch.lengths).flatten(0, 1))
        self.moving.update(word_log_probs, batch.lengths)
        advantage = (rewards - baseline) * sampled.view(-1, 1, 1)
        taken = of_samples(places_log_prob(output.log_alpha, output.attention))  # log alpha of the places
        score = (advantage * (taken - taken.detach())).sum(dim=-1).mean()  # 0 with the gradient Σ_t (r - b) ∂log p(s_t)
        entropies = of_samples(entropy(output.log_alpha))
        counted = torch.ones_like(sampled) if settings.entropy_over == "all" else sampled
        entropy_term = (entropies.sum(dim=-1) * counted.unsqueeze(1)).mean()
        minimised = minimised - settings.reward_weight * score - settings.entropy_weight * entropy_term
        figures: dict[str, float | Tensor] = {
            "gate": output.gates.detach().mean(),
            "entropy": entropies.detach().sum() / (samples * batch.lengths.sum()),  # nats a step
            "sampled": coins.float().mean(),
        }
        counts: dict[str, Tensor] = {}
        if coins.any():
            of_sampled = sampled.view(-1, 1, 1) & steps
            count = samples * of_sampled.sum()
            figures["baseline"] = (baseline * of_sampled).sum() / count
            figures["reward"] = (rewards * of_sampled).sum() / count
            figures["reward_variance"] = advantage.square().sum() / count  # about the baseline
            counts = dict.fromkeys(("baseline", "reward", "reward_variance"), count)
        if self.penalty_weight:
            mask = None if batch.mask is None else batch.mask.repeat_interleave(samples, dim=0)
            penalty = coverage_penalty(output.log_alpha.exp(), lengths, mask).mean()
            minimised, figures["penalty"] = minimised + self.penalty_weight * penalty, penalty.detach()
        return Loss(minimised, likelihood, figures, counts)

    def state_dict(self) -> dict[str, Any]:
        """The moving baseline, as exact as it is."""
        return {"baseline": self.moving.value}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Go on with a baseline."""
        self.moving.value = state["baseline"]


def throw_coins(captions: int, settings: HardSettings) -> Tensor:
    """Which captions are sampled, (B,) bool on the CPU: each by its own coin, or all by one (# arctic: one a batch)."""
    each = settings.coin == "image"
    coins = drawn(torch.empty(captions), lambda coins: coins.uniform_()) if each else torch.rand(1)
    return (coins >= settings.expected_share).expand(captions)


def check_hard(config: TrainConfig) -> None:
    """UserError names a value that means nothing; numbers have their ranges elsewhere."""
    known = {f"hard.{name}": (getattr(config.hard, name), choices) for name, choices in CHOICES.items()}
    known["search.context"] = (config.search.context, CONTEXTS)
    for name, (value, choices) in known.items():
        if value not in choices:
            raise UserError(f"{name}={value} is unknown: one of {', '.join(choices)}")
