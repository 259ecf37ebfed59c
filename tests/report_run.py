"""A captioned run on any photos whose attention is known, for the tests of the pages that show it."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
import torch
from torch import nn

from attend.data.items import Item
from attend.data.store_reader import FeatureStore
from attend.extract.extraction import Options, extract
from attend.extract.images import Preprocessing
from attend.score.evaluation import evaluate, write_evaluation
from attend.score.kept import evaluation_paths
from attend.train.models.interface import Batch, Output
from attend.train.run import Run, load_run
from tests.tiny_encoder import tiny_encoder
from tests.tiny_run import NAME, SENTENCES, train_tiny

CPU = torch.device("cpu")


class Pointing(nn.Module):
    """Looks at `maps[t]`, of L places, when it reads word t (from the first map again when there are no more); every
    word has the probability 1/2 and the gate 1/4."""

    def __init__(self, maps: torch.Tensor, words: int) -> None:
        super().__init__()
        self.maps = nn.Parameter(maps, requires_grad=False)  # (n, L)
        self.words = words

    def forward(self, batch: Batch) -> Output:
        images, steps = batch.words.shape
        attention = self.maps[torch.arange(steps) % len(self.maps)].expand(images, -1, -1)
        log_probs = torch.full((images, steps, self.words), 0.5).log()
        return Output(log_probs, attention, torch.full((images, steps), 0.25))


def pointing(run: Run, grid: tuple[int, int], maps: torch.Tensor, variant: str = "soft") -> Run:
    """The run with another grid and known attention: maps (n, L)."""
    return replace(run, grid=grid, variant=variant, model=Pointing(maps, len(run.vocabulary)))


def one_hot_maps(places: Sequence[int], count: int) -> torch.Tensor:
    """All weight on one of `count` places a word."""
    return torch.eye(count)[list(places)]


def make_run(
    out: Path,
    photos: Sequence[Path],
    captions: Sequence[str],
    references: Sequence[Sequence[str]],
    fit: str = "crop",
    families: Sequence[str] = ("bleu",),
) -> tuple[Run, FeatureStore]:
    """A run, hardly trained, with the val photos `photos`, whose `captions` are scored against `references`."""
    items = [Item(path.name, path, "val", tuple(texts)) for path, texts in zip(photos, references, strict=True)] + [
        Item(f"train {n}", photos[0], "train", (text,)) for n, text in enumerate([*SENTENCES, *captions])
    ]
    with pytest.MonkeyPatch.context() as patch:
        encoder = tiny_encoder(patch)
    store_folder = out / "features" / "tiny" / "tiny"
    extract(items, encoder, Preprocessing(fit, 32, 36), store_folder, "tiny", Options(codec="none"), say=print)
    train_tiny(out, "optim.epochs=1 validation.images=4")
    run, store = load_run(out / "runs" / NAME), FeatureStore(store_folder)
    write_evaluation(evaluate(run, store, "val", run.config.search, CPU, ("bleu",)), run.folder)
    _say(run.folder, dict(zip([path.name for path in photos], captions, strict=True)))
    write_evaluation(evaluate(run, store, "val", run.config.search, CPU, families), run.folder)
    return run, store


def _say(folder: Path, captions: dict[str, str]) -> None:
    """Put other words into the captions that were kept, as if the search had found them."""
    path, scores, _ = evaluation_paths(folder, "val")
    rows = json.loads(path.read_text())
    for row in rows:
        words = captions[row["image_id"]].split()
        row |= {"caption": " ".join(words), "words": words, "word_log_probs": [-1.0] * len(words)}
        row |= {"gates": [0.5] * len(words), "log_prob": -float(len(words)), "finished": True}
    path.write_text(json.dumps(rows))
    record = json.loads(scores.read_text())
    record["captions_sha256"] = hashlib.sha256(path.read_bytes()).hexdigest()
    scores.write_text(json.dumps(record))
