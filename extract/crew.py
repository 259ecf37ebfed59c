"""Who does the shards: this process, or the workers of a cluster."""

from __future__ import annotations

from dataclasses import dataclass

import torch

from attend.device import choose_device, choose_precision
from attend.errors import UserError
from attend.extract.run_shard import Run, run_shards


@dataclass(frozen=True)
class Crew:
    """`where` the work is done, for people; `device` the encoder of this process is built on; the `precision` of all;
    and what does the shards."""

    where: str
    device: torch.device
    precision: str
    run: Run


def check_request(workers: int | None, scheduler: str | None) -> None:
    """UserError: a number of workers that makes no sense, or two sorts of workers."""
    if workers is not None and workers < 1:
        raise UserError(f"WORKERS={workers}: at least 1; leave it out for one process without a cluster")
    if workers is not None and scheduler is not None:
        raise UserError("WORKERS= starts workers, SCHEDULER= joins those that run already: give one of them")


def this_process(device: str, precision: str) -> Crew:
    """One process on one device. UserError: there is no such device or precision."""
    place = choose_device(device)
    return Crew(str(place), place, choose_precision(precision, place), run_shards)
