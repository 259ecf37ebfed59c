"""What a run leaves on disk and in memory, and what it takes to repeat it."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import torch

from attend.cli import attend
from attend.data.items_file import items_identity, read_items, write_items
from attend.data.manifest import Manifest
from attend.data.store_reader import FeatureStore
from attend.errors import UserError
from attend.train.checkpoint import write_checkpoint
from attend.train.run import load_run
from attend.train.run_lock import locked
from tests.test_fit import assert_equal_runs, run
from tests.tiny_run import NAME, make_grid_run
from tests.tiny_store import make_store

SMALL = "model.units=16 model.embedding=8 optim.precision=float32 search.longest=8 search.beam=2 batches.size=4"


def disk_use(folder: Path) -> dict[str, int]:
    """Bytes of every file; the files of tensorboard/ together."""
    sizes: dict[str, int] = {}
    for path in folder.rglob("*"):
        if path.is_file():
            name = "tensorboard" if path.parent.name == "tensorboard" else path.name
            sizes[name] = sizes.get(name, 0) + path.stat().st_size
    return sizes


@pytest.mark.fault("a long run fills the disk", "only the log grows with the epochs", "Training")
def test_only_the_log_grows_with_the_epochs(tmp_path):
    store = make_store(tmp_path / "store", captions=4)
    run(store, tmp_path / "run", "optim.epochs=2 optim.patience=99")
    few = disk_use(tmp_path / "run")
    run(store, tmp_path / "run", "optim.epochs=6 optim.patience=99", resume=True)
    many = disk_use(tmp_path / "run")
    names = {"config.toml", "vocabulary.json", "log.jsonl", "tensorboard", "last.pt", "best.pt", ".training"}
    assert set(few) == set(many) == names
    for name in names - {"log.jsonl", "tensorboard"}:
        assert many[name] == pytest.approx(few[name], abs=1000), name
    lines = 4 * 2  # a line of steps and one of validation in each of four more epochs
    assert many["log.jsonl"] - few["log.jsonl"] < 600 * lines
    assert many["tensorboard"] - few["tensorboard"] < 2000 * lines


FULL = """
import resource, sys, torch
from pathlib import Path
from attend.errors import UserError
from attend.train.checkpoint import write_checkpoint
resource.setrlimit(resource.RLIMIT_FSIZE, (20000, 20000))
try:
    write_checkpoint(Path(sys.argv[1]), {"model": torch.zeros(100_000)})
except UserError as error:
    print(error)
"""


def test_a_disk_that_is_full_keeps_the_earlier_checkpoint(tmp_path):
    path = tmp_path / "last.pt"
    write_checkpoint(path, {"model": torch.ones(3)})
    done = subprocess.run([sys.executable, "-c", FULL, str(path)], capture_output=True, text=True, check=True)
    assert done.stdout.startswith(f"{path} could not be written (")
    assert done.stdout.endswith("the earlier one is kept: make room, then RESUME=1 goes on from last.pt\n")
    assert done.stdout.count("\n") == 1
    assert torch.load(path, weights_only=True)["model"].tolist() == [1, 1, 1]
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.fault("a disk that is full before the first checkpoint", "no last.pt is promised", "Training")
def test_a_disk_that_is_full_from_the_start_promises_no_checkpoint(tmp_path):
    done = subprocess.run(
        [sys.executable, "-c", FULL, str(tmp_path / "last.pt")], capture_output=True, text=True, check=True
    )
    cure = "make room, then the run begins again, it has no last.pt yet"
    assert done.stdout.endswith(f" MB are free), there is no earlier one: {cure}\n")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.fault("two trainings in one run directory", "the second is refused", "Training")
def test_two_trainings_in_one_run_directory_are_refused_by_name(tmp_path):
    store = make_store(tmp_path / "store")
    with (
        locked(tmp_path / "run"),
        pytest.raises(UserError, match=r"run is being trained by process \d+ on \S+: wait for it, or RUN=name starts"),
    ):
        run(store, tmp_path / "run", "optim.epochs=1")
    assert [path.name for path in (tmp_path / "run").iterdir()] == [".training"]
    run(store, tmp_path / "run", "optim.epochs=1")
    assert (tmp_path / "run" / "best.pt").exists()


def call(*words: str) -> None:
    attend.main([*words], standalone_mode=False)


@pytest.mark.fault("only the run directory and the features are left", "the run is repeated exactly", "Training")
def test_a_run_is_repeated_from_its_config_and_the_features_alone(tmp_path):
    out, elsewhere = tmp_path / "out", tmp_path / "else where"
    make_grid_run(out, f"{SMALL} optim.epochs=2 model.dropout=0.3 optim.averaging=0.9")
    shutil.copytree(out / "features", elsewhere / "features")
    config = elsewhere / "config.toml"
    shutil.copy(out / "runs" / NAME / "config.toml", config)
    said = config.read_text(encoding="utf-8").splitlines()[:3]
    assert said[1].startswith(f"#   attend train --config {out}/runs/{NAME}/config.toml --run {NAME}-again --out {out}")
    call("train", "--config", str(config), "--run", "again", "--out", str(elsewhere), "--device", "cpu")
    assert_equal_runs(out / "runs" / NAME, elsewhere / "runs" / "again")
    again = (elsewhere / "runs" / "again" / "config.toml").read_text(encoding="utf-8").splitlines()
    before = config.read_text(encoding="utf-8").splitlines()
    differing = [line for line, other in zip(again, before, strict=True) if line != other]
    assert [line.split()[0] for line in differing] == ["#", "folder"]


def test_a_repeat_on_other_features_or_with_options_of_its_own_is_refused(tmp_path):
    out = tmp_path / "out"
    make_grid_run(out, f"{SMALL} optim.epochs=1")
    config = str(out / "runs" / NAME / "config.toml")
    with pytest.raises(UserError, match="--config says dataset, variant, encoder, preset and start already"):
        call("train", "--config", config, "--out", str(out), "--variant", "hard")
    make_store(tmp_path / "other" / "features" / "tiny" / "tiny", images=6, validation=6)
    with pytest.raises(UserError, match=r"is not what that run was trained on \(store\.images: 14 then, 12 now"):
        call("train", "--config", config, "--out", str(tmp_path / "other"), "--device", "cpu")
    with pytest.raises(UserError, match=r"exists: RESUME=1 goes on with it, RUN=name starts another"):
        call("train", "--config", config, "--out", str(out), "--device", "cpu")


def move_photos(store: Path) -> None:
    """As if the photos lay elsewhere: other paths in the items, another hash in the manifest."""
    from dataclasses import replace

    items = [replace(item, path=Path("/moved") / item.path.name) for item in read_items(store)]
    replace(Manifest.load(store), items_sha256=write_items(store, items)).save(store)


@pytest.mark.fault(
    "photos or captions moved or changed between two parts of a run",
    "moved: goes on; other captions: refused",
    "Training",
)
def test_a_run_goes_on_when_its_photos_were_moved_but_not_with_other_captions(tmp_path):
    store = make_store(tmp_path / "store", captions=2)
    run(store, tmp_path / "run", "optim.epochs=1")
    before = items_identity(FeatureStore(store).items)
    move_photos(store)
    assert FeatureStore(store).items_identity == before
    result, _ = run(store, tmp_path / "run", "optim.epochs=2", resume=True)
    assert result.position.epoch == 2
    make_store(store, captions=3)
    with pytest.raises(UserError, match=rf"store\.items: {before} then, "):
        run(store, tmp_path / "run", "optim.epochs=3", resume=True)


def test_a_run_from_before_the_items_had_an_identity_still_opens_and_goes_on(tmp_path):
    store = make_store(tmp_path / "store")
    run(store, tmp_path / "run", "optim.epochs=1")
    config = tmp_path / "run" / "config.toml"
    text = config.read_text(encoding="utf-8")
    [line] = [line for line in text.splitlines() if line.startswith("items = ")]
    config.write_text(text.replace(line, f'items_sha256 = "{FeatureStore(store).manifest.items_sha256}"'))
    assert load_run(tmp_path / "run").step > 0
    result, _ = run(store, tmp_path / "run", "optim.epochs=2", resume=True)
    assert result.position.epoch == 2


SIGNALLED = """
import os, signal, sys, threading
from attend.score.metrics.tokens import ptb_tokenise
from attend.train.stop_signals import StopSignals

with StopSignals() as stop:
    threading.Timer(0.05, os.killpg, (0, signal.SIGTERM)).start()
    print(ptb_tokenise(["Two dogs."]), stop.asked == signal.SIGTERM)
"""


@pytest.mark.fault("Ctrl-C during a validation", "the validation ends first", "Training")
def test_a_signal_to_the_whole_group_in_a_validation_leaves_the_tokeniser_alone():
    done = subprocess.run(
        [sys.executable, "-c", SIGNALLED], capture_output=True, text=True, start_new_session=True, check=True
    )
    assert done.stdout == "['two dogs'] True\n"


RESIDENT = """
import sys
from pathlib import Path
import psutil, torch
from attend.settings import read_settings
from attend.train.config import TrainConfig
from attend.train.config_file import override_config
from attend.train.training import Request, train

class Judged:
    bleu4, standing = 1.0, (1.0, 0.0)
    pictures = ()

    def as_log(self):
        return {"bleu4": 1.0}

sizes = []
def make_validate(*arguments):
    def validate(model):
        sizes.append(psutil.Process().memory_info().rss)
        return Judged()
    return validate

settings = "optim.epochs=6 optim.patience=99 optim.precision=float32 model.units=64 model.embedding=32 batches.size=16"
config = override_config(TrainConfig(), read_settings([settings, sys.argv[3]]))
request = Request(Path(sys.argv[1]), "tiny", "soft", Path(sys.argv[2]), config, torch.device("cpu"), False)
train(request, make_validate, lambda line: None)
print(*sizes)
"""


@pytest.mark.slow
@pytest.mark.parametrize("share", [0, 0.5])
@pytest.mark.fault("memory grows with the epochs", "under 5 % from epoch 2 to 6", "Scale and hardware")
def test_resident_memory_grows_under_5_percent_from_epoch_2_to_6(tmp_path, share):
    store = make_store(tmp_path / "store", images=60, captions=2)
    arguments = [str(store), str(tmp_path / "run"), f"batches.cache_share={share}"]
    done = subprocess.run([sys.executable, "-c", RESIDENT, *arguments], capture_output=True, text=True, check=True)
    sizes = [int(size) for size in done.stdout.splitlines()[-1].split()]
    assert len(sizes) == 6
    assert sizes[5] < 1.05 * sizes[1]
