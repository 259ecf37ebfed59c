"""Training that begins with another run's weights: what is taken over, what is refused."""

from __future__ import annotations

import shlex
import shutil
from dataclasses import replace

import pytest
import torch

from attend.data.manifest import Manifest
from attend.errors import UserError
from attend.settings import read_settings
from attend.train.config import TrainConfig
from attend.train.config_file import override_config, read_run_file
from attend.train.models.variants import changed_values
from attend.train.repeating import read_origin
from attend.train.run import load_run
from attend.train.start import Start, like_start
from attend.train.training import train
from tests.command_line import attend
from tests.test_fit import assert_equal_runs, judge_exact, request, run, weights
from tests.tiny_run import NAME, make_grid_run
from tests.tiny_store import make_store


@pytest.fixture
def soft(tmp_path):
    store = make_store(tmp_path / "store")
    run(store, tmp_path / "soft", "optim.epochs=2")
    return store, tmp_path / "soft"


def start(store, folder, soft, settings="", variant="hard", **options):
    asked = replace(request(store, folder, settings, variant=variant, **options), start=soft)
    lines: list[str] = []
    return train(asked, judge_exact, lines.append), "\n".join(lines)


def test_the_first_step_is_taken_from_the_weights_of_the_other_run(soft, tmp_path):
    store, folder = soft
    start(store, tmp_path / "hard", folder, "optim.epochs=1 optim.learning_rate=1e-12")
    begun, theirs = weights(tmp_path / "hard"), weights(folder, "best.pt")
    assert begun.keys() == theirs.keys()
    for name, value in begun.items():
        torch.testing.assert_close(value, theirs[name], atol=1e-9, rtol=0)
    _, record = read_run_file(tmp_path / "hard" / "config.toml")
    assert record["start"] == {"folder": str(folder), "best_sha256": load_run(folder).checkpoint_sha256}


def test_the_words_are_those_of_the_other_run_and_unknown_ones_are_counted(soft, tmp_path):
    _, folder = soft
    larger = make_store(tmp_path / "larger", images=12)
    _, told = start(larger, tmp_path / "tuned", folder, "optim.epochs=1", variant="soft")
    assert load_run(tmp_path / "tuned").vocabulary == load_run(folder).vocabulary
    assert "of the captions' words are unknown" in told


def test_it_is_resumed_like_any_other(soft, tmp_path):
    store, folder = soft
    start(store, tmp_path / "whole", folder, "optim.epochs=3", variant="soft")
    start(store, tmp_path / "halves", folder, "optim.epochs=1", variant="soft")
    result, told = start(store, tmp_path / "halves", folder, "optim.epochs=3", variant="soft", resume=True)
    assert result.position.epoch == 3
    assert "going on at epoch 2" in told
    for name, value in weights(tmp_path / "whole").items():
        assert torch.equal(value, weights(tmp_path / "halves")[name]), name


@pytest.mark.fault("starting from weights of another variant or of other features", "refused by name", "Training")
def test_weights_of_another_shape_or_of_other_features_are_refused(soft, tmp_path):
    store, folder = soft
    with pytest.raises(UserError, match=r"START=soft is VARIANT=soft, whose weights do not fit VARIANT=mean"):
        start(store, tmp_path / "mean", folder, variant="mean")
    manifest = Manifest.load(store)
    made = replace(manifest.fingerprint, weights_sha256="1" * 64)
    replace(manifest, fingerprint=made).save(store)
    with pytest.raises(UserError, match=r"START=soft was trained on other features \(weights_sha256: "):
        start(store, tmp_path / "hard", folder)
    assert not (tmp_path / "hard").exists()


def test_the_run_decides_the_model_and_the_vocabulary(soft, tmp_path):
    _, folder = soft
    asked = read_settings(["model.dropout=0.3 optim.epochs=2"])
    config = like_start(override_config(TrainConfig(), asked), asked, Start(folder))
    assert changed_values(config)["model"] == {"units": 32, "embedding": 16, "dropout": 0.3}
    assert config.optim.epochs == 2
    with pytest.raises(UserError, match=r"model\.units=64: START=soft has 32; leave the setting out"):
        like_start(config, read_settings(["model.units=64"]), Start(folder))
    with pytest.raises(UserError, match=r"no run at .*other: train it first"):
        like_start(config, {}, Start(tmp_path / "other"))


def test_the_run_is_repeated_from_its_config_with_the_same_start(soft, tmp_path):
    store, folder = soft
    start(store, tmp_path / "tuned", folder, "optim.epochs=1", variant="soft")
    origin = read_origin(tmp_path / "tuned" / "config.toml")
    assert origin.start == folder
    again = replace(request(store, tmp_path / "again"), config=origin.config, start=origin.start, repeats=origin.record)
    train(again, judge_exact, lambda line: None)
    for name, value in weights(tmp_path / "tuned").items():
        assert torch.equal(value, weights(tmp_path / "again")[name]), name
    best = torch.load(folder / "best.pt", weights_only=True)
    best["model"]["embedding.weight"] += 1  # the weights it started from are no more
    torch.save(best, folder / "best.pt")
    with pytest.raises(UserError, match=r"is not what that run was trained on \(start\.best_sha256: "):
        train(replace(again, folder=tmp_path / "third"), judge_exact, lambda line: None)


TINY = ("--dataset", "tiny", "--encoder", "tiny", "--device", "cpu")


@pytest.fixture
def tuned(tmp_path):
    """An output folder with the run `tuned`, one epoch that began with the best weights of the run `soft`."""
    make_grid_run(tmp_path, "model.units=16 optim.epochs=1")
    (tmp_path / "runs" / NAME).rename(tmp_path / "runs" / "soft")
    done = go_on(tmp_path, "optim.epochs=1", "--start", "soft")
    assert done.code == 0, done.err
    return tmp_path


def go_on(out, settings, *options, run="tuned"):
    settings = f"{settings} optim.patience=99 optim.precision=float32 search.beam=1"
    return attend("train", *TINY, "--out", out, "--run", run, "--set", settings, *options)


def record_of(folder):
    return read_run_file(folder / "config.toml")[1]


@pytest.mark.fault("a resume when the run it started from is gone", "goes on with its own words and shape", "Training")
def test_a_run_goes_on_without_the_run_it_began_with_and_remembers_it(tuned):
    before = record_of(tuned / "runs" / "tuned")
    shutil.rmtree(tuned / "runs" / "soft")
    done = go_on(tuned, "optim.epochs=2", "--resume")
    assert (done.code, "going on at epoch 2" in done.out) == (0, True), done.err
    after = record_of(tuned / "runs" / "tuned")
    assert after["start"] == before["start"] == {**before["start"], "folder": str(tuned / "runs" / "soft")}
    assert after["run"] == before["run"]
    assert load_run(tuned / "runs" / "tuned").config.model.units == 16
    done = go_on(tuned, "optim.epochs=3 model.units=64", "--resume")
    assert (done.code, "model.units: 16 then, 64 now" in done.err) == (2, True)


@pytest.mark.fault("START= of a run that goes on, but began otherwise", "refused, both are named", "Training")
def test_another_start_than_its_own_is_refused_on_resume(tuned):
    runs = tuned / "runs"
    done = go_on(tuned, "optim.epochs=2", "--resume", "--start", "tuned")
    told = f"attend: {runs}/tuned began with {runs}/soft, not with START={runs}/tuned: leave START out\n"
    assert (done.code, done.err) == (2, told)
    done = go_on(tuned, "optim.epochs=2", "--resume", "--start", "tuned", run="soft")
    told = f"attend: {runs}/soft began with no other run, not with START={runs}/tuned: leave START out\n"
    assert (done.code, done.err) == (2, told)
    assert "start" not in record_of(runs / "soft")
    (runs / "soft").rename(runs / "moved")
    assert go_on(tuned, "optim.epochs=2", "--resume", "--start", "moved").code == 0
    assert record_of(runs / "tuned")["start"]["folder"] == f"{runs}/soft"


@pytest.mark.fault("a run with START= killed before its first checkpoint", "begins again with that start", "Training")
def test_a_run_without_a_checkpoint_begins_again_with_its_start(tuned):
    run = tuned / "runs" / "tuned"
    before = weights(run)
    for name in ("last.pt", "best.pt"):
        (run / name).unlink()
    done = go_on(tuned, "optim.epochs=1", "--resume")
    assert (done.code, f"no checkpoint yet in {run}: begins again" in done.out) == (0, True), done.err
    assert all(torch.equal(value, before[name]) for name, value in weights(run).items())


@pytest.mark.fault("repeating a run with START= from another folder", "the start is found", "Training")
def test_a_start_is_remembered_by_its_whole_path(tuned, tmp_path_factory, monkeypatch):
    monkeypatch.chdir(tuned)
    assert go_on(".", "optim.epochs=1", "--start", "soft", run="near").code == 0
    assert record_of(tuned / "runs" / "near")["start"]["folder"] == str(tuned / "runs" / "soft")
    monkeypatch.chdir(tmp_path_factory.mktemp("far"))
    head = (tuned / "runs" / "near" / "config.toml").read_text(encoding="utf-8").splitlines()[1]
    done = attend(*shlex.split(head.removeprefix("#"))[1:])
    assert done.code == 0, done.err
    assert_equal_runs(tuned / "runs" / "near", tuned / "runs" / "near-again")
