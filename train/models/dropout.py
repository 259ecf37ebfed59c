"""Dropout whose masks do not depend on how a mini-batch was shared out among processes."""

from __future__ import annotations

from torch import Tensor, nn

from attend.train.share import drawn


class Dropout(nn.Dropout):
    """torch's, over inputs (rows, ...): in training 0 with probability p, else 1 / (1 - p) times as large."""

    def forward(self, input: Tensor) -> Tensor:
        """See torch.nn.Dropout."""
        if not self.training or self.p == 0:
            return input
        kept = drawn(input, lambda mask: mask.bernoulli_(1 - self.p))
        return input * kept.div_(1 - self.p)
