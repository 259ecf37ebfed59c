"""What a run says about itself in `config.toml`, besides its settings: on what and with what it was trained."""

from __future__ import annotations

import platform
from importlib.metadata import version
from pathlib import Path
from typing import Any

import torch

from attend.data.manifest import Manifest
from attend.data.store_reader import FeatureStore
from attend.data.vocabulary import Vocabulary


def make_record(
    dataset: str,
    variant: str,
    store: Path,
    manifest: Manifest,
    identities: dict[str, str],
    vocabulary: Vocabulary,
    versions: dict[str, str],
    start: dict[str, str] | None = None,
) -> dict[str, Any]:
    """The tables of `config.toml` that say what a run was trained on and with, besides its settings.

    `identities` say what the store holds, wherever it lies: `items`, `photos` and `training_photos`; "" where one is
    not known. `start` is the run whose weights it began with: `folder`, and the `best_sha256` of its best.pt.
    """
    fingerprint = manifest.fingerprint
    return {
        "run": {
            "dataset": dataset,
            "variant": variant,
            "vocabulary_words": len(vocabulary),
            "vocabulary_hash": vocabulary.hash,
        },
        "store": {
            "folder": str(store),
            "images": manifest.images,
            **identities,
            "grid": list(manifest.grid),
            "channels": manifest.channels,
            "encoder": fingerprint.encoder,
            "layer": fingerprint.layer,
            "weights": fingerprint.weights,
            "weights_sha256": fingerprint.weights_sha256,
            "weights_file": manifest.weights_file,
            "precision": fingerprint.precision,
            "preprocessing": fingerprint.preprocessing,
        },
        "versions": versions,
        **({"start": start} if start else {}),
    }


def identities(store: FeatureStore, captions: list[tuple[str, list[str]]]) -> dict[str, str]:
    """What the store holds, for the run's record: items, photos with features, and those of them with `captions`."""
    return {
        "items": store.items_identity,
        "photos": store.photos_identity(item.image_id for item in store.items),
        "training_photos": store.photos_identity(dict.fromkeys(image_id for image_id, _ in captions)),
    }


def versions(device: torch.device) -> dict[str, str]:
    """Versions that a result depends on, for the run's record."""
    names = ("show-attend-tell", "torch", "numpy", "h5py")
    hardware = torch.cuda.get_device_name(device) if device.type == "cuda" else platform.machine()
    return {"python": platform.python_version(), **{name: version(name) for name in names}, "hardware": hardware}
