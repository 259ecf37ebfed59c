"""Training in two processes: the numbers of one, whoever starts them; signals, deaths and mistakes end all of them."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import psutil
import pytest
import torch

from attend.errors import UserError
from attend.score.validation import make_validate
from attend.settings import read_settings
from attend.train import ranks
from attend.train.config_file import override_config, read_preset
from attend.train.launch import check_processes, shared_memory_advice
from attend.train.log import read_log
from attend.train.step import sum_gradients
from attend.train.training import Request, train
from tests.tiny_store import make_store

pytestmark = pytest.mark.slow

SETTINGS = (
    "model.units=16 model.embedding=8 model.dropout=0.5 batches.size=5 optim.precision=float32 optim.patience=99 "
    "optim.algorithm=rmsprop optim.learning_rate=0.001 optim.averaging=0.9 search.longest=8 search.beam=2"
)
"""Mini-batches of 5 and of 2 captions in halves. Graves' RMSProp does not magnify rounding, as Adam does where a
gradient is almost nothing."""
TORCHRUN = ("-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "2", "-m", "--")


@pytest.fixture(scope="module")
def out(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("two processes")
    make_store(folder / "features" / "tiny" / "tiny", images=8, captions=3, validation=6)
    return folder


def command(out: Path, run: str, settings: str, *options: str) -> list[str]:
    where = ["--dataset", "tiny", "--encoder", "tiny", "--out", str(out), "--run", run, "--device", "cpu"]
    return ["-m", "attend", "train", *where, "--set", f"{SETTINGS} {settings}", *options]


def environment() -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}


def call(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, *arguments], capture_output=True, text=True, env=environment(), timeout=300)


def alone(out: Path, run: str, settings: str, variant: str = "soft", resume: bool = False):
    config = override_config(read_preset("tiny", variant), read_settings([SETTINGS, settings]))
    store, folder = out / "features" / "tiny" / "tiny", out / "runs" / run
    return train(
        Request(store, "tiny", variant, folder, config, torch.device("cpu"), resume), make_validate, lambda line: None
    )


def saved(out: Path, run: str, name: str = "last.pt") -> dict:
    return torch.load(out / "runs" / run / name, weights_only=True)


def assert_equal_numbers(out: Path, one: str, two: str) -> None:
    """Equal but for the order in which float32 sums are made."""
    a, b = saved(out, one), saved(out, two)
    close = {"rtol": 1e-3, "atol": 1e-5}
    for name, value in a["model"].items():
        torch.testing.assert_close(value, b["model"][name], **close, msg=name)
        torch.testing.assert_close(a["average"]["weights"][name], b["average"]["weights"][name], **close)
    assert a["position"] == b["position"]
    assert torch.equal(a["random"]["cpu"], b["random"]["cpu"])
    lines = [read_log(out / "runs" / run / "log.jsonl") for run in (one, two)]
    assert [line["kind"] for line in lines[0]] == [line["kind"] for line in lines[1]]
    unlike = {"time", "seconds", "captions_per_second", "data_wait"}
    for first, second in zip(*lines, strict=True):
        for name in first.keys() - unlike:
            expected = first[name] if isinstance(first[name], str) else pytest.approx(first[name], rel=1e-3, abs=1e-5)
            assert second[name] == expected, name


@pytest.mark.fault("training in two processes", "the numbers of one process", "Scale and hardware")
def test_torchrun_gives_the_numbers_of_one_process(out):
    settings = "optim.epochs=3 validation.every=0.5 optim.clip_norm=1 optim.scheduled_sampling=0.2"
    done = call(*TORCHRUN, *command(out, "two", settings)[1:])
    assert done.returncode == 0, done.stderr
    alone(out, "one", settings)
    assert_equal_numbers(out, "one", "two")
    assert done.stdout.count("processes: 2") == done.stdout.count("all 3 epochs done") == 1


def test_hard_attention_draws_the_same_places_and_keeps_one_baseline(out):
    settings = "optim.epochs=3 hard.expected_share=0.5"
    done = call(*command(out, "hard-two", settings, "--variant", "hard", "--gpus", "2"))
    assert done.returncode == 0, done.stderr
    alone(out, "hard-one", settings, "hard")
    assert_equal_numbers(out, "hard-one", "hard-two")
    one, two = (saved(out, run)["objective"]["baseline"] for run in ("hard-one", "hard-two"))
    assert two == pytest.approx(one, rel=1e-5) and one < -1


def start_endless(out: Path, run: str) -> subprocess.Popen[str]:
    """Two processes that have written their first checkpoint."""
    started = subprocess.Popen(
        [sys.executable, *command(out, run, "optim.epochs=100000", "--gpus", "2")],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=environment(),
    )
    until = time.monotonic() + 120
    while not (out / "runs" / run / "best.pt").exists():
        assert time.monotonic() < until and started.poll() is None
        time.sleep(0.1)
    return started


@pytest.mark.fault(
    "SIGTERM to a training in two processes", "all save and end; one process goes on", "Scale and hardware"
)
def test_sigterm_saves_and_ends_all_and_one_process_goes_on(out):
    started = start_endless(out, "cut")
    started.send_signal(signal.SIGTERM)
    told, errors = started.communicate(timeout=90)
    assert (started.returncode, errors.count("Traceback"), errors.count("death signal")) == (1, 0, 0)
    assert told.count("SIGTERM at step") == told.count("RESUME=1 goes on from here") == 1
    place = saved(out, "cut")["position"]
    assert place["step"] > 0
    epochs = place["epoch"] + 2
    result = alone(out, "cut", f"optim.epochs={epochs}", resume=True)
    assert result.finished and result.position.epoch == epochs
    alone(out, "uncut", f"optim.epochs={epochs}")
    for name, value in saved(out, "uncut")["model"].items():
        torch.testing.assert_close(value, saved(out, "cut")["model"][name], rtol=1e-2, atol=1e-3, msg=name)


@pytest.mark.fault("one of two training processes is killed", "the others end; one line says how", "Scale and hardware")
def test_a_process_that_dies_ends_the_job_with_one_line(out):
    started = start_endless(out, "killed")
    victim = next(
        child
        for child in psutil.Process(started.pid).children(recursive=True)
        if child.environ().get("RANK") == "1" and "attend" in child.cmdline()
    )
    victim.kill()
    _, errors = started.communicate(timeout=90)
    assert started.returncode == 2
    said = [line for line in errors.splitlines() if line.startswith("attend: ")]
    assert said == [
        "attend: process 1 of 2 was ended by SIGKILL, so the others were ended too (was memory short?): "
        "RESUME=1 goes on from last.pt"
    ]
    assert "Traceback" not in errors
    assert saved(out, "killed")["position"]["step"] > 0


@pytest.mark.fault(
    "kill -9 of what started the training processes", "they stop, last.pt is written", "Scale and hardware"
)
def test_processes_whose_launcher_was_killed_save_and_end(out):
    started = start_endless(out, "orphans")
    left = psutil.Process(started.pid).children(recursive=True)
    assert len([child for child in left if "attend" in child.cmdline()]) == 2
    started.kill()
    told, _ = started.communicate(timeout=90)  # they hold its output until they end
    _, alive = psutil.wait_procs(left, timeout=30)
    assert alive == []
    [step] = re.findall(r"orphans: SIGHUP at step (\d+); best validation", told)
    assert saved(out, "orphans")["position"]["step"] == int(step) > 0


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (("--start", "nope"), "attend: no run at {out}/runs/nope: train it first, or check RUN= and OUT="),
        (
            ("--set", "optim.learning_rate=-1"),
            "attend: optim.learning_rate=-1.0 is out of range: more than 0",
        ),
    ],
)
@pytest.mark.fault("a mistake in the options of two processes", "told once, before they start", "Scale and hardware")
def test_a_mistake_in_what_is_asked_is_told_once(out, options, told):
    done = call(*command(out, "mistaken", "", "--gpus", "2", *options))
    assert (done.returncode, done.stderr) == (2, told.format(out=out) + "\n")


def test_a_mistake_that_all_processes_meet_is_told_once(out):
    done = call(*command(out / "nowhere", "none", "", "--gpus", "2"))
    assert done.returncode == 2
    assert done.stderr.splitlines() == [
        f"attend: {out}/nowhere/features/tiny/tiny has no manifest.json, so no features: run `make features` first"
    ]


@pytest.fixture
def no_gpu(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)


@pytest.mark.fault("GPUS=2 without a GPU", "refused with the cure", "Scale and hardware")
def test_without_gpus_several_processes_must_be_asked_for_by_name(no_gpu):
    cure = r"GPUS=2: this torch .* finds no GPU; DEVICE=cpu trains in 2 processes on the processor"
    with pytest.raises(UserError, match=cure):
        check_processes(2, "auto")
    check_processes(2, "cpu")
    check_processes(1, "auto")
    with pytest.raises(UserError, match="GPUS=0: a training is at least one process"):
        check_processes(0, "cpu")


@pytest.mark.fault("more processes than GPUs", "refused, the numbers are named", "Scale and hardware")
def test_more_processes_than_gpus_and_a_named_gpu_are_refused(monkeypatch):
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    monkeypatch.setattr(torch.cuda, "device_count", lambda: 2)
    check_processes(2, "auto")
    with pytest.raises(UserError, match="GPUS=3: this machine has 2 GPUs"):
        check_processes(3, "auto")
    with pytest.raises(UserError, match="DEVICE=cuda:1 is one GPU and GPUS=2 takes the first 2: leave one of them out"):
        check_processes(2, "cuda:1")


def make(*words: str) -> subprocess.CompletedProcess[str]:
    root = Path(__file__).resolve().parents[1]
    return subprocess.run(["make", "-n", *words], cwd=root, capture_output=True, text=True)


def test_make_passes_gpus_and_config_on_to_train_and_to_nothing_else():
    assert "--dataset scenes" in make("train").stdout
    assert "--gpus" not in make("train").stdout
    assert "--gpus 2" in make("train", "GPUS=2", "DEVICE=cpu").stdout
    repeated = make("train", "CONFIG=a b/config.toml", "VARIANT=hard").stdout
    assert '--config "a b/config.toml"' in repeated and "--variant hard" in repeated
    assert "--dataset" not in repeated and "--run" not in repeated
    refused = make("features", "GPUS=2")
    assert refused.returncode == 2
    assert "GPUS= is for make train alone" in refused.stderr


@pytest.mark.fault("a container with 64 MB of shared memory", "advice before it is needed", "Scale and hardware")
def test_small_shared_memory_gives_advice(tmp_path, monkeypatch):
    import shutil

    monkeypatch.setattr(shutil, "disk_usage", lambda folder: shutil._ntuple_diskusage(2**26, 0, 2**26))
    assert shared_memory_advice(tmp_path) == (
        f"{tmp_path} has 64 MB: if NCCL finds no space left on it, give the container more "
        "(docker run --shm-size=1g) or set NCCL_SHM_DISABLE=1"
    )
    monkeypatch.setattr(shutil, "disk_usage", lambda folder: shutil._ntuple_diskusage(2**31, 0, 2**31))
    assert shared_memory_advice(tmp_path) is None


def test_one_process_a_machine_has_its_gpu_by_number(monkeypatch):
    for name, value in {"TORCHELASTIC_RUN_ID": "x", "LOCAL_RANK": "0", "LOCAL_WORLD_SIZE": "1"}.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    assert ranks.own_device("auto") == torch.device("cuda", 0)
    assert ranks.own_device("cpu") == torch.device("cpu")


def test_alone_everything_said_to_the_others_comes_back():
    parts = [torch.ones(2, 3), torch.tensor(4.0)]
    assert all(torch.equal(a, b) for a, b in zip(ranks.total(parts), parts, strict=True))
    assert ranks.largest(3, False) == [3, 0]
    assert ranks.gathered("a") == ["a"]
    assert ranks.of_first(7) == 7
    assert ranks.first() and (ranks.rank(), ranks.world()) == (0, 1)


def test_a_weight_without_a_gradient_anywhere_keeps_none():
    used, unused = torch.nn.Parameter(torch.ones(2)), torch.nn.Parameter(torch.ones(3))
    loss = (2 * used).sum()
    loss.backward()
    assert sum_gradients([used, unused], loss).item() == 4
    assert used.grad.tolist() == [2, 2]
    assert unused.grad is None
