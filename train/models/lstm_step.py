"""One step of the LSTM (eq. 1-3)."""

from __future__ import annotations

from torch import Tensor

from attend.train.models.wide import wide


def lstm_step(gates: Tensor, cell: Tensor) -> tuple[Tensor, Tensor]:
    """Gate sums (B, 4n) in the order i, f, o, g and the old cell (B, n) → new hidden and cell, each (B, n) float32.

    c_t = f ⊙ c_{t-1} + i ⊙ g, h_t = o ⊙ tanh(c_t).  # arctic: this order; no bias is added to the forget gate
    """
    i, f, o, g = wide(gates).chunk(4, dim=-1)
    cell = f.sigmoid() * cell + i.sigmoid() * g.tanh()
    return o.sigmoid() * cell.tanh(), cell
