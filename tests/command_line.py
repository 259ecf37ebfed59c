"""The command line as people meet it: exit code and what is on both outputs, in this process or in one of its own."""

from __future__ import annotations

import io
import os
import signal
import subprocess
import sys
from collections.abc import Sequence
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from unittest.mock import patch

from attend.cli import main

ROOT = Path(__file__).resolve().parents[1]


@dataclass(frozen=True)
class Done:
    """How a command ended."""

    code: int
    out: str
    err: str


def attend(*words: object) -> Done:
    """`attend` with these words, in this process: quick, and sees what a test has registered."""
    out, err = io.StringIO(), io.StringIO()
    with patch.object(sys, "argv", ["attend", *map(str, words)]), redirect_stdout(out), redirect_stderr(err):
        try:
            main()
            code: object = 0
        except SystemExit as end:
            code = end.code
    return Done(code if isinstance(code, int) else 0, out.getvalue(), err.getvalue())


def start(*words: object, module: str = "attend", wrapper: Sequence[str] = (), **options: Any) -> subprocess.Popen[str]:
    """`python -m MODULE` with these words as a process of its own, both outputs in pipes; `wrapper` comes before it."""
    path = os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH")]))
    settings = {"env": {**os.environ, "PYTHONPATH": path}, "preexec_fn": _hear_ctrl_c, **options}
    command = [*wrapper, sys.executable, "-m", module, *map(str, words)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **settings)


def _hear_ctrl_c() -> None:
    """A shell's background job is deaf to SIGINT, and so would its children be."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def finish(process: subprocess.Popen[str], seconds: float = 120) -> Done:
    """Wait for its end, which must come within `seconds`."""
    try:
        out, err = process.communicate(timeout=seconds)
    except subprocess.TimeoutExpired:
        process.kill()
        process.communicate()
        raise
    return Done(process.returncode, out, err)
