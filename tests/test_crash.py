"""Extraction that is killed again and again ends with the store of an undisturbed one, says `bench/crash.py`."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).resolve().parents[1] / "bench" / "crash.py"


@pytest.fixture(scope="module")
def crash():
    spec = importlib.util.spec_from_file_location("crash", SCRIPT)
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    sys.modules["crash"] = module
    spec.loader.exec_module(module)
    yield module
    del sys.modules["crash"]


def test_the_judge_sees_work_done_twice_and_photos_lost(crash):
    """Shards of 4 in batches of 1: a kill may waste 4 + 4 photos."""
    run = crash.Run
    good = [run(True, 0, 4, 44, 32), run(True, 4, 8, 12, 0), run(False, 8, 40, 32, 0)]
    assert [one.wasted() for one in good] == [8, 8, 0] and crash.faults(good, 40, 4, 1) == []
    twice = [run(True, 0, 4, 45, 32), run(False, 4, 40, 37, 0)]
    assert crash.faults(twice, 40, 4, 1) == [
        "run 1 stored 4 photos and encoded 45",
        "run 2 stored 36 photos and encoded 37",
    ]
    assert crash.faults([run(False, 0, 39, 39, 0)], 40, 4, 1) == ["39 of 40 photos are stored in the end"]


@pytest.mark.slow
@pytest.mark.fault(
    "extraction killed again and again at random moments",
    "resumed; the store of a run that was left alone, at most one shard lost a kill",
    "Store",
)
def test_kills_at_random_moments(tmp_path):
    size = ["--images", "40", "--shard-rows", "4", "--batch", "2", "--kills", "3", "--weights", "random:1"]
    done = subprocess.run([sys.executable, str(SCRIPT), *size], capture_output=True, text=True, cwd=tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "\n3 kills; " in done.stdout and done.stdout.endswith("both stores hold the same, byte for byte\n")
