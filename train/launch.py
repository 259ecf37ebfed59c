"""Starts one training as several processes of this machine, by the means of torchrun."""

from __future__ import annotations

import logging
import os
import shutil
import signal
import sys
import uuid
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from torch.distributed.elastic.multiprocessing.api import DefaultLogsSpecs, LogsSpecs, SignalException
from torch.distributed.elastic.multiprocessing.errors import ChildFailedError
from torch.distributed.launcher.api import LaunchConfig, elastic_launch

from attend.device import device_of_process
from attend.errors import UserError
from attend.train import ranks
from attend.train.checkpoint import way_on

SECONDS_TO_END = "60"
SHARED = Path("/dev/shm")
ENOUGH_SHARED = 2**30
TALKATIVE = ("torch.distributed.elastic", "torch.distributed.elastic.agent.server.api")
"""Loggers that say what the processes say; the second does not ask the first how much to say."""


def check_processes(processes: int, device: str) -> None:
    """UserError unless this many processes make sense here, and are those that torchrun started, where it did."""
    if processes < 1:
        raise UserError(f"GPUS={processes}: a training is at least one process")
    if ranks.launched() and processes not in (1, ranks.local_world()):
        raise UserError(f"GPUS={processes}: torchrun started {ranks.local_world()} processes, leave GPUS out")
    if not ranks.launched():
        device_of_process(device, 0, processes)


def launch(processes: int, device: str, arguments: Sequence[str], folder: Path) -> int:
    """Run `attend` with these arguments in each process; returns the exit status of the whole. The run is in `folder`.

    SIGTERM and Ctrl-C reach all of them, which save and end, within `SECONDS_TO_END`. When one ends badly, all end:
    with its exit status, since it has said why.
    UserError: a process was ended by a signal, which is named.
    """
    if device_of_process(device, 0, processes).type == "cuda" and (advice := shared_memory_advice(SHARED)):
        print(advice, file=sys.stderr)
    os.environ.setdefault("OMP_NUM_THREADS", str(max(1, (os.cpu_count() or 1) // processes)))
    for name in TALKATIVE:
        logging.getLogger(name).setLevel(logging.CRITICAL)
    os.environ.setdefault("TORCH_ELASTIC_SHUTDOWN_TIMEOUT", SECONDS_TO_END)
    with TemporaryDirectory() as logs:
        return _run(processes, arguments, folder, DefaultLogsSpecs(log_dir=logs))


def _run(processes: int, arguments: Sequence[str], folder: Path, logs: LogsSpecs) -> int:
    config = LaunchConfig(
        min_nodes=1,
        max_nodes=1,
        nproc_per_node=processes,
        run_id=uuid.uuid4().hex,
        rdzv_backend="c10d",
        rdzv_endpoint="localhost:0",
        local_addr="localhost",
        max_restarts=0,
        logs_specs=logs,
    )
    try:
        elastic_launch(config, sys.executable)("-m", "attend", *arguments)
    except SignalException:
        return 1
    except ChildFailedError as error:
        number, failure = min(error.failures.items(), key=lambda item: item[1].timestamp)
        if failure.exitcode > 0:
            return int(failure.exitcode)
        name = signal.Signals(-failure.exitcode).name
        raise UserError(
            f"process {number} of {processes} was ended by {name}, so the others were ended too"
            f"{' (was memory short?)' if name == 'SIGKILL' else ''}: {way_on(folder)}"
        ) from None
    return 0


def shared_memory_advice(folder: Path) -> str | None:
    """What to do when NCCL, which exchanges between GPUs through `folder`, finds it small; None when it is not."""
    total = shutil.disk_usage(folder).total if folder.is_dir() else 0
    if total >= ENOUGH_SHARED:
        return None
    return (
        f"{folder} has {total // 2**20} MB: if NCCL finds no space left on it, give the container more "
        "(docker run --shm-size=1g) or set NCCL_SHM_DISABLE=1"
    )
