"""What happens in a worker: it introduces itself, checks what it needs, builds the encoder once, and does shards."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from uuid import uuid4

from attend.data.atomic import host_name
from attend.data.items import Problem
from attend.device import choose_precision, cores
from attend.errors import UserError
from attend.extract.cluster.gpu import current, own_device
from attend.extract.cluster.setup import Introduction, Setup, other_versions
from attend.extract.cluster.suspects import deadly_photos
from attend.extract.encoders import Encoder, build_encoder
from attend.extract.libraries import library_versions
from attend.extract.plan import ShardTask
from attend.extract.run_shard import run_shards
from attend.extract.shard_job import Job, ShardResult
from attend.extract.timing import Clock

Tell = Callable[[int, float], None]
"""Is told how many photos of the shard were taken up so far and how many seconds the encoder worked on them."""

CAREFUL_BATCH = 8


@dataclass(frozen=True)
class Done:
    """A shard, in the folder `at` and without a final name, the seconds its encoding took, and the paths of photos that
    kill."""

    result: ShardResult
    at: Path
    busy: float
    deadly: tuple[str, ...] = ()


def introduce(device: str) -> Introduction:
    """UserError: no such device here, or none left."""
    place = own_device(device)
    return Introduction(who(), host_name(), place.type, choose_precision("auto", place), library_versions())


def who() -> str:
    """This process, for people."""
    return f"process {os.getpid()} on {host_name()}"


def check_fit(setup: Setup) -> None:
    """UserError: this worker has other libraries, or does not see the store's folder."""
    others = other_versions(library_versions(), dict(setup.versions))
    if others:
        raise UserError(f"worker {who()} {others}")
    try:
        seen = setup.token.read_text(encoding="utf-8")
    except OSError as error:
        seen = str(error)
    if seen != setup.token.name:
        raise UserError(f"worker {who()} does not see {setup.token.parent}: all need the store under the same path")


def do_shard(task: ShardTask, setup: Setup, job: Job, tell: Tell) -> Done:
    """One shard into a folder of its own beside the token. UserError: a worker that does not fit, and all that
    `run_shards` raises."""
    check_fit(setup)
    lanes = dict(setup.lanes).get(host_name(), 1)
    encoder = _encoder(setup, max(1, cores() // lanes))
    folder = setup.token.parent / uuid4().hex
    job = replace(job, folder=folder, threads=max(1, min(job.threads, cores() // lanes)))
    clock, taken = Clock(), 0

    def step(count: int) -> None:
        nonlocal taken
        taken += count
        if not setup.token.exists():
            raise InterruptedError(f"shard {task.index} is not wanted any more")
        tell(taken, clock.busy)

    with current(encoder.device):
        (result,) = run_shards([task], encoder, job, clock, step)
    return Done(result, folder, clock.busy)


def do_shard_carefully(task: ShardTask, setup: Setup, job: Job, tell: Tell) -> Done:
    """The same for a shard whose workers died: photos that kill the process that decodes them are left out, named."""
    deadly = deadly_photos([item.path for item in task.items], _memory_limit())
    rest = tuple(item for number, item in enumerate(task.items) if number not in deadly)
    named = [Problem(str(task.items[number].path), what) for number, what in deadly.items()]
    if named and job.on_error == "stop":
        raise UserError(f"{named[0].where} {named[0].what}; ON_ERROR=skip goes on without it")
    if not rest:
        nothing = ShardResult(task.index, None, tuple(named), 0)
        return Done(nothing, setup.token.parent, 0.0, tuple(problem.where for problem in named))
    slow = replace(job, threads=1, batch=min(job.batch, CAREFUL_BATCH))
    done = do_shard(ShardTask(task.index, rest), setup, slow, tell)
    order = {str(item.path): number for number, item in enumerate(task.items)}
    problems = sorted([*named, *done.result.problems], key=lambda problem: order[problem.where])
    result = replace(done.result, problems=tuple(problems))
    return replace(done, result=result, deadly=tuple(problem.where for problem in named))


_building = threading.Lock()


def _encoder(setup: Setup, threads: int) -> Encoder:
    """Built once a process, whichever of its threads comes first. UserError: the weights are others."""
    with _building:
        return _build(setup.encoder, setup.weights, setup.weights_sha256, setup.precision, setup.device, threads)


@lru_cache(maxsize=1)
def _build(name: str, weights: str, sha256: str, precision: str, device: str, threads: int) -> Encoder:
    encoder = build_encoder(name, weights, own_device(device), precision, threads)
    if encoder.weights_sha256 != sha256:
        has = f"has other weights under {weights} (sha256 {encoder.weights_sha256[:8]}…, not {sha256[:8]}…)"
        raise UserError(f"worker {who()} {has}: give all workers the same file")
    return encoder


def _memory_limit() -> int | None:
    """Bytes this worker may have, None where nobody says."""
    from distributed import get_worker

    return get_worker().memory_manager.memory_limit
