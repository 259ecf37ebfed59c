"""A child process that answers every line with a line, under a time limit, and that never outlives its use."""

from __future__ import annotations

import contextlib
import os
import queue
import signal
import subprocess
import tempfile
import threading
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import IO

from attend.errors import UserError


class ProcessError(UserError):
    """The child stopped or gave no answer in time; the message names it and says what it wrote last."""


@contextlib.contextmanager
def line_process(
    name: str, command: Sequence[str], environment: Mapping[str, str], folder: Path
) -> Iterator[LineProcess]:
    """The child, started in `folder`, and killed when the block ends: by itself, by an error, by Ctrl-C.

    It has a process group of its own, so Ctrl-C in a terminal does not reach it before us, and what it may have started
    ends with it. If this process is killed, the child's input ends, and a child that reads lines ends by itself.
    """
    process = LineProcess(name, list(command), dict(environment), folder)
    try:
        with interrupts_held():  # a child that is started is one that we know of
            process.start()
        yield process
    finally:
        with interrupts_held():
            process.end()


@contextlib.contextmanager
def interrupts_held() -> Iterator[None]:
    """Ctrl-C within the block takes effect after it. In threads, which get no Ctrl-C, nothing happens."""
    handler = signal.getsignal(signal.SIGINT)
    if threading.current_thread() is not threading.main_thread() or handler is None:
        yield
        return
    held: list[int] = []
    signal.signal(signal.SIGINT, lambda number, frame: held.append(number))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, handler)
    if held:
        signal.raise_signal(signal.SIGINT)


class LineProcess:
    """A running child. Its error stream goes to a nameless file: a full pipe cannot stop it."""

    child: subprocess.Popen[bytes]

    def __init__(self, name: str, command: list[str], environment: dict[str, str], folder: Path) -> None:
        self.name, self.command, self.environment, self.folder = name, command, environment, folder
        self._errors: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115 (`end` closes it)
        self._answers: queue.Queue[bytes | None] = queue.Queue()
        self._threads: list[threading.Thread] = []

    def start(self) -> None:
        """OSError when there is no such program."""
        self.child = subprocess.Popen(
            self.command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._errors,
            cwd=self.folder,
            env=self.environment,
            start_new_session=True,
        )
        self._threads.append(threading.Thread(target=self._read, daemon=True))
        self._threads[0].start()

    def exchange(self, lines: Sequence[str], seconds: float) -> list[str]:
        """The answer to each line, none of which has a line break. `seconds` is the longest wait for the next answer.

        ProcessError when the child stops, or when that time has passed.
        """
        writer = threading.Thread(target=self._write, args=(lines,), daemon=True)
        self._threads.append(writer)
        writer.start()
        return [self._answer(seconds) for _ in lines]

    def _answer(self, seconds: float) -> str:
        try:
            answer = self._answers.get(timeout=seconds)
        except queue.Empty:
            raise ProcessError(f"{self.name} gave no answer in {seconds:g} s and was ended") from None
        if answer is None:
            code = self.child.wait()
            raise ProcessError(f"{self.name} stopped (exit {code}): {self._complaint()}")
        return answer.decode("utf-8", "replace").strip()

    def _complaint(self) -> str:
        self._errors.seek(0)
        lines = self._errors.read().decode("utf-8", "replace").strip().splitlines()
        return lines[0].strip() if lines else "no message"

    def _read(self) -> None:
        assert self.child.stdout is not None
        for line in self.child.stdout:
            self._answers.put(line)
        self._answers.put(None)

    def _write(self, lines: Sequence[str]) -> None:
        assert self.child.stdin is not None
        with contextlib.suppress(OSError, ValueError):  # it stopped: `_answer` says so
            for line in lines:
                self.child.stdin.write(line.encode("utf-8", "replace") + b"\n")
            self.child.stdin.flush()

    def end(self) -> None:
        """Kill the child and its group, and wait until it is gone. Nothing to do when it never started."""
        if self._threads:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self.child.pid, signal.SIGKILL)
            self.child.wait()
            for thread in self._threads:
                thread.join()
            for stream in (self.child.stdin, self.child.stdout):
                with contextlib.suppress(OSError):  # unwritten input of a child that is gone
                    if stream is not None:
                        stream.close()
        self._errors.close()
