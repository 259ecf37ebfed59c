"""Captioners that cannot choose where to look: what they lack against soft attention is what attention is worth."""

from __future__ import annotations

from dataclasses import replace

from torch import Tensor, nn

from attend.train.config import ModelSettings
from attend.train.models.additive_scores import KeyGradient
from attend.train.models.attention_lstm import AttentionLSTM
from attend.train.models.soft_attention import weighted_context
from attend.train.models.wide import wide


def equal_weights(annotations: Tensor, mask: Tensor | None) -> Tensor:
    """Annotations (B, L, D), mask (B, L) or None → 1 / (number of places) where there is a place, (B, L) float32."""
    kept = annotations.new_ones(annotations.shape[:2]) if mask is None else mask.to(annotations.dtype)
    return wide(kept) / wide(kept).sum(dim=1, keepdim=True)


class EqualWeights(nn.Module):
    """z_t = mean of the annotations at every step, whatever the state; nothing to learn."""

    query_width = 0

    def keys(self, annotations: Tensor) -> Tensor:
        """Nothing is compared: the annotations themselves, (B, L, D)."""
        return annotations

    def forward(
        self, annotations: Tensor, keys: Tensor, query: Tensor, mask: Tensor | None, gathered: KeyGradient | None = None
    ) -> tuple[Tensor, Tensor]:
        """Query (B, R, 0) → context (B, R, D) and weights (B, R, L)."""
        weights = equal_weights(annotations, mask).unsqueeze(1).expand(-1, query.shape[1], -1)
        return weighted_context(annotations, weights), weights


class UniformLSTM(AttentionLSTM):
    """The soft model with its weights fixed to 1 / L: gate, first state and output are kept."""

    def make_attention(self) -> EqualWeights:
        """No parameters."""
        return EqualWeights()


class MeanLSTM(UniformLSTM):
    """The photo as one vector, its mean annotation, read at every step as it is: without the gate beta_t too."""

    def __init__(self, settings: ModelSettings, channels: int, words: int) -> None:
        super().__init__(replace(settings, gate=False), channels, words)
