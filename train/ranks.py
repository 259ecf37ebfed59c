"""The processes of one training: which one this is, and what they tell each other. Alone, it all comes to nothing.

`torchrun`, or `attend train --gpus N` with it, starts the processes; torch.distributed holds the group. Every function
from `total` on is called by all of them at the same place.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path
from typing import Any, NoReturn

import torch
import torch.distributed as dist
from torch import Tensor

from attend.device import device_of_process
from attend.errors import UserError
from attend.train.checkpoint import way_on

PATIENCE = timedelta(hours=2)
"""How long one process may keep the others waiting, at a checkpoint say; a dead one is noticed at once."""
OTHERS_FIRST = 5.0
"""Seconds that an error waits for a process that has it first: when that one ends, whoever started them ends all."""


PARENT = os.getppid()
"""Who started this process."""


class LostProcessError(RuntimeError):
    """Another process of this training ended, or the way to it did: nothing more can be exchanged."""


def launched() -> bool:
    """Whether torchrun started this process."""
    return dist.is_torchelastic_launched()


def orphaned() -> bool:
    """Whether torchrun, or `attend train`, started this process and is no more."""
    return launched() and os.getppid() != PARENT


def own_device(name: str) -> torch.device:
    """The device that `name` (auto, cpu, cuda, …) means for this process. UserError: there is none."""
    if not launched():
        return device_of_process(name)
    number = int(os.environ["LOCAL_RANK"])
    device = device_of_process(name, number, local_world())
    return torch.device("cuda", number) if device.type == "cuda" and device.index is None else device


def rank() -> int:
    """Number of this process, from 0."""
    return int(os.environ["RANK"]) if launched() else 0


def world() -> int:
    """How many processes there are on all machines."""
    return int(os.environ["WORLD_SIZE"]) if launched() else 1


def local_world() -> int:
    """How many of them are on this machine."""
    return int(os.environ["LOCAL_WORLD_SIZE"]) if launched() else 1


def first() -> bool:
    """Whether this is the process that writes files and speaks."""
    return rank() == 0


@contextmanager
def joined(device: torch.device, folder: Path) -> Iterator[None]:
    """Be one of the processes that train the run in `folder`; alone nothing happens. A mistake that all of them meet is
    told by the first alone."""
    if not launched():
        yield
        return
    if device.type == "cuda":
        torch.cuda.set_device(device)
    dist.init_process_group("cpu:gloo,cuda:nccl" if device.type == "cuda" else "gloo", timeout=PATIENCE)
    try:
        yield
    except (UserError, OSError) as error:
        if first():
            raise
        time.sleep(OTHERS_FIRST)
        raise UserError(f"process {rank()}: {error}") from error
    except LostProcessError as error:
        time.sleep(OTHERS_FIRST)
        raise UserError(f"process {rank()} could not reach the others ({error}): {way_on(folder)}") from error
    dist.destroy_process_group()


def leave(status: int) -> NoReturn:
    """End this process. One of several leaves out Python's own end, where a thread of the exchange may abort it."""
    if not launched():
        sys.exit(status)
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(status)


@contextmanager
def _exchange() -> Iterator[None]:
    try:
        yield
    except RuntimeError as error:
        raise LostProcessError(str(error).splitlines()[0]) from error


def total(parts: Sequence[Tensor]) -> list[Tensor]:
    """Sums over the processes of tensors of one type and device, in one exchange."""
    if not dist.is_initialized():
        return list(parts)
    flat = torch.cat([part.reshape(-1) for part in parts])
    with _exchange():
        dist.all_reduce(flat)
    sizes = [part.numel() for part in parts]
    return [each.view_as(part) for each, part in zip(flat.split(sizes), parts, strict=True)]


def largest(*numbers: int) -> list[int]:
    """The largest of each number over the processes."""
    if not dist.is_initialized():
        return list(numbers)
    values = torch.tensor(numbers)
    with _exchange():
        dist.all_reduce(values, op=dist.ReduceOp.MAX)
    return values.tolist()


def gathered(value: Any) -> list[Any]:
    """The plain value of every process, in their order."""
    if not dist.is_initialized():
        return [value]
    values: list[Any] = [None] * world()
    with _exchange():
        dist.all_gather_object(values, value)
    return values


def of_first(value: Any) -> Any:
    """The plain value of the first process."""
    if not dist.is_initialized():
        return value
    values = [value]
    with _exchange():
        dist.broadcast_object_list(values, src=0)
    return values[0]


def wait_for_all() -> None:
    """Return when all processes are here."""
    largest(0)
