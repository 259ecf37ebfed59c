"""Real processes that are ended by real signals, and what the next one finds."""

from __future__ import annotations

import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import torch

from attend.data.manifest import Manifest
from attend.data.store_reader import FeatureStore
from attend.data.verify import verify
from tests.command_line import Done, attend, finish, start
from tests.tiny_attend import register
from tests.tiny_encoder import drawn_items
from tests.tiny_store import make_store

pytestmark = pytest.mark.slow

PHOTOS = 20
SETTINGS = (
    "model.units=32 model.embedding=16 batches.size=4 optim.precision=float32 optim.learning_rate=0.01 "
    "optim.epochs=8 optim.patience=99 validation.every=1 search.longest=8 search.beam=2"
)


@pytest.fixture
def work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with photos and their captions."""
    register(monkeypatch)
    items = drawn_items(tmp_path / "photos", PHOTOS)
    lines = [f"{item.image_id},{item.captions[0]}" for item in items]
    (tmp_path / "captions.csv").write_text("\n".join(["image,caption", *lines]))
    return tmp_path


def extraction(work: Path) -> tuple[object, ...]:
    """`attend features` on these photos, shards of four."""
    source = ("--dataset", "folder", "--images", work / "photos", "--captions", work / "captions.csv")
    how = ("--encoder", "tiny", "--weights", "random:1", "--precision", "float32", "--batch", 1, "--out", work / "out")
    return ("features", *source, *how)


def store_of(work: Path) -> Path:
    return work / "out" / "features" / "folder" / "tiny"


def content(folder: Path) -> dict[str, np.ndarray]:
    store = FeatureStore(folder)
    return {name: store.read([name]) for name in store.ids}


def wait_for(condition: Callable[[], bool], process: subprocess.Popen[str]) -> None:
    """Until it holds; the process must still be at work then."""
    end = time.monotonic() + 60
    while not condition():
        assert process.poll() is None and time.monotonic() < end, "it ended before the signal"
        time.sleep(0.005)


def end_amid_work(work: Path, number: signal.Signals) -> Done:
    """Begin an extraction and send the signal once two shards are finished and a third is begun."""
    process = start(*extraction(work), module="tests.tiny_attend")
    folder = store_of(work)
    wait_for(lambda: len(list(folder.glob("shard-*.h5"))) >= 2 and any(folder.glob(".shard-*.partial")), process)
    process.send_signal(number)
    return finish(process)


def check_the_next_run_completes(work: Path) -> Done:
    """Photos of finished shards are not encoded again, the store is whole."""
    kept = Manifest.load(store_of(work)).images
    assert kept in range(4, PHOTOS)
    done = attend(*extraction(work))
    assert done.code == 0, done.err
    assert f"{PHOTOS - kept} of {PHOTOS} photos to do" in done.out
    assert verify(store_of(work)) == []
    assert len(FeatureStore(store_of(work))) == PHOTOS
    assert not list(store_of(work).glob(".*.partial"))
    return done


@pytest.mark.fault("kill -9 of an extraction", "the next run does what is missing; the store is the same", "Store")
def test_a_killed_extraction_goes_on(work: Path) -> None:
    assert end_amid_work(work, signal.SIGKILL).code == -signal.SIGKILL
    done = check_the_next_run_completes(work)
    assert ", left by a run that was ended" in done.out
    cut = content(store_of(work))
    (work / "out").rename(work / "cut")
    assert attend(*extraction(work)).code == 0
    whole = content(store_of(work))
    assert cut.keys() == whole.keys() and all(np.array_equal(cut[name], whole[name]) for name in whole)


@pytest.mark.fault("SIGTERM to an extraction, as a cluster sends it", "ends as Ctrl-C does; it goes on", "Store")
def test_a_terminated_extraction_goes_on(work: Path) -> None:
    done = end_amid_work(work, signal.SIGTERM)
    assert (done.code, done.err.splitlines()[-1]) == (1, "Aborted!")
    assert [path.name for path in store_of(work).glob(".*")] == []
    check_the_next_run_completes(work)


@pytest.mark.fault("Ctrl-C in an extraction at the terminal", "no traceback, exit 1; nothing half-written", "Store")
def test_ctrl_c_in_an_extraction_is_no_traceback(work: Path) -> None:
    done = end_amid_work(work, signal.SIGINT)
    assert done.code == 1
    assert done.err.splitlines()[-1] == "Aborted!" and "Traceback" not in done.err
    assert not list(store_of(work).glob(".*.partial"))
    check_the_next_run_completes(work)


def training(out: Path, *words: object) -> tuple[object, ...]:
    return ("train", "--dataset", "tiny", "--encoder", "tiny", "--out", out, "--set", SETTINGS, *words)


def weights(out: Path, run: str) -> dict[str, torch.Tensor]:
    return torch.load(out / "runs" / run / "last.pt", weights_only=True)["model"]


def end_training(out: Path, number: signal.Signals) -> Done:
    """Begin a training and send the signal once it has validated twice."""
    process = start(*training(out, "--run", "cut"))
    assert process.stdout is not None
    told = 0
    while told < 2:
        line = process.stdout.readline()
        assert line, finish(process).err
        told += line.startswith("validation at step")
    process.send_signal(number)
    return finish(process)


def check_it_resumes_to_the_same_weights(out: Path) -> None:
    resumed = attend(*training(out, "--run", "cut", "--resume"))
    assert resumed.code == 0, resumed.err
    assert "going on at epoch" in resumed.out and "all 8 epochs done" in resumed.out
    assert attend(*training(out, "--run", "whole")).code == 0
    cut, whole = weights(out, "cut"), weights(out, "whole")
    assert all(torch.equal(cut[name], value) for name, value in whole.items())


@pytest.fixture
def out(tmp_path: Path) -> Path:
    make_store(tmp_path / "features" / "tiny" / "tiny", images=16, captions=2, validation=2)
    return tmp_path


@pytest.mark.fault("kill -9 of a training", "resumes from the last checkpoint to the same weights", "Training")
def test_a_killed_training_resumes_to_the_same_weights(out: Path) -> None:
    assert end_training(out, signal.SIGKILL).code == -signal.SIGKILL
    check_it_resumes_to_the_same_weights(out)


@pytest.mark.fault(
    "SIGTERM to a training, as a cluster sends it",
    "saves, exit 1, says how to go on; resumes to the same weights",
    "Training",
)
def test_a_terminated_training_saves_and_resumes_to_the_same_weights(out: Path) -> None:
    done = end_training(out, signal.SIGTERM)
    assert done.code == 1, done.err
    assert done.out.splitlines()[-1] == "RESUME=1 goes on from here"
    assert ": SIGTERM at step " in done.out.splitlines()[-2]
    check_it_resumes_to_the_same_weights(out)
