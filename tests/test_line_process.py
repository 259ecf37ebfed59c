"""A child that answers lines: every wait has an end, and the child never outlives its use."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import AbstractContextManager
from pathlib import Path

import psutil
import pytest

from attend.score.metrics.line_process import LineProcess, ProcessError, line_process

ECHO = "import sys\nfor line in sys.stdin: print(line.strip().upper(), flush=True)"
SLOW = "import sys, time\nfor line in sys.stdin: print(line.strip(), flush=True); time.sleep(600)"
DYING = "import sys\nprint(sys.stdin.readline(), flush=True); sys.exit('out of memory')"
DEAF = "import time\ntime.sleep(600)"


def child(program: str) -> AbstractContextManager[LineProcess]:
    return line_process("echo", [sys.executable, "-c", program], os.environ, Path.cwd())


def gone(pid: int, seconds: float = 20) -> bool:
    """No process `pid` within that time."""
    for _ in range(int(seconds * 20)):
        if not psutil.pid_exists(pid) or psutil.Process(pid).status() == psutil.STATUS_ZOMBIE:
            return True
        time.sleep(0.05)
    return False


def test_a_line_for_a_line_also_more_than_a_pipe_holds() -> None:
    with child(ECHO) as process:
        assert process.exchange(["a", "naïve 狗"], 30) == ["A", "NAÏVE 狗"]
        lines = [f"{number} " + "x" * 500 for number in range(2_000)]
        assert process.exchange(lines, 30) == [line.upper() for line in lines]
    assert gone(process.child.pid)


def test_a_child_that_dies_is_told_with_its_last_words() -> None:
    with pytest.raises(ProcessError, match=r"^echo stopped \(exit 1\): out of memory$"), child(DYING) as process:
        process.exchange(["a", "b", "c"], 30)
    assert gone(process.child.pid)


@pytest.mark.fault("a scorer that hangs", "ended after a time limit, named", "Scores")
@pytest.mark.parametrize("program", [SLOW, DEAF])
def test_a_child_that_hangs_is_ended_after_the_time_limit(program: str) -> None:
    """Also one that does not read while more is written to it than a pipe holds."""
    started = time.monotonic()
    with pytest.raises(ProcessError, match=r"gave no answer in 2 s and was ended"), child(program) as process:
        process.exchange(["x" * 500] * 2_000, 2)
    assert time.monotonic() - started < 30
    assert gone(process.child.pid)


def test_an_error_of_ours_ends_the_child() -> None:
    with pytest.raises(ValueError, match="ours"), child(DEAF) as process:
        raise ValueError("ours")
    assert gone(process.child.pid)


@pytest.fixture
def ctrl_c_acts() -> Iterator[None]:
    """As in a terminal: where the suite runs in the background, SIGINT is ignored."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("ctrl_c_acts")
def test_ctrl_c_while_the_child_starts_ends_it_too(monkeypatch: pytest.MonkeyPatch) -> None:
    """Between the start of a process and the first line of Python after it."""
    started, real = [], subprocess.Popen

    def interrupted(*words, **options):
        started.append(real(*words, **options))
        signal.raise_signal(signal.SIGINT)
        return started[0]

    monkeypatch.setattr(subprocess, "Popen", interrupted)
    with pytest.raises(KeyboardInterrupt), child(DEAF):
        pytest.fail("the block was entered")
    assert gone(started[0].pid)
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_a_program_that_is_not_there_is_named() -> None:
    absent = line_process("x", ["no-such-java"], os.environ, Path.cwd())
    with pytest.raises(FileNotFoundError, match="no-such-java"), absent:
        pytest.fail("the block was entered")


@pytest.mark.fault("a scorer that started another process", "both are gone", "Scores")
def test_what_the_child_started_ends_with_it() -> None:
    program = (
        "import subprocess, sys\n"
        "other = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(600)'])\n"
        "print(other.pid, flush=True)\n" + DEAF
    )
    with child(program) as process:
        grandchild = int(process.exchange(["pid?"], 30)[0])
        assert psutil.pid_exists(grandchild)
    assert gone(grandchild)


@pytest.mark.fault("Ctrl-C, SIGTERM or SIGKILL while METEOR runs", "its process is gone", "Scores")
@pytest.mark.parametrize("sign", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_meteor_is_gone_after_ctrl_c_and_after_a_kill(sign: signal.Signals, tmp_path: Path) -> None:
    """The real program, with the real command line, in a process that is stopped while it waits for an answer."""
    from tests.small_meteor import small_meteor

    folder = small_meteor(tmp_path / "meteor")
    script = f"""
import signal
signal.signal(signal.SIGINT, signal.default_int_handler)  # where the suite runs in the background it is ignored
from pathlib import Path
from attend.score.metrics import line_process, meteor
meteor.meteor_folder = lambda: Path({str(folder)!r})
real = line_process.LineProcess.exchange
def exchange(process, lines, seconds):
    answers = real(process, lines, seconds)
    print(process.child.pid, flush=True)
    process._answer(600)  # for an answer that does not come
    return answers
line_process.LineProcess.exchange = exchange
meteor._answers(["SCORE ||| a dog ||| a dog"])
"""
    parent = subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert parent.stdout is not None
    java = int(parent.stdout.readline())
    assert "java" in psutil.Process(java).name()
    parent.send_signal(sign)
    _, complaint = parent.communicate(timeout=60)
    assert parent.returncode != 0
    assert ("KeyboardInterrupt" in complaint) == (sign == signal.SIGINT)
    assert gone(java)
