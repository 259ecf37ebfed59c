"""Features are of the photos that are there: another photo under the same id is noticed, the same one is not redone."""

from __future__ import annotations

import dataclasses
import os
import shutil

import pytest

from attend.data.manifest import Manifest
from attend.data.photo_file import read_photo_file
from attend.data.verify import verify
from attend.extract.images import read_photo
from tests.tiny_encoder import drawn_photo
from tests.tiny_extraction import WHOLE, Bench

REDONE = "photos that are not those their features were made of: "


@pytest.fixture
def bench(tmp_path, monkeypatch) -> Bench:
    bench = Bench(tmp_path, monkeypatch)
    bench.run()
    return bench


def features_of_the_photos_there(bench: Bench) -> dict[str, bytes]:
    """The truth, photo by photo, for those that are there."""
    items = [item for item in bench.items if item.path.is_file()]
    alone = {item.image_id: bench.encoder.encode(read_photo(item.path, WHOLE).pixels[None]) for item in items}
    return {image_id: annotations.numpy().tobytes() for image_id, annotations in alone.items()}


def records(bench: Bench) -> dict[str, str | None]:
    return {
        name: photo
        for shard in Manifest.load(bench.folder).shards
        for name, photo in zip(shard.ids, shard.photos, strict=True)
    }


def test_the_manifest_says_what_every_photo_was(bench):
    assert records(bench) == {item.image_id: read_photo_file(item.path)[1].record() for item in bench.items}


@pytest.mark.fault("a photo replaced after extraction", "noticed, named, done again with its shard", "Photos")
def test_a_replaced_photo_is_done_again_with_its_shard(bench):
    before = bench.content()
    drawn_photo(100, (40, 50)).save(bench.items[5].path)
    bench.run()
    assert bench.encoded == 4
    assert bench.said[0] == f"{REDONE}1 (5.png); done again with the shards that hold them: shard-00001.h5, 4 photos"
    after = bench.content()
    assert {name for name in before if after[name] != before[name]} == {"5.png"}
    assert after == features_of_the_photos_there(bench) and verify(bench.folder) == []
    assert bench.run().stored == 9 and bench.encoded == 0 and bench.said == []


@pytest.mark.fault("another photo of the same size in bytes", "told by its bytes, done again", "Photos")
def test_another_photo_of_the_same_size_is_told_by_its_bytes(bench):
    path = bench.items[3].path
    size = path.stat().st_size
    shutil.copyfile(bench.items[2].path, path)
    assert path.stat().st_size == size
    bench.run()
    assert bench.said[0].startswith(f"{REDONE}1 (3.png)") and bench.content() == features_of_the_photos_there(bench)


@pytest.mark.fault("photos touched or moved, unchanged", "not done again", "Photos")
def test_a_touched_or_moved_photo_is_the_same(bench, tmp_path):
    os.utime(bench.items[0].path, ns=(1, 1))
    bench.run()
    assert bench.encoded == 0 and bench.said == []
    shutil.copytree(tmp_path / "photos", tmp_path / "moved")
    bench.items = [dataclasses.replace(item, path=tmp_path / "moved" / item.image_id) for item in bench.items]
    bench.run()
    assert bench.encoded == 0 and bench.said == []
    assert records(bench) == {item.image_id: read_photo_file(item.path)[1].record() for item in bench.items}


@pytest.mark.fault("another folder of photos with the same names", "all done again, counted", "Photos")
def test_a_folder_of_other_photos_under_the_same_names(bench, tmp_path):
    (tmp_path / "other").mkdir()
    for number, item in enumerate(bench.items):
        drawn_photo(50 + number).save(tmp_path / "other" / item.image_id)
        bench.items[number] = dataclasses.replace(item, path=tmp_path / "other" / item.image_id)
    bench.run()
    assert bench.encoded == 9 and bench.said[0].startswith(f"{REDONE}9 (0.png, 1.png, 2.png and 6 more)")
    assert bench.content() == features_of_the_photos_there(bench) and verify(bench.folder) == []


@pytest.mark.fault("photos deleted after extraction", "features kept, counted and named", "Photos")
def test_features_of_photos_that_are_gone_are_kept(bench):
    bench.items[0].path.unlink()
    bench.items[4].path.unlink()
    summary = bench.run()
    kept = "photos that are gone, or may not be read, but whose features are kept: 2 (0.png, 4.png)"
    assert (bench.encoded, summary.stored, summary.problems, bench.said) == (0, 9, (), [kept])


def test_features_of_gone_photos_survive_when_their_shard_is_done_again(bench):
    before = bench.content()
    bench.items[4].path.unlink()
    drawn_photo(100).save(bench.items[5].path)
    summary = bench.run()
    assert (bench.encoded, summary.stored, summary.problems) == (3, 9, ())
    after = bench.content()
    assert after["4.png"] == before["4.png"]
    assert after == {"4.png": before["4.png"], **features_of_the_photos_there(bench)}
    assert verify(bench.folder) == []
    bench.run()
    assert bench.encoded == 0 and len(bench.said) == 1
    drawn_photo(4).save(bench.items[4].path)
    assert bench.run().stored == 9 and bench.encoded == 0 and bench.said == []


@pytest.mark.fault(
    "a smaller dataset, one photo of it replaced", "features of the photos that left the dataset are kept", "Store"
)
def test_photos_that_left_the_dataset_survive_when_their_shard_is_done_again(bench):
    before = bench.content()
    dropped = [bench.items.pop(number).image_id for number in (6, 4)]
    bench.items[0].path.unlink()
    drawn_photo(100).save(bench.items[4].path)
    assert bench.items[4].image_id == "5.png"
    summary = bench.run()
    assert (bench.encoded, summary.stored, summary.problems) == (2, 7, ())
    assert (
        bench.said[2]
        == "photos of the store that are not in the dataset: 2 (4.png, 6.png); they stay and are not counted"
    )
    after = bench.content()
    assert after == {name: before[name] for name in (*dropped, "0.png")} | features_of_the_photos_there(bench)
    assert verify(bench.folder) == []
    assert bench.run().stored == 7 and bench.encoded == 0


def test_an_old_store_adopts_the_photos_that_are_there_and_says_so_once(bench):
    known = records(bench)
    manifest = Manifest.load(bench.folder)
    shards = tuple(dataclasses.replace(shard, photos=()) for shard in manifest.shards)
    dataclasses.replace(manifest, shards=shards).save(bench.folder)
    hidden = bench.items[8].path.rename(bench.items[8].path.with_suffix(".away"))
    before = bench.content()
    bench.run()
    adopted = "features from before photos were recorded: {}; the photos there now are taken to be theirs"
    assert bench.encoded == 0 and bench.said[0] == adopted.format(8) and bench.content() == before
    hidden.rename(bench.items[8].path)
    bench.run()
    assert bench.encoded == 0 and bench.said == [adopted.format(1)] and records(bench) == known
    bench.run()
    assert bench.said == []


def test_an_interruption_while_a_shard_is_done_again_loses_nothing(bench, monkeypatch):
    bench.items[4].path.unlink()
    drawn_photo(100).save(bench.items[5].path)
    encode = bench.encoder.encode

    def interrupt(_):
        raise KeyboardInterrupt

    monkeypatch.setattr(bench.encoder, "encode", interrupt)
    with pytest.raises(KeyboardInterrupt):
        bench.run()
    monkeypatch.setattr(bench.encoder, "encode", encode)
    summary = bench.run()
    assert (bench.encoded, summary.stored) == (3, 9)
    content = bench.content()
    del content["4.png"]
    assert content == features_of_the_photos_there(bench) and verify(bench.folder) == []
