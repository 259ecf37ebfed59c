"""A thing of this machine that one process has at a time, until it ends, however it ends."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

_claims: list[int] = []
"""Open files: the system lets go of their locks with the process."""


def claim(name: str) -> bool:
    """Take `name` for this process, of all processes of this user; False when one has it already."""
    import fcntl

    path = Path(tempfile.gettempdir()) / f"attend-{os.getuid()}-{name.replace('/', '-')}"
    handle = os.open(path, os.O_CREAT | os.O_RDWR, 0o600)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(handle)
        return False
    _claims.append(handle)
    return True
