"""What captions in progress have said: a record a step, read backwards for the few captions that are returned.

Picking the winners' past out of a record is done once at the end, so no step copies what was said before it.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import torch
from torch import Tensor


@dataclass(frozen=True)
class Said:
    """N captions of t steps each."""

    words: Tensor  # (N, t) int64
    log_probs: Tensor  # (N, t) float32
    attention: Tensor  # (N, t, L) float32
    gates: Tensor  # (N, t) float32


@dataclass(frozen=True)
class _Step:
    """One step of the search: M captions in progress continue P of the step before."""

    words: Tensor  # (M,) int64
    log_probs: Tensor  # (M,) of the words
    parents: Tensor  # (M,) which of the P each continues
    attention: Tensor  # (P, L) where those looked for the word
    gates: Tensor  # (P,)
    origins: Tensor | None  # (P,) their places among the M of the step before; None: the same


@dataclass
class History:
    """All steps so far, the latest last."""

    _steps: list[_Step] = field(default_factory=list)

    def __len__(self) -> int:
        """Steps so far."""
        return len(self._steps)

    def add(
        self,
        words: Tensor,
        log_probs: Tensor,
        parents: Tensor,
        attention: Tensor,
        gates: Tensor,
        origins: Tensor | None = None,
    ) -> None:
        """A step: words (M,), their log-probabilities (M,) and parents (M,) among P; attention (P, L), gates (P,) and
        origins (P,), the places of the P among the captions of the last step, where some of those were left out."""
        self._steps.append(_Step(words, log_probs, parents, attention, gates, origins))

    def said(self, steps: Tensor, rows: Tensor) -> Said:
        """What the captions in places `rows` (N,) of the steps `steps` (N,), from 1, have said until then.

        t is the number of all steps; what stands behind a caption's own means nothing.
        """
        words, log_probs, attention, gates = [], [], [], []
        at = torch.zeros_like(rows)
        for number in range(len(self._steps), 0, -1):
            step = self._steps[number - 1]
            at = torch.where(steps == number, rows, at)  # (N,) places among M
            words.append(step.words[at])
            log_probs.append(step.log_probs[at])
            at = step.parents[at]
            attention.append(step.attention[at].float())
            gates.append(step.gates[at].float())
            if step.origins is not None:
                at = step.origins[at]
        return Said(*(torch.stack(parts[::-1], dim=1) for parts in (words, log_probs, attention, gates)))
