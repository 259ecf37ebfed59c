"""Deep output: from the state, the context and the previous word to the next word (eq. 7)."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from attend.train.models.initial_weights import linear


class WordOutput(nn.Module):
    """p(y_t) = softmax(L_o tanh(E y_{t-1} + L_h h_t + L_z z_t)), dropout on h_t and after the tanh.

    The tanh and the dropout places are the authors' code's; E y is added raw, so m is the width.  # arctic: ff_logit
    """

    def __init__(
        self, units: int, embedding: int, channels: int, words: int, dropout: float, context: bool, previous: bool
    ) -> None:
        super().__init__()
        self.from_hidden = linear(units, embedding)  # L_h
        self.from_context = linear(channels, embedding) if context else None  # L_z; arctic: ctx2out
        self.previous = previous  # arctic: prev2out
        self.to_words = linear(embedding, words)  # L_o
        self.dropout = nn.Dropout(dropout)

    def forward(self, hidden: Tensor, context: Tensor, embedded: Tensor) -> Tensor:
        """h_t (..., n), gated z_t (..., D), E y_{t-1} (..., m) → log-probabilities (..., K) float32."""
        total = self.from_hidden(self.dropout(hidden))
        if self.from_context is not None:
            total = total + self.from_context(context)
        if self.previous:
            total = total + embedded
        return self.to_words(self.dropout(torch.tanh(total))).float().log_softmax(dim=-1)
