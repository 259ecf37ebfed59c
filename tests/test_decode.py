"""Captions of many photos of a store."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch

from attend.data.store_reader import FeatureStore
from attend.errors import UserError
from attend.score import decode
from attend.score.decode import caption_images, split_items
from attend.train.run import load_run
from tests.tiny_run import NAME
from tests.tiny_store import caption_of

CPU = torch.device("cpu")


def test_captions_belong_to_their_images_in_any_order_and_batch(
    grid_run: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = load_run(grid_run / "runs" / NAME)
    store = FeatureStore(run.store)
    ids = [f"{number}.png" for number in (5, 0, 7, 2, 6)]
    found = caption_images(run.model, run.vocabulary, store, ids, run.config.search, CPU)
    assert list(found) == ids
    assert [caption.text for caption in found.values()] == [caption_of(number) for number in (5, 0, 7, 2, 6)]
    monkeypatch.setattr(decode, "PHOTOS_AT_ONCE", 2)
    again = caption_images(run.model, run.vocabulary, store, ids[::-1], run.config.search, CPU)
    for image_id in ids:
        assert again[image_id].text == found[image_id].text
        assert again[image_id].log_prob == pytest.approx(found[image_id].log_prob, abs=1e-5)


def test_progress_is_told_only_under_a_label(grid_run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run = load_run(grid_run / "runs" / NAME)
    store = FeatureStore(run.store)
    caption_images(run.model, run.vocabulary, store, ["0.png"], run.config.search, CPU)
    assert capsys.readouterr().err == ""
    caption_images(run.model, run.vocabulary, store, ["0.png", "1.png"], run.config.search, CPU, "captions of val")
    assert "captions of val: 2/2 captions" in capsys.readouterr().err


def test_the_items_of_a_split(grid_run: Path) -> None:
    store = FeatureStore(grid_run / "features" / "tiny" / "tiny")
    assert [item.image_id for item in split_items(store, "val", 2)] == ["val-0.png", "val-1.png"]
    assert len(split_items(store, "train")) == 8
    with pytest.raises(UserError, match=r"no photo in the split test; its splits: train \(8\), val \(6\)"):
        split_items(store, "test")
