"""VGG to the last ReLU of block 5, before its pooling: the paper's encoder. Parameters carry torchvision's names."""

from __future__ import annotations

import torch
from torch import nn

BLOCKS = {"vgg16": (2, 2, 3, 3, 3), "vgg19": (2, 2, 4, 4, 4)}
"""Convolutions in each of the five blocks."""

WIDTHS = (64, 128, 256, 512, 512)


class VGG(nn.Module):
    """(B, 3, H, W) normalised photos → (B, 512, H/16, W/16): `vgg19().features[:36]` or `vgg16().features[:30]`."""

    def __init__(self, name: str) -> None:
        super().__init__()
        layers: list[nn.Module] = []
        channels = 3
        for convolutions, width in zip(BLOCKS[name], WIDTHS, strict=True):
            if layers:
                layers.append(nn.MaxPool2d(2))
            for _ in range(convolutions):
                layers += [nn.Conv2d(channels, width, 3, padding=1), nn.ReLU(inplace=True)]
                channels = width
        self.features = nn.Sequential(*layers)

    def forward(self, photos: torch.Tensor) -> torch.Tensor:
        features: torch.Tensor = self.features(photos)
        return features
