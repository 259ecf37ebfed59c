"""One GPU a worker, and no GPU for two."""

from __future__ import annotations

import os
from contextlib import AbstractContextManager, nullcontext
from functools import lru_cache

import torch

from attend.device import choose_device
from attend.errors import UserError
from attend.extract.cluster.claims import claim


@lru_cache
def own_device(name: str) -> torch.device:
    """The device of this worker process for `auto`, `cpu` or `cuda`: of the machine's GPUs the first that no other
    worker has.

    UserError: there are more workers than GPUs, or none for `cuda`.
    """
    if choose_device(name).type != "cuda":
        return torch.device("cpu")
    visible = os.environ.get("CUDA_VISIBLE_DEVICES")
    numbers = range(torch.cuda.device_count())
    gpus = visible.split(",") if visible else [str(number) for number in numbers]  # as the machine counts them
    for number in numbers:
        if claim(f"gpu-{gpus[number]}"):
            return torch.device("cuda", number)
    raise UserError(f"every GPU ({', '.join(gpus)}) has a worker already: start fewer workers, or DEVICE=cpu")


def current(device: torch.device) -> AbstractContextManager[object]:
    """Inside, `device` is what this thread means by "the GPU"."""
    return torch.cuda.device(device) if device.type == "cuda" else nullcontext()
