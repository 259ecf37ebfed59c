"""The registry of captioners: a new system is a file here, a line in `VARIANTS`, a preset."""

from __future__ import annotations

from collections.abc import Callable

from torch import nn

from attend.errors import UserError
from attend.train.config import ModelSettings
from attend.train.models.attention_lstm import AttentionLSTM

VARIANTS: dict[str, Callable[[ModelSettings, int, int], nn.Module]] = {"soft": AttentionLSTM}
"""Name → constructor from (settings, channels D, words K)."""


def build_captioner(variant: str, settings: ModelSettings, channels: int, words: int) -> nn.Module:
    """A fresh captioner of the named variant; `UserError` lists the names when it is unknown."""
    if variant not in VARIANTS:
        raise UserError(f"VARIANT={variant} is unknown: one of {', '.join(VARIANTS)}")
    return VARIANTS[variant](settings, channels, words)
