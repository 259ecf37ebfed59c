"""How much memory may be taken: the control group's rest where it is less than the machine's."""

from __future__ import annotations

from pathlib import Path

import psutil
import pytest
import torch

from attend import free_memory
from attend.free_memory import control_group_rests
from attend.train import annotations
from attend.train.annotations import cache_place

CPU = torch.device("cpu")


def group(folder: Path, **files: object) -> Path:
    folder.mkdir(parents=True)
    for name, content in files.items():
        (folder / name.replace("_dot_", ".")).write_text(f"{content}\n")
    return folder


def test_the_second_version_counts_every_group_above_too(tmp_path):
    root = tmp_path / "cgroup"
    outer = group(
        root / "pods", memory_dot_max=1000, memory_dot_current=700, memory_dot_stat="anon 5\ninactive_file 100"
    )
    group(outer / "job", memory_dot_max=900, memory_dot_current=100, memory_dot_stat="inactive_file 0")
    process = tmp_path / "process"
    process.write_text("0::/pods/job\n")
    assert sorted(control_group_rests(process, root)) == [400, 800]
    (outer / "job" / "memory.max").write_text("max\n")
    assert control_group_rests(process, root) == [400]


def test_the_first_version_and_a_container_that_sees_only_its_own_group(tmp_path):
    root = tmp_path / "cgroup"
    group(
        root / "memory",
        memory_dot_limit_in_bytes=5000,
        memory_dot_usage_in_bytes=2000,
        memory_dot_stat="total_inactive_file 500",
    )
    process = tmp_path / "process"
    process.write_text("9:cpuset:/\n4:memory:/docker/abc\n0::/\n")
    assert control_group_rests(process, root) == [3500]
    assert control_group_rests(tmp_path / "absent", root) == []


def test_more_in_use_than_allowed_leaves_nothing(tmp_path):
    root = group(tmp_path / "cgroup", memory_dot_max=10, memory_dot_current=30, memory_dot_stat="inactive_file 5")
    (tmp_path / "process").write_text("0::/\n")
    assert control_group_rests(tmp_path / "process", root) == [0]


def test_the_smaller_one_counts(tmp_path, monkeypatch):
    root = group(tmp_path / "cgroup", memory_dot_max=10, memory_dot_current=3, memory_dot_stat="inactive_file 0")
    (tmp_path / "process").write_text("0::/\n")
    monkeypatch.setattr(free_memory, "PROCESS", tmp_path / "process")
    monkeypatch.setattr(free_memory, "CONTROL_GROUPS", root)
    assert free_memory.free_memory() == 7
    (root / "memory.max").write_text("max")
    assert free_memory.free_memory() == pytest.approx(psutil.virtual_memory().available, rel=0.2)


@pytest.mark.parametrize(
    ("size", "processes", "kept"), [(500, 1, True), (501, 1, False), (250, 2, True), (251, 2, False), (1, 501, False)]
)
def test_every_process_of_the_machine_keeps_its_own(monkeypatch, size, processes, kept):
    monkeypatch.setattr(annotations, "free_memory", lambda: 1000)
    assert cache_place(size, 0.5, CPU, processes) == (CPU if kept else None)


def test_the_gpu_first_then_host_memory_then_nowhere(monkeypatch):
    gpu = torch.device("cuda", 1)
    monkeypatch.setattr(annotations, "free_memory", lambda: 4000)
    monkeypatch.setattr(torch.cuda, "mem_get_info", lambda device: (1000, 8000))
    assert cache_place(500, 0.5, gpu, 4) == gpu
    assert cache_place(501, 0.5, gpu, 2) == CPU
    assert cache_place(501, 0.5, gpu, 4) is None
