"""Which photos of a shard kill the process that decodes them: found out by processes that may die."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

READY = b"+"
DONE = b"."


def deadly_photos(paths: Sequence[Path], memory: int | None = None) -> dict[int, str]:
    """Number of each such photo → what is wrong with it, in words that end with the cure.

    One process decodes photo after photo and says so after each; when it dies, the next photo is the culprit, and
    another process goes on behind it. `memory` bounds its bytes, None does not. RuntimeError: it does not even begin.
    """
    deadly: dict[int, str] = {}
    begin = 0
    while begin < len(paths):
        said, code = _decode(paths[begin:], memory)
        if not said.startswith(READY):
            raise RuntimeError(f"the process that tries out photos does not begin (status {code})")
        begin += said.count(DONE)
        if begin < len(paths):
            deadly[begin] = f"kills the process that decodes it ({_ending(code)}): replace it"
            begin += 1
    return deadly


def _decode(paths: Sequence[Path], memory: int | None) -> tuple[bytes, int]:
    """What a process said before it ended, and its status."""
    order = json.dumps([memory, [str(path) for path in paths]]).encode()
    done = subprocess.run(
        [sys.executable, "-m", "attend.extract.cluster.try_photos"], input=order, stdout=subprocess.PIPE, check=False
    )
    return done.stdout, done.returncode


def _ending(code: int) -> str:
    try:
        return signal.Signals(-code).name
    except ValueError:
        return f"status {code}"
