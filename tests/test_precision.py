"""`auto` takes bfloat16 only where it is clearly faster."""

from __future__ import annotations

import time

import pytest
import torch
from torch import nn

from attend.extract import precision
from tests.tiny_encoder import CPU


class Slow(nn.Module):
    """Takes so many milliseconds in float32 and in bfloat16."""

    def __init__(self, single: float, half: float) -> None:
        super().__init__()
        self.waits = {torch.float32: single / 1000, torch.bfloat16: half / 1000}

    def forward(self, photos: torch.Tensor) -> torch.Tensor:
        time.sleep(self.waits[photos.dtype])
        return photos


@pytest.mark.parametrize(
    ("native", "single", "half", "chosen"),
    [(True, 30, 5, "bfloat16"), (True, 5, 30, "float32"), (True, 10, 10, "float32"), (False, 30, 5, "float32")],
)
def test_the_faster_one_is_taken(monkeypatch, native, single, half, chosen):
    monkeypatch.setattr(precision, "native_bfloat16", lambda _device: native)
    assert precision.fastest_precision(Slow(single, half), torch.rand(1, 3, 4, 4), CPU) == chosen
