"""What the machine can do, measured in the run that needs it, and how long things take: shared by the other scripts."""

from __future__ import annotations

import platform
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from statistics import median

import torch

from attend.device import PRECISIONS, cores


def machine(device: torch.device) -> str:
    """The machine in a line: cores, processor, what it has for bfloat16, torch, GPU."""
    facts = Path("/proc/cpuinfo")
    text = facts.read_text(encoding="utf-8") if facts.is_file() else ""
    model = next((line.split(":", 1)[1].strip() for line in text.splitlines() if line.startswith("model name")), "")
    extra = "AMX" if " amx_bf16" in text else "AVX512-BF16" if " avx512_bf16" in text else "no bfloat16"
    gpu = torch.cuda.get_device_name(device) if device.type == "cuda" else "no GPU"
    return f"{cores()} cores, {model or platform.machine()}, {extra}, torch {torch.__version__}, {gpu}"


def finish(device: torch.device) -> None:
    """Wait for the device's queue."""
    if device.type == "cuda":
        torch.cuda.synchronize(device)


def seconds(work: Callable[[], object], device: torch.device) -> float:
    """How long it takes, the device's queue included.

    With a single thread on a processor it is the processor's time, which other work on the machine disturbs less.
    """
    alone = device.type == "cpu" and torch.get_num_threads() == 1
    clock = time.process_time if alone else time.perf_counter
    finish(device)
    since = clock()
    work()
    finish(device)
    return clock() - since


def side_by_side(ways: Mapping[str, Callable[[], object]], rounds: int, device: torch.device) -> dict[str, float]:
    """Median seconds of each way; the ways take turns in every round, and one round before warms up."""
    times: dict[str, list[float]] = {name: [] for name in ways}
    for number in range(rounds + 1):
        for name, way in ways.items():
            taken = seconds(way, device)
            if number:
                times[name].append(taken)
    return {name: median(taken) for name, taken in times.items()}


def best_of(work: Callable[[], object], device: torch.device, times: int = 5) -> float:
    """The shortest of several times, in seconds, after one that warms up: a limit is not an average."""
    work()
    return min(seconds(work, device) for _ in range(times))


def matmul_rate(device: torch.device, precision: str, size: int = 2048) -> float:
    """Floating-point operations a second of a large matrix product."""
    matrix = torch.randn(size, size, device=device).to(PRECISIONS[precision])
    return 2 * size**3 / best_of(lambda: matrix @ matrix, device)


def tanh_rate(device: torch.device) -> float:
    """Values a second of a float32 tanh on an array that stays in the cache."""
    values = torch.randn(2**18 if device.type == "cpu" else 2**26, device=device)
    return len(values) / best_of(lambda: torch.tanh(values, out=values), device, 50)


def copy_rate(device: torch.device) -> float:
    """Bytes a second read from, and as many written to, memory that no cache holds."""
    source = torch.zeros(2**28 if device.type == "cpu" else 2**31, dtype=torch.uint8, device=device)
    target = torch.empty_like(source)
    return source.numel() / best_of(lambda: target.copy_(source), device)


def table(head: list[str], rows: list[list[str]]) -> str:
    """A Markdown table."""
    return "\n".join("| " + " | ".join(cells) + " |" for cells in [head, ["---"] * len(head), *rows])
