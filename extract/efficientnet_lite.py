"""EfficientNet-Lite0 to its last grid, with the parameter names and the padding of the TensorFlow original."""

from __future__ import annotations

import torch
from torch import nn
from torch.nn import functional as F

STAGES = (
    # repeats, kernel, stride, expansion, width
    (1, 3, 1, 1, 16),
    (2, 3, 2, 6, 24),
    (2, 5, 2, 6, 40),
    (3, 3, 2, 6, 80),
    (3, 5, 1, 6, 112),
    (4, 5, 2, 6, 192),
    (1, 3, 1, 6, 320),
)
STEM, HEAD = 32, 1280


class SameConv(nn.Conv2d):
    """Convolution without bias that pads as TensorFlow's `same`: ceil(side / stride) outputs, the odd pixel of padding
    at the bottom and on the right."""

    def __init__(self, inputs: int, outputs: int, kernel: int, stride: int = 1, groups: int = 1) -> None:
        super().__init__(inputs, outputs, kernel, stride, groups=groups, bias=False)

    def forward(self, grid: torch.Tensor) -> torch.Tensor:
        kernel, stride = self.kernel_size[0], self.stride[0]
        height, width = (max((-(-side // stride) - 1) * stride + kernel - side, 0) for side in grid.shape[-2:])
        if height or width:
            grid = F.pad(grid, (width // 2, width - width // 2, height // 2, height - height // 2))
        return super().forward(grid)


def batch_norm(channels: int) -> nn.BatchNorm2d:
    """With the original's epsilon."""
    return nn.BatchNorm2d(channels, eps=1e-3)


class Block(nn.Module):
    """Widen, look at the neighbourhood channel by channel, narrow; the input is added where the shapes agree."""

    def __init__(self, inputs: int, outputs: int, kernel: int, stride: int, expansion: int) -> None:
        super().__init__()
        wide = inputs * expansion
        self.expands, self.adds = expansion > 1, stride == 1 and inputs == outputs
        if self.expands:
            self._expand_conv, self._bn0 = SameConv(inputs, wide, 1), batch_norm(wide)
        self._depthwise_conv, self._bn1 = SameConv(wide, wide, kernel, stride, groups=wide), batch_norm(wide)
        self._project_conv, self._bn2 = SameConv(wide, outputs, 1), batch_norm(outputs)

    def forward(self, grid: torch.Tensor) -> torch.Tensor:
        wide = F.relu6(self._bn0(self._expand_conv(grid))) if self.expands else grid
        wide = F.relu6(self._bn1(self._depthwise_conv(wide)))
        narrow: torch.Tensor = self._bn2(self._project_conv(wide))
        return grid + narrow if self.adds else narrow


class EfficientNetLite0(nn.Module):
    """(B, 3, H, W) normalised photos → (B, 1280, H/32, W/32), after the head convolution and its ReLU6."""

    def __init__(self) -> None:
        super().__init__()
        self._conv_stem, self._bn0 = SameConv(3, STEM, 3, 2), batch_norm(STEM)
        blocks: list[Block] = []
        inputs = STEM
        for repeats, kernel, stride, expansion, width in STAGES:
            for number in range(repeats):
                blocks.append(Block(inputs, width, kernel, stride if number == 0 else 1, expansion))
                inputs = width
        self._blocks = nn.Sequential(*blocks)
        self._conv_head, self._bn1 = SameConv(inputs, HEAD, 1), batch_norm(HEAD)

    def forward(self, photos: torch.Tensor) -> torch.Tensor:
        grid = self._blocks(F.relu6(self._bn0(self._conv_stem(photos))))
        return F.relu6(self._bn1(self._conv_head(grid)))
