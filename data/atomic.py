"""Files that appear under their final name only when they are whole."""

from __future__ import annotations

import os
import shutil
import socket
import uuid
from contextlib import suppress
from pathlib import Path

SUFFIX = ".partial"


def partial_path(final: Path) -> Path:
    """A name beside `final` that no other process uses: `.NAME.HOST.PROCESS.RANDOM.partial`."""
    owner = f"{host_name()}.{os.getpid()}.{uuid.uuid4().hex[:8]}"
    return final.with_name(f".{final.name}.{owner}{SUFFIX}")


def publish(partial: Path, final: Path) -> None:
    """Bring `partial` to the disk, give it its final name, and bring the name to the disk."""
    with partial.open("rb") as file:
        os.fsync(file.fileno())
    partial.replace(final)
    folder = os.open(final.parent, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)


def write_atomically(final: Path, content: bytes | memoryview) -> None:
    """Write a file whole: after a crash or on a full disk `final` holds the old content, else the new. OSError, named
    after `final`: it cannot be written."""
    final.parent.mkdir(parents=True, exist_ok=True)
    partial = partial_path(final)
    try:
        partial.write_bytes(content)
        publish(partial, final)
    except BaseException as error:
        with suppress(OSError):
            partial.unlink()
        if isinstance(error, OSError):
            error.filename = str(final)  # a full disk names no file, the others the partial one
        raise


def remove_abandoned(folder: Path) -> list[Path]:
    """Delete what processes of this machine that no longer run left half-written; returns what was deleted."""
    abandoned = [path for path in sorted(folder.glob(f".*{SUFFIX}")) if _is_abandoned(path)]
    _remove(abandoned)
    return abandoned


def remove_own(folder: Path) -> None:
    """Delete what this process, or its children in a folder of its making, left half-written."""
    _remove([path for path in folder.glob(f".*{SUFFIX}") if _process_of(path) == os.getpid()])


def _remove(paths: list[Path]) -> None:
    for path in paths:
        if path.is_dir():
            shutil.rmtree(path, ignore_errors=True)
        else:
            path.unlink(missing_ok=True)


def _process_of(path: Path) -> int | None:
    """The process of this machine that writes under this name."""
    parts = path.name.split(".")  # "", NAME…, HOST, PROCESS, RANDOM, "partial"
    if len(parts) < 6 or parts[-4] != host_name() or not parts[-3].isdecimal():
        return None
    return int(parts[-3])


def _is_abandoned(path: Path) -> bool:
    process = _process_of(path)
    if process is None:
        return False
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return True
    except PermissionError:
        pass
    return False


def host_name() -> str:
    """This machine's name without dots."""
    return socket.gethostname().replace(".", "-")
