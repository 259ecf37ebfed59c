"""torchvision's files: fetched once, trusted only with the right hash, and a clear word when they cannot be had."""

from __future__ import annotations

import hashlib
import re
from urllib.error import URLError

import pytest
import torch
import torchvision

from attend.errors import UserError
from attend.extract import imagenet


def test_addresses_and_hashes_are_torchvisions():
    for name, (url, sha256) in imagenet.TORCHVISION.items():
        weights = getattr(torchvision.models, f"{name.upper()}_Weights").IMAGENET1K_V1
        assert url == weights.url and sha256 in url


@pytest.fixture
def cached(tmp_path, monkeypatch):
    """Where torch keeps vgg19's file; what it should be is three bytes here."""
    monkeypatch.setattr(torch.hub, "get_dir", lambda: str(tmp_path / "hub"))
    digest = hashlib.sha256(b"abc").hexdigest()[:8]
    monkeypatch.setitem(imagenet.TORCHVISION, "vgg19", ("https://example.org/vgg19.pth", digest))
    return tmp_path / "hub/checkpoints/vgg19.pth"


def offline(*_args: object, **_kwargs: object) -> None:
    raise URLError("no network")


def test_a_whole_file_is_used_without_the_network(cached, monkeypatch):
    monkeypatch.setattr(torch.hub, "download_url_to_file", offline)
    cached.parent.mkdir(parents=True)
    cached.write_bytes(b"abc")
    assert imagenet.torchvision_file("vgg19") == cached


@pytest.mark.fault(
    "weights to be fetched, offline",
    "refused: path, expected hash, how to give a local file",
    "Installation and own data",
)
def test_absent_and_offline(cached, monkeypatch):
    monkeypatch.setattr(torch.hub, "download_url_to_file", offline)
    cure = "put the file there (sha256 ba7816bf…), or give a local file with WEIGHTS=PATH"
    with pytest.raises(
        UserError, match=re.escape(f"{cached} is not there and https://example.org/vgg19.pth")
    ) as caught:
        imagenet.torchvision_file("vgg19")
    assert str(caught.value).endswith(cure)


@pytest.mark.fault(
    "a cut-off weights cache, offline", "refused: size, hash, how to give a local file", "Installation and own data"
)
def test_cut_off_and_offline(cached, monkeypatch):
    monkeypatch.setattr(torch.hub, "download_url_to_file", offline)
    cached.parent.mkdir(parents=True)
    cached.write_bytes(b"ab")
    with pytest.raises(
        UserError, match=r"vgg19.pth is damaged or cut off \(2 bytes, sha256 fb8e20fc…\) and https"
    ) as caught:
        imagenet.torchvision_file("vgg19")
    assert str(caught.value).endswith("or give a local file with WEIGHTS=PATH")
    assert cached.read_bytes() == b"ab"


@pytest.mark.fault("a cut-off weights cache, online", "said, fetched again", "Installation and own data")
def test_cut_off_and_online(cached, monkeypatch, capsys):
    def fetch(url: str, path: str, hash_prefix: str, progress: bool) -> None:
        cached.write_bytes(b"abc")

    monkeypatch.setattr(torch.hub, "download_url_to_file", fetch)
    cached.parent.mkdir(parents=True)
    cached.write_bytes(b"ab")
    assert imagenet.torchvision_file("vgg19").read_bytes() == b"abc"
    assert "is damaged or cut off" in capsys.readouterr().out
