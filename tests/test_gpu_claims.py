"""No GPU for two workers."""

from __future__ import annotations

import subprocess
import sys

import pytest
import torch

from attend.errors import UserError
from attend.extract.cluster import gpu
from attend.extract.cluster.claims import claim

CLAIM = "import sys; from attend.extract.cluster.claims import claim; print(claim(sys.argv[1]))"


@pytest.fixture
def claims(tmp_path, monkeypatch):
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr("tempfile.tempdir", None)
    yield
    gpu.own_device.cache_clear()


def claimed_elsewhere(name: str) -> bool:
    return "True" in subprocess.run([sys.executable, "-c", CLAIM, name], capture_output=True, text=True).stdout


def test_a_claim_holds_as_long_as_its_process(claims):
    assert claimed_elsewhere("0") and claim("0") and not claimed_elsewhere("0") and not claim("0")


def test_each_worker_takes_the_next_free_one(claims, monkeypatch):
    """There need be no GPU: which one is taken is decided before any is used."""
    monkeypatch.setattr(torch.cuda, "device_count", lambda: 2)
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "3,5")
    monkeypatch.setattr(gpu, "choose_device", lambda _: torch.device("cuda"))
    assert claim("gpu-3")
    assert gpu.own_device("auto") == torch.device("cuda", 1)
    gpu.own_device.cache_clear()
    with pytest.raises(UserError, match=r"every GPU \(3, 5\) has a worker already: start fewer workers, or DEVICE=cpu"):
        gpu.own_device("cuda")


def test_without_a_gpu_the_processor(claims):
    assert gpu.own_device("cpu") == torch.device("cpu")
