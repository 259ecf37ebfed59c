"""Whole runs small enough for a test: real photos, features, training and validation, laid out as the commands do."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch

from attend.data.items import Item
from attend.extract.extraction import Options, extract
from attend.extract.images import Preprocessing
from attend.score.validation import make_validate
from attend.settings import read_settings
from attend.train.config import TrainConfig
from attend.train.config_file import override_config
from attend.train.fit import FitResult
from attend.train.training import Request, train
from tests.tiny_encoder import drawn_photo, tiny_encoder
from tests.tiny_store import make_store

NAME = "tiny-tiny-soft"
SETTINGS = (
    "model.units=32 model.embedding=16 model.dropout=0 batches.size=4 optim.precision=float32 optim.learning_rate=0.01 "
    "optim.patience=99 search.beam=3 search.longest=8"
)
SENTENCES = (
    "A red dog runs on the grass.",
    "Two cats sit near a window!",
    "The dog's ball is under a chair",
    "a man rides",
)


def train_tiny(out: Path, settings: str) -> FitResult:
    """Train on `out`/features/tiny/tiny into `out`/runs/tiny-tiny-soft."""
    config = override_config(TrainConfig(), read_settings([SETTINGS, settings]))
    store, folder = out / "features" / "tiny" / "tiny", out / "runs" / NAME
    request = Request(store, "tiny", "soft", folder, config, torch.device("cpu"), resume=False)
    return train(request, make_validate, lambda line: None)


def make_grid_run(out: Path, settings: str = "optim.epochs=60 validation.every=20", validation: int = 6) -> FitResult:
    """A run on the drawn grids of `tiny_store`, trained until its captions are right."""
    make_store(out / "features" / "tiny" / "tiny", images=8, validation=validation)
    return train_tiny(out, settings)


def make_photo_run(out: Path, settings: str = "optim.epochs=25 validation.every=5") -> FitResult:
    """A run on photos of several shapes: 8 train, 9 val with 0 to 3 references. The encoder is `tiny`."""
    items = []
    for number in range(17):
        path = out / "photos" / f"photo {number}.png"
        path.parent.mkdir(parents=True, exist_ok=True)
        drawn_photo(number, (40 + 5 * (number % 3), 40 + 7 * (number % 2))).save(path)
        texts = [SENTENCES[(number + extra) % 4] for extra in range(1 if number < 8 else number % 4)]
        items.append(Item(path.name, path, "train" if number < 8 else "val", tuple(texts)))
    with pytest.MonkeyPatch.context() as patch:
        encoder = tiny_encoder(patch)
    preprocessing = Preprocessing("crop", 32, 36)
    extract(items, encoder, preprocessing, out / "features" / "tiny" / "tiny", "tiny", Options(codec="none"), say=print)
    return train_tiny(out, settings)
