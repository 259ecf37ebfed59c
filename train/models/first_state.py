"""The LSTM's first state, predicted from the mean annotation."""

from __future__ import annotations

from torch import Tensor, nn

from attend.train.models.dropout import Dropout
from attend.train.models.initial_weights import linear


def mean_annotation(annotations: Tensor, mask: Tensor | None) -> Tensor:
    """Annotations (B, L, D), mask (B, L) or None → their mean over the places there are, (B, D)."""
    if mask is None:
        return annotations.mean(dim=1)
    kept = mask.unsqueeze(-1)  # (B, L, 1)
    return annotations.masked_fill(~kept, 0).sum(dim=1) / kept.sum(dim=1)


class FirstState(nn.Module):
    """h0 = tanh(W m0 + b), c0 = tanh(W' m0 + b') with m0 the mean annotation (section 3.1.2, "two MLPs").

    `layers` - 1 hidden ReLU layers D→D with dropout come first, shared by both.  # arctic: n_layers_init
    """

    def __init__(self, channels: int, units: int, layers: int, dropout: float) -> None:
        super().__init__()
        hidden: list[nn.Module] = []
        for _ in range(layers - 1):
            hidden += [linear(channels, channels), nn.ReLU(), Dropout(dropout)]
        self.hidden_layers = nn.Sequential(*hidden)
        self.to_hidden = linear(channels, units)  # arctic: ff_state
        self.to_cell = linear(channels, units)  # arctic: ff_memory

    def forward(self, annotations: Tensor, mask: Tensor | None) -> tuple[Tensor, Tensor]:
        """Annotations (B, L, D), mask (B, L) or None → h0, c0, each (B, n)."""
        mean = self.hidden_layers(mean_annotation(annotations, mask))
        return self.to_hidden(mean).tanh(), self.to_cell(mean).tanh()
