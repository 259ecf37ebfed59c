"""`attend features` and `attend verify`: what they print, where they write and how they exit."""

from __future__ import annotations

import json

import pytest
from click.testing import CliRunner, Result

from attend.cli import attend
from attend.data.manifest import Manifest
from attend.errors import UserError
from tests.tiny_encoder import drawn_items, tiny_encoder


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


def test_an_unreadable_photo_is_named_and_exits_with_1(shell):
    shell.items[4].path.write_bytes(b"")
    result = shell.features()
    assert result.exit_code == 1
    assert "photos without features: 1; run the same again to retry them" in result.stderr
    assert f"{shell.items[4].path} is empty: restore or replace it" in result.stderr
    assert json.loads((shell.folder / "problems.jsonl").read_text())["where"] == str(shell.items[4].path)
    assert shell.verify().exit_code == 1
    stopped = shell.features("--on-error", "stop")
    assert isinstance(stopped.exception, UserError) and "4.png is empty" in str(stopped.exception)


def test_missing_photos_are_all_named_before_the_work(shell):
    for number in (1, 3):
        shell.items[number].path.unlink()
    result = shell.features()
    assert result.exit_code == 1
    first, second, *_ = result.stderr.splitlines()
    assert first.startswith(f"{shell.items[1].path} does not exist")
    assert second.startswith(f"{shell.items[3].path} does not exist")


def test_the_store_decides_what_nobody_says(shell):
    shell.features("--fit", "crop")
    again = shell.features()
    assert again.exit_code == 0 and "fit=crop" in again.stdout
    refused = shell.features("--fit", "whole")
    assert isinstance(refused.exception, UserError) and "preprocessing fit crop, not whole" in str(refused.exception)
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
        (["--threads", "0"], "THREADS=0: at least 1"),
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
