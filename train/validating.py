"""What the trainer asks of whoever judges a captioner while it trains."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Protocol

from PIL.Image import Image
from torch import nn


class ValidationScores(Protocol):
    """What a validation must tell; BLEU from 0 to 100, corpus level."""

    @property
    def bleu4(self) -> float:
        """BLEU-4 with the brevity penalty."""
        ...

    @property
    def standing(self) -> tuple[float, float]:
        """What selects and stops: BLEU-4, 0 where no four words in a row are right, then the log-likelihood."""
        ...

    @property
    def pictures(self) -> Sequence[tuple[str, Image]]:
        """Names and pictures for TensorBoard."""
        ...

    def as_log(self) -> dict[str, Any]:
        """Plain values for the log."""
        ...


Validate = Callable[[nn.Module], ValidationScores]
