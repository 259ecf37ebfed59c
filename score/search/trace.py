"""What captions in progress have said so far, kept beside the decoder's state."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor


@dataclass(frozen=True)
class Trace:
    """The steps of N captions in progress, the latest last. The end word counts as a step."""

    words: Tensor  # (N, t) int64
    log_probs: Tensor  # (N, t) float32
    attention: Tensor  # (N, t, L) float32
    gates: Tensor  # (N, t) float32

    @classmethod
    def empty(cls, rows: int, places: int, device: torch.device) -> Trace:
        """No step yet."""
        none = torch.zeros((rows, 0), device=device)
        return cls(none.long(), none, torch.zeros((rows, 0, places), device=device), none)

    def at(self, rows: Tensor) -> Trace:
        """The rows that indices or a mask name."""
        return Trace(self.words[rows], self.log_probs[rows], self.attention[rows], self.gates[rows])

    def until(self, steps: int) -> Trace:
        """The first `steps` steps."""
        return Trace(self.words[:, :steps], self.log_probs[:, :steps], self.attention[:, :steps], self.gates[:, :steps])

    def extend(self, words: Tensor, log_probs: Tensor, attention: Tensor, gates: Tensor) -> Trace:
        """One step more: words (N,), their log-probabilities (N,), attention (N, L), gates (N,)."""
        return Trace(
            torch.cat([self.words, words.unsqueeze(1)], dim=1),
            torch.cat([self.log_probs, log_probs.unsqueeze(1)], dim=1),
            torch.cat([self.attention, attention.float().unsqueeze(1)], dim=1),
            torch.cat([self.gates, gates.float().unsqueeze(1)], dim=1),
        )
