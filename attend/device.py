"""Which device computes, and in which precision."""

from __future__ import annotations

import time
from functools import lru_cache

import torch

from attend.errors import UserError

PRECISIONS = {"float32": torch.float32, "bfloat16": torch.bfloat16}


def choose_device(name: str = "auto") -> torch.device:
    """`auto`: the GPU when there is one, else the processor. Otherwise a torch device name; `UserError` if absent."""
    if name == "auto":
        return torch.device("cuda" if torch.cuda.is_available() else "cpu")
    try:
        device = torch.device(name)
    except RuntimeError:
        raise UserError(f"DEVICE={name} is no device: auto, cpu, cuda or cuda:N") from None
    if device.type == "cuda" and not torch.cuda.is_available():
        raise UserError(f"DEVICE={name}: this torch ({torch.__version__}) finds no GPU; DEVICE=cpu runs without one")
    return device


def bfloat16_pays(device: torch.device) -> bool:
    """True where the hardware multiplies bfloat16 and gains by it.

    GPUs since Ampere, and processors with AVX512-BF16 or AMX on which a short product is clearly faster than in
    float32: some that have the instructions are slower with them, so it is tried.
    """
    if device.type == "cuda":
        return torch.cuda.get_device_capability(device) >= (8, 0)
    native = device.type == "cpu" and (torch.cpu._is_avx512_bf16_supported() or torch.cpu._is_amx_tile_supported())
    return native and _seconds_of_a_product(torch.float32) > CLEARLY_FASTER * _seconds_of_a_product(torch.bfloat16)


CLEARLY_FASTER = 1.25


@lru_cache
def _seconds_of_a_product(dtype: torch.dtype) -> float:
    """The shortest of a few products of 1024 x 1024 matrices on the processor."""
    matrix = torch.ones((1024, 1024), dtype=dtype)
    seconds = []
    for _ in range(6):
        since = time.perf_counter()
        matrix @ matrix
        seconds.append(time.perf_counter() - since)
    return min(seconds)


def choose_precision(name: str, device: torch.device) -> str:
    """`auto` → `bfloat16` where it pays, else `float32`; a named one is taken as it is."""
    if name == "auto":
        return "bfloat16" if bfloat16_pays(device) else "float32"
    if name not in PRECISIONS:
        raise UserError(f"PRECISION={name} is unknown: auto, {' or '.join(PRECISIONS)}")
    return name
