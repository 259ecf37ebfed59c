"""Deep output: from the state, the context and the previous word to the next word (eq. 7)."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from attend.train.models.dropout import Dropout
from attend.train.models.initial_weights import linear
from attend.train.models.wide import wide


class WordOutput(nn.Module):
    """p(y_t) = softmax(L_o tanh(E y_{t-1} + L_h h_t + L_z z_t)), dropout on h_t and after the tanh.

    The tanh and the dropout places are the authors' code's; E y is added raw, so m is the width.  # arctic: ff_logit
    With more than one layer, ReLU layers m→m with dropout stand between the tanh and L_o.  # arctic: n_layers_out
    """

    def __init__(
        self,
        units: int,
        embedding: int,
        channels: int,
        words: int,
        dropout: float,
        context: bool,
        previous: bool,
        layers: int = 1,
    ) -> None:
        super().__init__()
        self.from_hidden = linear(units, embedding)  # L_h
        self.from_context = linear(channels, embedding) if context else None  # L_z; arctic: ctx2out
        self.previous = previous  # arctic: prev2out
        self.hidden_layers = nn.ModuleList(linear(embedding, embedding) for _ in range(layers - 1))
        self.to_words = linear(embedding, words)  # L_o
        self.dropout = Dropout(dropout)

    def forward(self, hidden: Tensor, context: Tensor, embedded: Tensor) -> Tensor:
        """h_t (..., n), gated z_t (..., D), E y_{t-1} (..., m) → log-probabilities (..., K) float32."""
        total = self.from_hidden(self.dropout(hidden))
        if self.from_context is not None:
            total = total + self.from_context(context)
        if self.previous:
            total = total + embedded
        total = self.dropout(torch.tanh(total))
        for layer in self.hidden_layers:
            total = self.dropout(layer(total).relu())
        return wide(self.to_words(total)).log_softmax(dim=-1)
