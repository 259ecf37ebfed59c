"""Stochastic "hard" attention (section 4.1): the context is one annotation, drawn with the probabilities alpha."""

from __future__ import annotations

import copy
from dataclasses import replace

import torch
from torch import Tensor

from attend.errors import UserError
from attend.train.models.additive_scores import KeyGradient
from attend.train.models.attention_lstm import AttentionLSTM
from attend.train.models.interface import Batch, Output, State
from attend.train.models.place_choice import DrawnAgain, Likeliest, PlaceChoice, SampledOrExpected
from attend.train.models.soft_attention import weighted_context

CONTEXTS = ("expected", "argmax", "sample")


class HardAttentionLSTM(AttentionLSTM):
    """`Captioner` with the parameters of the soft one; z_t = Σ_i s_ti a_i with s_t one-hot (eq. 8-9), or expected.

    At test time the context is the expected one, Σ_i alpha_ti a_i, unless `looking` asked for another.  # arctic
    """

    context, seed = "expected", 0

    def looking(self, context: str, seed: int) -> HardAttentionLSTM:
        """The same weights, not copied, with another context at test time: `expected`, `argmax` or `sample`."""
        if context not in CONTEXTS:
            raise UserError(f"search.context={context} is unknown: one of {', '.join(CONTEXTS)}")
        other = copy.copy(self)
        other.context, other.seed = context, seed
        return other

    def start(self, annotations: Tensor, mask: Tensor | None = None) -> State:
        """See `Captioner.start`."""
        choice: PlaceChoice | None = None
        if self.context == "argmax":
            choice = Likeliest()
        elif self.context == "sample":
            choice = DrawnAgain.of(annotations, self.seed)
        return replace(super().start(annotations, mask), choice=choice)

    def sample(self, batch: Batch, sampled: Tensor, samples: int) -> Output:
        """Teacher forcing in training: `samples` N sequences of places for each caption, rows b·N to b·N + N - 1.

        Captions not marked in `sampled` (B,) get the expected context in all their rows. Output of B·N rows.
        """
        rows = torch.arange(len(batch.words), device=sampled.device).repeat_interleave(samples)
        state = super().start(batch.annotations, batch.mask).select(rows)
        return self.read(replace(state, choice=SampledOrExpected(sampled)), batch.inputs[rows])

    def look(self, state: State, query: Tensor, gathered: KeyGradient | None) -> tuple[Tensor, Tensor, Tensor]:
        """See `AttentionLSTM.look`."""
        image = state.image
        scores = self.attention.scores(image.keys, query, image.mask, gathered)  # (B, R, L)
        alpha, log_alpha = scores.softmax(dim=-1), scores.log_softmax(dim=-1)
        weights = alpha if state.choice is None else state.choice.weights(alpha, log_alpha, state.step)
        return weighted_context(image.annotations, weights), weights, log_alpha
