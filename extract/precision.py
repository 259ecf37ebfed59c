"""The precision an encoder runs in when nobody says: whichever is faster here."""

from __future__ import annotations

import copy
import time

import torch
from torch import nn

from attend.device import PRECISIONS, native_bfloat16

REPEATS = 3
CLEARLY = 0.9
"""bfloat16 must take less than this part of float32's time, or float32, which is closer to the truth, is taken."""


def fastest_precision(module: nn.Module, photos: torch.Tensor, device: torch.device) -> str:
    """`bfloat16` where the hardware multiplies it and the network is clearly faster in it, else `float32`.

    `photos` (B, 3, H, W) float32 is one pass of the kind that follows. That a processor has instructions for bfloat16
    does not make them faster: with AVX512-BF16 but without AMX, VGG-19 was measured at 4.3 against 7.5 photos/s.
    """
    if not native_bfloat16(device):
        return "float32"
    networks = {
        name: copy.deepcopy(module).eval().to(device, dtype, memory_format=torch.channels_last)
        for name, dtype in PRECISIONS.items()
    }
    seconds = dict.fromkeys(networks, float("inf"))
    for _ in range(1 + REPEATS):  # the first warms up; then the better of some, taken in turn
        for name, network in networks.items():
            inputs = photos.to(device, PRECISIONS[name], memory_format=torch.channels_last)
            begun = time.perf_counter()
            with torch.inference_mode():
                network(inputs)
            if device.type == "cuda":
                torch.cuda.synchronize(device)
            seconds[name] = min(seconds[name], time.perf_counter() - begun)
    return "bfloat16" if seconds["bfloat16"] < CLEARLY * seconds["float32"] else "float32"
