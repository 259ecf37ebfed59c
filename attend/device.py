"""Which device computes, and in which precision."""

from __future__ import annotations

import os
from pathlib import Path

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
        device = torch.device("meta")
    if device.type not in ("cpu", "cuda"):
        raise UserError(f"DEVICE={name} is no device to compute on: auto, cpu, cuda or cuda:N")
    if device.type == "cpu" and device.index:
        raise UserError(f"DEVICE={name}: the processor is one device, cpu")
    if device.type == "cuda" and not torch.cuda.is_available():
        raise UserError(f"DEVICE={name}: this torch ({torch.__version__}) finds no GPU; DEVICE=cpu runs without one")
    if device.type == "cuda" and (device.index or 0) >= torch.cuda.device_count():
        raise UserError(f"DEVICE={name}: this machine has {torch.cuda.device_count()} GPUs, counted from cuda:0")
    return device


def device_of_process(name: str, number: int = 0, processes: int = 1) -> torch.device:
    """The device of process `number` of the `processes` on this machine: a GPU each, or the processor for all.

    `UserError` when there are too few GPUs; several processes share the processor only where it was named.
    """
    if processes == 1:
        return choose_device(name)
    if name == "auto" and not torch.cuda.is_available():
        where = f"this torch ({torch.__version__}) finds no GPU"
        raise UserError(f"GPUS={processes}: {where}; DEVICE=cpu trains in {processes} processes on the processor")
    device = choose_device(name)
    if device.type == "cpu":
        return device
    if device.index is not None:
        raise UserError(
            f"DEVICE={name} is one GPU and GPUS={processes} takes the first {processes}: leave one of them out"
        )
    if processes > torch.cuda.device_count():
        raise UserError(f"GPUS={processes}: this machine has {torch.cuda.device_count()} GPUs")
    return torch.device("cuda", number)


def cores() -> int:
    """Processors this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def bfloat16_pays(device: torch.device) -> bool:
    """True where the hardware multiplies bfloat16 and gains by it.

    GPUs since Ampere, processors with AMX, and AMD's with AVX512-BF16. Intel's with AVX512-BF16 but without AMX are
    slower in bfloat16 than in float32 (docs/preprocessing.md). A rule, not a timing: one machine, one answer.
    """
    if device.type == "cuda":
        return torch.cuda.get_device_capability(device) >= (8, 0)
    if device.type != "cpu":
        return False
    able = torch.cpu.get_capabilities()
    return able.get("amx_tile", False) or (able.get("avx512_bf16", False) and _made_by_amd())


def _made_by_amd() -> bool:
    """Whether Linux says so; elsewhere no."""
    processor = Path("/proc/cpuinfo")
    return processor.is_file() and "AuthenticAMD" in processor.read_text(encoding="utf-8", errors="replace")


def choose_precision(name: str, device: torch.device) -> str:
    """`auto` → `bfloat16` where it pays, else `float32`; a named one is taken as it is."""
    if name == "auto":
        return "bfloat16" if bfloat16_pays(device) else "float32"
    if name not in PRECISIONS:
        raise UserError(f"PRECISION={name} is unknown: auto, {' or '.join(PRECISIONS)}")
    return name
