"""Workers to do the shards: a cluster on this machine, or one that runs already."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib.util import find_spec

import dask
import torch
from distributed import Client, LocalCluster

from attend.device import PRECISIONS
from attend.errors import UserError
from attend.extract.cluster.running import Workers
from attend.extract.cluster.setup import Introduction, other_versions
from attend.extract.cluster.worker import introduce
from attend.extract.crew import Crew
from attend.extract.libraries import library_versions

Say = Callable[[str], None]
SECONDS_TO_CONNECT = 10
SECONDS_FOR_WORKERS = 60

LOCAL = {
    "distributed.scheduler.allowed-failures": 1,  # a shard whose worker died twice is looked into
    "distributed.scheduler.worker-saturation": 1.0,  # and no shard waits in a worker for the blame of another
}


@contextmanager
def joined(workers: int | None, scheduler: str | None, device: str, precision: str, say: Say) -> Iterator[Crew]:
    """`workers` processes of this machine, which end with the block, or those of `scheduler`.

    UserError: nobody answers at `scheduler`, no worker comes, or one that does not fit.
    """
    if device not in ("auto", "cpu", "cuda"):
        raise UserError(f"DEVICE={device}: each worker takes a GPU of its own; give auto, cpu or cuda")
    if precision not in ("auto", *PRECISIONS):
        raise UserError(f"PRECISION={precision} is unknown: auto, {' or '.join(PRECISIONS)}")
    with dask.config.set(LOCAL), _connected(workers, scheduler) as client:
        if workers is not None:
            client.wait_for_workers(workers)
        else:
            _wait_for_workers(client, scheduler or "", say)
        say(f"dashboard: {client.dashboard_link}{'' if find_spec('bokeh') else ' (once bokeh is installed there)'}")
        crew = _introductions(client, device)
        kinds = sorted({one.device for one in crew.values()})
        chosen = precision if precision != "auto" else _common_precision(list(crew.values()))
        where = f"{len(crew)} workers on {' and '.join(kinds)}"
        yield Crew(where, torch.device("cpu"), chosen, Workers(client, device, _lanes(client, crew), say).run)


@contextmanager
def _connected(workers: int | None, scheduler: str | None) -> Iterator[Client]:
    if workers is not None:
        local = LocalCluster(n_workers=workers, threads_per_worker=1, dashboard_address="127.0.0.1:0")
        with local, Client(local) as client:
            yield client
            logging.getLogger("distributed.nanny").setLevel(logging.ERROR)  # all is done: however the workers end
        return
    try:
        client = Client(scheduler, timeout=SECONDS_TO_CONNECT)
    except (OSError, ValueError) as error:
        cure = "start one with `dask scheduler`, or give WORKERS=n for workers on this machine"
        raise UserError(f"SCHEDULER={scheduler}: no scheduler answers there: {cure}") from error
    with client:
        yield client


def _wait_for_workers(client: Client, scheduler: str, say: Say) -> None:
    """UserError: none came in time."""
    give_up = time.monotonic() + SECONDS_FOR_WORKERS
    if not client.nthreads():
        say(f"{scheduler} has no workers yet: waiting up to {SECONDS_FOR_WORKERS} s for the first")
    while not client.nthreads():
        if time.monotonic() > give_up:
            cure = f"start some with `dask worker {scheduler} --nthreads 1`"
            raise UserError(f"SCHEDULER={scheduler} got no worker in {SECONDS_FOR_WORKERS} s: {cure}")
        time.sleep(0.2)


def _introductions(client: Client, device: str) -> dict[str, Introduction]:
    """Of every worker, by address. UserError: those that do not fit, by name."""
    answers = client.run(introduce, device, on_error="return")
    here = library_versions()
    faults = []
    for address, answer in answers.items():
        if isinstance(answer, UserError):
            faults.append(f"{address}: {answer}")
        elif isinstance(answer, ImportError):
            faults.append(f"{address} lacks a package ({answer}): install show-attend-tell where it runs")
        elif isinstance(answer, BaseException):
            raise answer
        else:
            others = other_versions(answer.versions, here)
            if others:
                faults.append(f"{address} ({answer.who}) {others}")
    if faults:
        raise UserError("; ".join(faults))
    return answers


def _common_precision(crew: list[Introduction]) -> str:
    """What pays on all workers. UserError: they differ, and so would the features."""
    found = sorted({one.precision for one in crew})
    if len(found) > 1:
        raise UserError(f"the workers would compute in {' and '.join(found)}: say PRECISION={found[-1]} for all")
    return found[0]


def _lanes(client: Client, crew: dict[str, Introduction]) -> tuple[tuple[str, int], ...]:
    """Each machine and how many shards it does at once."""
    lanes: dict[str, int] = {}
    for address, threads in client.nthreads().items():
        if address in crew:
            lanes[crew[address].host] = lanes.get(crew[address].host, 0) + threads
    return tuple(sorted(lanes.items()))
