"""One training at a time in a run directory."""

from __future__ import annotations

import fcntl
import os
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from attend.errors import UserError

LOCK = ".training"


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Hold the run directory, made where it is absent, for one training; the system lets go of it when a process ends.

    UserError names the process that holds it.
    """
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / LOCK).open("a+", encoding="utf-8") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            file.seek(0)
            holder = file.read() or "another process"
            raise UserError(f"{folder} is being trained by {holder}: wait for it, or RUN=name starts another") from None
        file.truncate(0)
        file.write(f"process {os.getpid()} on {socket.gethostname()}")
        file.flush()
        yield
