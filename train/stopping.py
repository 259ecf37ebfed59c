"""When a run is over: selection and patience on validation BLEU-4 (section 4.3)."""

from __future__ import annotations

import math
from dataclasses import dataclass

from attend.train.config import OptimSettings


@dataclass
class Position:
    """Where a run is: `batch` mini-batches of `epoch` (from 0) done, the last validation at step `validated`."""

    epoch: int = 0
    batch: int = 0
    step: int = 0
    validated: int = 0
    best: float = -1.0
    best_likelihood: float = -math.inf
    best_step: int = 0
    since_best: int = 0

    def judge(self, score: float, likelihood: float) -> bool:
        """Take the score of a validation at this step in; true when it is the best so far. Of equal scores, such as the
        zeros of the first validations, the one with the higher likelihood is better."""
        self.validated = self.step
        better = (score, likelihood) > (self.best, self.best_likelihood)
        if better:
            self.best, self.best_likelihood = score, likelihood
            self.best_step, self.since_best = self.step, 0
        else:
            self.since_best += 1
        return better

    def told(self) -> str:
        """The best validation, in words."""
        return f"best validation BLEU-4 {self.best:.2f}" if self.validated else "not validated yet"

    def reason_to_stop(self, settings: OptimSettings) -> str | None:
        """Why training is over, or None while it is not."""
        if self.since_best >= settings.patience:
            return f"no better validation in {self.since_best}: optim.patience={settings.patience}"
        if self.epoch >= settings.epochs:
            return f"all {settings.epochs} epochs done"
        return None
