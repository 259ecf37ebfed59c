"""Which device computes, and in which precision."""

from __future__ import annotations

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


def native_bfloat16(device: torch.device) -> bool:
    """True where bfloat16 products are done by the hardware: AVX512-BF16 or AMX processors, GPUs since Ampere."""
    if device.type == "cuda":
        return torch.cuda.get_device_capability(device) >= (8, 0)
    return device.type == "cpu" and torch.cpu._is_avx512_bf16_supported()


def choose_precision(name: str, device: torch.device) -> str:
    """`auto` → `bfloat16` where it is native, else `float32`; a named one is taken as it is."""
    if name == "auto":
        return "bfloat16" if native_bfloat16(device) else "float32"
    if name not in PRECISIONS:
        raise UserError(f"PRECISION={name} is unknown: auto, {' or '.join(PRECISIONS)}")
    return name
