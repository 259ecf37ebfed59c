"""One extraction at a time in a store: a file that says who is at work, on any disk that machines share."""

from __future__ import annotations

import errno
import getpass
import json
import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass
from pathlib import Path

import psutil

from attend.data.atomic import host_name
from attend.errors import UserError

LOCK, TAKEOVER = ".extracting", ".extracting.takeover"
CLOCK_STEPS = 60.0
"""Seconds by which a correction of the clock may shift when a process is said to have begun."""


MOST_PROCESSES = 2**31
"""No process has this number or a higher one."""


@dataclass(frozen=True)
class Owner:
    """The process that holds a lock. `begun` is when the process began: another one may get its number later."""

    host: str
    process: int
    begun: float
    user: str
    since: str

    def __str__(self) -> str:
        return f"process {self.process} of {self.user} on {self.host} since {self.since}"


@contextmanager
def store_lock(folder: Path, say: Callable[[str], None]) -> Iterator[None]:
    """Hold the lock of the store in `folder`, which is made if need be, and removed again if it stays empty.

    The lock of a process of this machine that has ended is taken over, and said. A folder that may only be read needs
    no lock: nobody here writes to it. UserError: another process is at work, or a process of another machine, of which
    nobody here can tell.
    """
    made = _make(folder)
    lock, own = folder / LOCK, _this_process()
    try:
        try:
            ended = None
            while not _create(lock, own):
                ended = _take_over(lock, own) or ended
            if ended:
                say(f"took the store over: {ended} has ended")
        except OSError as error:
            if error.errno not in (errno.EROFS, errno.EACCES):
                raise
        try:
            yield
        finally:
            if _read(lock) == own:
                lock.unlink()
    finally:
        for path in made:
            with suppress(OSError):  # it is not empty
                path.rmdir()


def _make(folder: Path) -> list[Path]:
    """Make the folder; returns what was made, the innermost first. UserError: something else is in its place."""
    missing = [path for path in (folder, *folder.parents) if not path.exists()]
    for path in (folder, *folder.parents):
        if path.is_symlink() and not path.exists():
            raise UserError(
                f"{path} is a link to {path.readlink()}, which is not there: mend the link, or give another OUT"
            )
        if path.exists() and not path.is_dir():
            raise UserError(f"{path} is no folder: move it away, or give another OUT")
    folder.mkdir(parents=True, exist_ok=True)
    return missing


def _this_process() -> Owner:
    process = psutil.Process()
    return Owner(host_name(), process.pid, process.create_time(), _user(), time.strftime("%Y-%m-%d %H:%M:%S"))


def _user() -> str:
    try:
        return getpass.getuser()
    except (KeyError, OSError):  # a user without a name, as in containers
        return f"user {os.getuid()}"


def _create(path: Path, owner: Owner) -> bool:
    """Make the file unless it is there: atomic on local and network disks alike."""
    try:
        handle = os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o644)
    except FileExistsError:
        return False
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            json.dump(asdict(owner), file)
    except OSError as error:  # the disk is full, and does not say which
        path.unlink()
        error.filename = str(path)
        raise
    return True


def _read(path: Path) -> Owner | None:
    """None: it is gone, or is no lock (yet)."""
    try:
        owner = Owner(**json.loads(path.read_text(encoding="utf-8")))
    except (OSError, ValueError, TypeError, RecursionError):
        return None
    texts = all(isinstance(text, str) for text in (owner.host, owner.user, owner.since))
    numbers = type(owner.process) is int and 0 < owner.process < MOST_PROCESSES and type(owner.begun) in (int, float)
    return owner if texts and numbers else None


def _take_over(lock: Path, own: Owner) -> Owner | None:
    """Remove the lock of a process that has ended, and say whose it was. UserError: it may still be at work.

    Of several that try only the one that makes the second file looks and removes, so nobody removes a new lock.
    """
    owner = _read(lock)
    if owner is None:
        time.sleep(0.2)  # between making the file and writing into it
        owner = _read(lock)
    if owner is None and lock.exists():
        raise UserError(f"{lock} does not say who is at work in the store: delete it if nobody is")
    if owner is None:
        return None
    if owner.host != own.host:
        raise UserError(f"{lock}: {owner} is at work in this store; wait for it, or delete the file if it has ended")
    if _runs(owner):
        raise UserError(f"{lock}: {owner} is at work in this store; wait for it")
    guard = lock.with_name(TAKEOVER)
    if not _create(guard, own):
        raise UserError(f"{guard}: another process takes the store over; run again, or delete the file if it stays")
    try:
        if _read(lock) != owner:
            return None
        lock.unlink()
        return owner
    finally:
        guard.unlink()


def _runs(owner: Owner) -> bool:
    try:
        process = psutil.Process(owner.process)
        ended = process.status() == psutil.STATUS_ZOMBIE
        return not ended and abs(process.create_time() - owner.begun) < CLOCK_STEPS
    except psutil.NoSuchProcess:
        return False
