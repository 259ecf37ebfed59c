"""The precision of what must not be rounded to half: states, scores and log-probabilities."""

from __future__ import annotations

import torch
from torch import Tensor


def wide(tensor: Tensor) -> Tensor:
    """float32, or float64 where the model is float64."""
    return tensor if tensor.dtype == torch.float64 else tensor.float()
