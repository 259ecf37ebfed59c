"""`attend features` and `attend verify`: what they print, where they write and how they exit."""

from __future__ import annotations

import json
from importlib import import_module

import pytest
import torch
from click.testing import CliRunner, Result

from attend.cli import attend
from attend.data.manifest import Manifest
from attend.data.store_reader import FeatureStore
from attend.errors import UserError
from attend.extract.encoders import build_encoder
from tests.tiny_encoder import CPU, drawn_items, tiny_encoder

features = import_module("attend.commands.features")


class Shell:
    """Own photos with a table of captions, and the command line."""

    def __init__(self, tmp_path) -> None:
        self.photos, self.out = tmp_path / "photos", tmp_path / "out"
        self.items = drawn_items(self.photos, 6)
        self.captions = tmp_path / "captions.csv"
        lines = [f"{item.image_id},{item.captions[0]}" for item in self.items]
        self.captions.write_text("\n".join(["image,caption", *lines]))
        self.folder = self.out / "features/folder/tiny"

    def features(self, *words: str) -> Result:
        source = ["--dataset", "folder", "--images", str(self.photos), "--captions", str(self.captions)]
        where = ["--encoder", "tiny", "--weights", "random:1", "--out", str(self.out)]
        return CliRunner().invoke(attend, ["features", *source, *where, "--precision", "float32", *words])

    def verify(self) -> Result:
        return CliRunner().invoke(
            attend, ["verify", "--dataset", "folder", "--encoder", "tiny", "--out", str(self.out)]
        )


@pytest.fixture
def shell(tmp_path, monkeypatch) -> Shell:
    tiny_encoder(monkeypatch)
    return Shell(tmp_path)


def test_features_then_again_then_verify(shell):
    result = shell.features("--device", "cpu")
    assert result.exit_code == 0, result.output
    assert "tiny with weights random:1 on cpu in float32, fit=whole\n" in result.stdout
    assert "6 of 6 photos to do, about 0.0 MB" in result.stdout
    assert "encoder busy" in result.stdout and f"6 photos in {shell.folder}" in result.stdout
    again = shell.features()
    assert again.exit_code == 0 and f"nothing to extract: {shell.folder} has 6 photos\n" in again.stdout
    checked = shell.verify()
    assert checked.exit_code == 0 and "6 photos in 1 shards: all is as the manifest says" in checked.stdout


@pytest.mark.fault(
    "one unreadable photo among good ones", "costs itself: named, counted, exit 1; ON_ERROR=stop stops there", "Photos"
)
def test_an_unreadable_photo_is_named_and_exits_with_1(shell):
    shell.items[4].path.write_bytes(b"")
    result = shell.features()
    assert result.exit_code == 1
    assert "photos without features: 1; run the same again to retry them" in result.stderr
    assert f"{shell.items[4].path} is empty: restore or replace it" in result.stderr
    assert json.loads((shell.folder / "problems.jsonl").read_text())["where"] == str(shell.items[4].path)
    assert shell.verify().exit_code == 1
    assert shell.features("--on-error", "skip").exit_code == 0  # who says so has all that was asked for
    stopped = shell.features("--on-error", "stop")
    assert isinstance(stopped.exception, UserError) and "4.png is empty" in str(stopped.exception)


@pytest.mark.fault(
    "photos that are listed but not on the disk", "all named before the work, counted, exit 1", "Captions and splits"
)
def test_missing_photos_are_all_named_once_and_before_the_work(shell):
    for number in (1, 3):
        shell.items[number].path.unlink()
    shell.items[5].path.write_bytes(b"")
    result = shell.features()
    assert result.exit_code == 1
    first, second, *others = result.stderr.splitlines()
    assert first.startswith(f"{shell.items[1].path} does not exist")
    assert second.startswith(f"{shell.items[3].path} does not exist")
    assert [line for line in others if "does not exist" in line] == []
    assert others[-2:] == [
        "photos without features: 3; run the same again to retry them",
        f"{shell.items[5].path} is empty: restore or replace it",
    ]


def test_nothing_to_do_loads_no_named_weights_and_a_file_of_weights_once(shell, monkeypatch):
    shell.features()
    loaded = []

    def count(*arguments):
        loaded.append(arguments[1])
        return build_encoder(*arguments)

    monkeypatch.setattr(features, "build_encoder", count)
    again = shell.features()
    assert again.exit_code == 0 and "nothing to extract" in again.stdout and loaded == []
    own = shell.out / "own.pth"
    torch.save(build_encoder("tiny", "random:1", CPU, "float32")._module.state_dict(), own)
    again = shell.features("--weights", str(own))
    assert again.exit_code == 0 and "nothing to extract" in again.stdout and loaded == [str(own)]
    refused = shell.features("--weights", "random:2")
    assert "was made with weights_sha256" in str(refused.exception)
    refused = shell.features("--precision", "bfloat16")
    assert "was made with precision float32, not bfloat16" in str(refused.exception) and len(loaded) == 2


@pytest.mark.fault(
    "a table of captions that lost rows", "the photos that left are counted and named", "Installation and own data"
)
def test_captions_that_changed_reach_the_store_without_an_encoder(shell, monkeypatch):
    shell.features()
    monkeypatch.delattr(features, "build_encoder")
    shell.captions.write_text("image,caption\n0.png,another caption\n")
    result = shell.features()
    assert result.exit_code == 0 and FeatureStore(shell.folder).items[0].captions == ("another caption",)
    assert f"nothing to extract: {shell.folder} has 1 photos\n" in result.stdout
    assert "photos of the store that are not in the dataset: 5 (1.png, 2.png, 3.png and 2 more)" in result.stdout
    checked = shell.verify()
    assert checked.exit_code == 0 and "all is as the manifest says" in checked.stdout
    assert "5 of the photos are not in the dataset: they do no harm (1.png, 2.png, 3.png and 2 more)" in checked.stdout


def test_scenes_drawn_from_another_seed_get_other_features(tmp_path, monkeypatch):
    tiny_encoder(monkeypatch)
    where = ["--data", str(tmp_path / "data"), "--out", str(tmp_path / "out"), "--precision", "float32"]
    words = ["features", "--encoder", "tiny", "--weights", "random:1", *where, "--set"]
    told = [CliRunner().invoke(attend, [*words, f"scenes.images=10 scenes.seed={seed}"]) for seed in (1, 2, 2)]
    assert [result.exit_code for result in told] == [0, 0, 0]
    assert "10 of 10 photos to do" in told[0].stdout
    changed = "photos that are not those their features were made of: 10 (000001, 000002, 000003 and 7 more)"
    assert changed in told[1].stdout and "10 of 10 photos to do" in told[1].stdout
    assert "nothing to extract" in told[2].stdout


def test_the_store_decides_what_nobody_says(shell):
    shell.features("--fit", "crop")
    again = shell.features()
    assert again.exit_code == 0 and "fit=crop" in again.stdout
    refused = shell.features("--fit", "whole")
    assert isinstance(refused.exception, UserError) and "preprocessing fit crop, not whole" in str(refused.exception)
    assert isinstance(shell.features("--fit", "whole", "--no-rebuild").exception, UserError)
    assert shell.features("--fit", "whole", "--rebuild").exit_code == 0
    assert Manifest.load(shell.folder).fingerprint.preprocessing["fit"] == "whole"


def test_damage_is_found_by_verify(shell):
    shell.features()
    shard = shell.folder / "shard-00000.h5"
    content = bytearray(shard.read_bytes())
    content[len(content) // 2] ^= 1
    shard.write_bytes(content)
    result = shell.verify()
    assert result.exit_code == 1 and "shard-00000.h5" in result.stderr and "1 problems" in result.stdout


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--encoder", "vgg11"], "ENCODER=vgg11 is unknown: one of vgg19, vgg16, efficientnet_lite0, tiny"),
        (["--fit", "stretch"], "fit='stretch' is not a way to fit a photo"),
        (["--codec", "zip"], "unknown codec 'zip'"),
        (["--on-error", "ignore"], "ON_ERROR=ignore is unknown: skip or stop"),
        (["--precision", "float8"], "PRECISION=float8 is unknown"),
        (["--threads", "0"], "--threads 0: at least 1"),
        (["--weights", "no/such.pth"], "WEIGHTS=no/such.pth: no such file"),
    ],
)
def test_mistakes_are_named_and_leave_nothing_behind(shell, words, message):
    result = shell.features(*words)
    assert isinstance(result.exception, UserError) and message in str(result.exception)
    assert not shell.out.exists()


def test_verify_without_a_store(shell):
    result = shell.verify()
    assert isinstance(result.exception, UserError) and "run `make features` first" in str(result.exception)
