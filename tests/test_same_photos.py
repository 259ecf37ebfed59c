"""A run knows the photos behind its features: others under the same names are noticed."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from attend.data.items import Item
from attend.data.items_file import read_items, write_items
from attend.data.manifest import Manifest
from attend.data.photo_file import PhotoFile, photos_identity
from attend.data.store_reader import FeatureStore
from attend.data.store_writer import ShardWriter
from attend.errors import UserError
from attend.train.config_file import read_run_file
from attend.train.repeating import read_origin
from attend.train.training import train
from tests.test_fit import judge_exact, request, run
from tests.tiny_store import CHANNELS, GRID, annotations_of, make_store

A, B = "a" * 64, "b" * 64


def record_photos(store: Path, replaced: str = "", time: int = 1) -> None:
    """As if the features were made of photos: each has its own bytes, `replaced` others."""
    manifest = Manifest.load(store)
    first, *others = manifest.shards
    photos = (PhotoFile(9, time, B if name == replaced else f"{number:064x}") for number, name in enumerate(first.ids))
    replace(manifest, shards=(replace(first, photos=tuple(map(PhotoFile.record, photos))), *others)).save(store)


def add_photo_without_features(store: Path) -> None:
    items = [*read_items(store), Item("late.png", store / "late.png", "val", ("a late photo",))]
    replace(Manifest.load(store), items_sha256=write_items(store, items)).save(store)


def add_its_features(store: Path) -> None:
    manifest = Manifest.load(store)
    with ShardWriter(store, 1, ["late.png"], GRID, CHANNELS, "none", {}) as writer:
        writer.write(0, annotations_of(5)[None])
        late = replace(writer.commit(), photos=(PhotoFile(9, 1, A).record(),))
    replace(manifest, shards=(*manifest.shards, late)).save(store)


def test_the_identity_is_that_of_ids_and_bytes_alone():
    known = [("x", PhotoFile(1, 2, A).record()), ("y", PhotoFile(3, 4, B).record())]
    touched = [("x", PhotoFile(1, 9, A).record()), ("y", PhotoFile(3, 9, B).record())]
    swapped = [("x", PhotoFile(3, 4, B).record()), ("y", PhotoFile(1, 2, A).record())]
    assert photos_identity(known) == photos_identity(touched) != ""
    assert len({photos_identity(known), photos_identity(swapped), photos_identity(known[::-1])}) == 3
    assert photos_identity([*known, ("z", None)]) == ""


def test_a_store_from_before_photos_were_recorded_has_no_identity(tmp_path):
    store = make_store(tmp_path / "store")
    assert FeatureStore(store).photos_identity(["0.png"]) == ""
    record_photos(store)
    first = PhotoFile(9, 1, f"{0:064x}").record()
    assert FeatureStore(store).photos_identity(["0.png"]) == photos_identity([("0.png", first)])


@pytest.mark.fault(
    "a run repeated after photos were replaced under their names", "refused: the features are others", "Training"
)
def test_a_repeat_on_features_of_other_photos_is_refused(tmp_path):
    store = make_store(tmp_path / "store", validation=2)
    record_photos(store)
    run(store, tmp_path / "run", "optim.epochs=1")
    before = FeatureStore(store).photos_identity(item.image_id for item in FeatureStore(store).items)
    origin = read_origin(tmp_path / "run" / "config.toml")
    again = replace(request(store, tmp_path / "again"), config=origin.config, repeats=origin.record)
    record_photos(store, replaced="val-1.png")
    with pytest.raises(UserError, match=rf"is not what that run was trained on \(store\.photos: {before} then, "):
        train(again, judge_exact, lambda line: None)
    record_photos(store, time=2)
    train(again, judge_exact, lambda line: None)
    assert read_run_file(tmp_path / "again" / "config.toml")[1]["store"]["photos"] == before


@pytest.mark.fault(
    "photos replaced, or added, between two parts of a run", "trained on: refused; others: goes on", "Training"
)
def test_a_run_goes_on_while_the_photos_it_is_trained_on_are_the_same(tmp_path):
    store = make_store(tmp_path / "store", validation=2)
    record_photos(store)
    add_photo_without_features(store)
    run(store, tmp_path / "run", "optim.epochs=1 optim.patience=99")
    record_photos(store, replaced="val-1.png")
    add_its_features(store)
    result, _ = run(store, tmp_path / "run", "optim.epochs=2 optim.patience=99", resume=True)
    assert result.position.epoch == 2
    record_photos(store, replaced="3.png")
    with pytest.raises(UserError, match=r"run was started otherwise \(store\.training_photos: \w{64} then, \w{64} now"):
        run(store, tmp_path / "run", "optim.epochs=3 optim.patience=99", resume=True)


def test_a_run_from_before_photos_had_an_identity_goes_on(tmp_path):
    store = make_store(tmp_path / "store")
    record_photos(store)
    run(store, tmp_path / "run", "optim.epochs=1")
    config = tmp_path / "run" / "config.toml"
    lines = config.read_text(encoding="utf-8").splitlines(keepends=True)
    old = [line for line in lines if not line.startswith(("photos = ", "training_photos = "))]
    assert len(old) == len(lines) - 2
    config.write_text("".join(old))
    result, _ = run(store, tmp_path / "run", "optim.epochs=2", resume=True)
    assert result.position.epoch == 2
