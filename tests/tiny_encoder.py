"""An encoder small enough for a test: it is one more line in the registry, as any encoder would be."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import torch
from PIL import Image
from torch import nn

from attend.data.items import Item
from attend.extract.encoders import ENCODERS, Architecture, Encoder, build_encoder

CPU = torch.device("cpu")


class TinyNetwork(nn.Module):
    """32 × 32 pixels to 4 channels on a grid of 2 × 2."""

    def __init__(self) -> None:
        super().__init__()
        self.look = nn.Conv2d(3, 4, 16, stride=16)

    def forward(self, photos: torch.Tensor) -> torch.Tensor:
        return torch.relu(self.look(photos))


def no_imagenet() -> Path:
    raise AssertionError("the tiny encoder has no ImageNet weights")


TINY = Architecture(
    "look",
    (2, 2),
    4,
    size=32,
    resize=36,
    mean=(0.5,) * 3,
    std=(0.5,) * 3,
    build=TinyNetwork,
    imagenet=no_imagenet,
    unused="x",
)


def tiny_encoder(monkeypatch: pytest.MonkeyPatch, weights: str = "random:1") -> Encoder:
    """Registered as `tiny` until the test ends, in float32 on the processor."""
    monkeypatch.setitem(ENCODERS, "tiny", TINY)
    return build_encoder("tiny", weights, CPU, "float32")


def drawn_photo(number: int, size: tuple[int, int] = (32, 32)) -> Image.Image:
    """Noise that differs from number to number."""
    noise = np.random.default_rng(number).integers(0, 256, (size[1], size[0], 3), dtype=np.uint8)
    return Image.fromarray(noise)


def drawn_items(folder: Path, count: int, size: tuple[int, int] = (32, 32)) -> list[Item]:
    """PNG files 0.png, 1.png … with an item each."""
    folder.mkdir(parents=True, exist_ok=True)
    items = []
    for number in range(count):
        path = folder / f"{number}.png"
        drawn_photo(number, size).save(path)
        items.append(Item(path.name, path, "train", (f"photo {number}",)))
    return items
