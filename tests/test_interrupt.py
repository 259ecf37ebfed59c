"""Ctrl-C, SIGTERM and kill -9 of `make features WORKERS=`: no worker outlives it, and the next run goes on."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import psutil
import pytest

from attend.data.manifest import MANIFEST, Manifest
from attend.data.verify import verify
from tests.tiny_encoder import drawn_items

pytestmark = pytest.mark.slow
STORE = "out/features/folder/efficientnet_lite0"
PATIENCE = 600.0


def start(work: Path, *words: str) -> subprocess.Popen:
    source = ["--dataset", "folder", "--images", "photos", "--captions", "captions.csv", "--shard-rows", "4"]
    what = ["--encoder", "efficientnet_lite0", "--weights", "random:1", "--out", "out"]
    command = [sys.executable, "-m", "attend", "features", *source, *what, *words]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT}
    return subprocess.Popen(command, cwd=work, text=True, start_new_session=True, **pipes)


def until_a_shard_is_stored(folder: Path) -> None:
    end = time.monotonic() + PATIENCE
    while not ((folder / MANIFEST).is_file() and Manifest.load(folder).shards):
        assert time.monotonic() < end
        time.sleep(0.02)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
@pytest.mark.fault(
    "the command is ended while workers work", "they end with it; the next run goes on", "Scale and hardware"
)
def test_workers_end_with_the_command_and_the_next_run_goes_on(tmp_path, request, number):
    items = drawn_items(tmp_path / "photos", 60, (40, 40))
    table = ["image,caption\n", *(f"{item.image_id},a photo\n" for item in items)]
    (tmp_path / "captions.csv").write_text("".join(table))
    first = start(tmp_path, "--workers", "2")
    request.addfinalizer(first.kill)
    until_a_shard_is_stored(tmp_path / STORE)
    children = psutil.Process(first.pid).children(recursive=True)
    assert children
    if number == signal.SIGINT:
        os.killpg(first.pid, number)  # as a terminal does
    else:
        os.kill(first.pid, number)
    output, _ = first.communicate(timeout=PATIENCE)
    assert first.returncode == (-9 if number == signal.SIGKILL else 1), output
    gone, alive = psutil.wait_procs(children, timeout=60)
    assert gone and alive == []
    if number == signal.SIGTERM:
        assert output.splitlines()[-1] == "Aborted!" and "leaked" not in output
        assert not list((tmp_path / STORE).glob(".*"))
    done = Manifest.load(tmp_path / STORE).images
    assert 4 <= done < 60
    again = start(tmp_path)
    output, _ = again.communicate(timeout=PATIENCE)
    assert again.returncode == 0 and f"{60 - done} of 60 photos to do" in output, output
    assert ("took the store over: process" in output) == (number == signal.SIGKILL)
    assert Manifest.load(tmp_path / STORE).images == 60 and verify(tmp_path / STORE) == []
