"""Annotations in the size that the layers above learn well from."""

from __future__ import annotations

from torch import Tensor


def scaled(annotations: Tensor, scale: float) -> Tensor:
    """Annotations (B, L, D) times `scale`; those of the paper as they are."""
    return annotations if scale == 1 else annotations * scale
