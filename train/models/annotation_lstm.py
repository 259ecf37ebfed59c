"""A bidirectional LSTM that reads the annotations in row order before the decoder sees them."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from attend.train.models.initial_weights import initialise_blocks, linear
from attend.train.models.lstm_step import lstm_step
from attend.train.models.wide import wide


class AnnotationLSTM(nn.Module):
    """a'_i = [forward h_i; backward h_i]: every place gets a vector of 2n that depends on all places.

    Not in the paper, which uses the annotations as they are.  # arctic: lstm_encoder, "1-D, not 2-D"
    """

    def __init__(self, channels: int, units: int) -> None:
        super().__init__()
        self.units, self.channels = units, 2 * units
        self.from_annotation = nn.ModuleList(linear(channels, 4 * units) for _ in range(2))
        self.from_hidden = nn.ModuleList(linear(units, 4 * units, bias=False) for _ in range(2))
        for layer in [*self.from_annotation, *self.from_hidden]:
            initialise_blocks(layer.weight.data, [units] * 4)

    def forward(self, annotations: Tensor, mask: Tensor | None) -> Tensor:
        """Annotations (B, L, D), mask (B, L) or None → (B, L, 2n). Places outside the mask are stepped over."""
        return torch.cat([self._read(annotations, mask, backward) for backward in (False, True)], dim=-1)

    def _read(self, annotations: Tensor, mask: Tensor | None, backward: bool) -> Tensor:
        """One direction: (B, L, n) in the order of the places."""
        gates = self.from_annotation[backward](annotations)  # (B, L, 4n)
        hidden = cell = wide(annotations.new_zeros((len(annotations), self.units)))
        order = range(annotations.shape[1])
        states = []
        for place in reversed(order) if backward else order:
            new = lstm_step(gates[:, place] + self.from_hidden[backward](hidden), cell)
            if mask is not None:
                there = mask[:, place].unsqueeze(1)  # (B, 1)
                new = torch.where(there, new[0], hidden), torch.where(there, new[1], cell)
            hidden, cell = new
            states.append(hidden)
        return torch.stack(states[::-1] if backward else states, dim=1)
