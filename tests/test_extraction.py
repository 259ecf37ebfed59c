"""A store is brought up to date: what is there is kept, what is missing is done, what differs is refused."""

from __future__ import annotations

import dataclasses
import json

import numpy as np
import pytest
from PIL import Image

from attend.data.items import Item, Problem
from attend.data.manifest import Manifest
from attend.data.problems_file import PROBLEMS
from attend.data.store_reader import FeatureStore
from attend.data.store_writer import ShardWriter
from attend.data.verify import verify
from attend.errors import UserError
from attend.extract import extraction
from attend.extract.images import Preprocessing, read_photo
from attend.extract.problems import problem_lines
from tests.tiny_encoder import drawn_photo, tiny_encoder
from tests.tiny_extraction import WHOLE, Bench


@pytest.fixture
def bench(tmp_path, monkeypatch) -> Bench:
    return Bench(tmp_path, monkeypatch)


@pytest.mark.fault("features twice", "the second run changes no file", "Store")
def test_all_photos_once_and_a_second_run_does_nothing(bench):
    summary = bench.run()
    assert (summary.encoded, summary.stored, bench.encoded) == (9, 9, 9) and not summary.problems
    assert bench.said == [f"9 of 9 photos to do, about 0.0 MB, into {bench.folder}"]
    assert verify(bench.folder) == []
    files = {path.name: (path.stat().st_mtime_ns, path.read_bytes()) for path in bench.folder.iterdir()}
    summary = bench.run()
    assert (summary.encoded, summary.stored, bench.encoded, bench.said) == (0, 9, 0, [])
    assert files == {path.name: (path.stat().st_mtime_ns, path.read_bytes()) for path in bench.folder.iterdir()}


@pytest.mark.fault("captions corrected after extraction", "in the store without encoding", "Store")
def test_changed_captions_refresh_the_items_without_encoding(bench):
    bench.run()
    bench.items[3] = dataclasses.replace(bench.items[3], captions=("a new caption",), split="val")
    bench.run()
    assert bench.encoded == 0
    store = FeatureStore(bench.folder)
    assert store.items[3].captions == ("a new caption",) and store.items[3].split == "val"


@pytest.mark.fault("Ctrl-C during extraction", "finished shards stay; the next run ends with the same store", "Store")
def test_an_interrupted_run_goes_on_and_ends_with_the_same_store(bench, monkeypatch):
    whole = bench.run() and bench.content()
    for path in bench.folder.iterdir():
        path.unlink()

    def interrupt(pixels):
        if bench.encoded >= 6:
            raise KeyboardInterrupt
        return original(pixels)

    original = bench.encoder.encode
    monkeypatch.setattr(bench.encoder, "encode", interrupt)
    with pytest.raises(KeyboardInterrupt):
        bench.run(batch=1)
    assert [shard.rows for shard in Manifest.load(bench.folder).shards] == [4] and verify(bench.folder)
    monkeypatch.setattr(bench.encoder, "encode", original)
    bench.run()
    assert bench.encoded == 5 and bench.content() == whole and verify(bench.folder) == []


@pytest.mark.fault("a photo that failed is mended", "done by the next run; the others are not done again", "Store")
def test_a_failed_photo_is_reported_and_retried(bench):
    bench.items[2].path.write_bytes(b"")
    bench.items[5].path.unlink()
    summary = bench.run()
    problems = [
        {"where": str(bench.items[5].path), "what": "does not exist: restore it or take it out of the captions"},
        {"where": str(bench.items[2].path), "what": "is empty: restore or replace it"},
    ]
    assert [dataclasses.asdict(problem) for problem in summary.problems] == problems
    assert [json.loads(line) for line in (bench.folder / PROBLEMS).read_text().splitlines()] == problems
    assert summary.stored == 7
    reason = "does not exist: restore it or take it out of the captions"
    missing = {problem.where: problem.what for problem in verify(bench.folder)}
    assert missing[bench.items[5].image_id] == f"has no annotations ({reason}): run `make features` again"
    again = bench.run()
    assert again.problems == summary.problems and bench.encoded == 0
    drawn_photo(2).save(bench.items[2].path)
    drawn_photo(5).save(bench.items[5].path)
    mended = bench.run()
    assert bench.encoded == 2 and mended.stored == 9 and not mended.problems
    assert not (bench.folder / PROBLEMS).exists() and verify(bench.folder) == []


def test_stop_raises_and_the_next_run_goes_on(bench):
    bench.items[8].path.write_bytes(b"")
    with pytest.raises(UserError, match=r"8\.png is empty"):
        bench.run(on_error="stop")
    assert Manifest.load(bench.folder).images == 8
    bench.items[8].path.unlink()
    with pytest.raises(UserError, match=r"8\.png does not exist: restore it .*; ON_ERROR=skip goes on without it"):
        bench.run(on_error="stop")


@pytest.mark.fault(
    "another encoder's weights, preprocessing, codec or dataset for one store",
    "refused, all that differs is named",
    "Store",
)
def test_another_fingerprint_is_refused_by_name(bench, monkeypatch):
    bench.run()
    before = bench.content()
    with pytest.raises(UserError) as caught:
        bench.run(Preprocessing("crop", 32, 36))
    assert str(caught.value) == (
        f"the store in {bench.folder} was made with preprocessing fit whole, not crop; preprocessing resize None, "
        "not 36: give another OUT, or --rebuild to extract everything again"
    )
    bench.encoder = tiny_encoder(monkeypatch, "random:2")
    with pytest.raises(UserError, match=r"was made with weights_sha256 [0-9a-f]{8}…, not [0-9a-f]{8}…: give"):
        bench.run()
    with pytest.raises(UserError, match="was made with dataset own, not other"):
        bench.run(dataset="other")
    with pytest.raises(UserError, match="was made with codec zstd, not lzf"):
        bench.run(codec="lzf")
    assert bench.content() == before
    bench.run(rebuild=True)
    assert bench.content().keys() == before.keys() and bench.content() != before


@pytest.mark.fault("a file of weights that was renamed", "the same weights", "Store")
def test_the_same_weights_under_another_name_are_the_same(bench):
    bench.items, late = bench.items[:6], bench.items[6:]
    bench.run()
    bench.encoder.weights = "renamed.pth"
    assert bench.run().encoded == 0 and bench.encoded == 0
    bench.items += late
    assert bench.run().encoded == 3 and verify(bench.folder) == []


def test_a_file_of_weights_that_moved_is_found_by_its_new_place(bench):
    bench.encoder.weights, bench.encoder.weights_file = "own.pth", "/old/own.pth"
    bench.run()
    bench.encoder.weights_file = "/new/own.pth"
    bench.run()
    assert Manifest.load(bench.folder).weights_file == "/new/own.pth"
    bench.encoder.weights, bench.encoder.weights_file = "imagenet", ""
    bench.run()
    manifest = Manifest.load(bench.folder)
    assert (manifest.fingerprint.weights, manifest.weights_file) == ("own.pth", "/new/own.pth")


def test_versions_are_those_that_wrote_the_shard(bench, monkeypatch):
    monkeypatch.setattr(extraction, "library_versions", lambda: {"torch": "1"})
    bench.items, late = bench.items[:8], bench.items[8:]
    bench.run()
    (bench.folder / "shard-00001.h5").unlink()
    monkeypatch.setattr(extraction, "library_versions", lambda: {"torch": "2"})
    bench.items += late
    bench.run()
    manifest = Manifest.load(bench.folder)
    assert manifest.libraries == {"torch": "1"}
    assert [shard.libraries for shard in manifest.shards] == [{}, {"torch": "2"}, {"torch": "2"}]


@pytest.mark.fault("photos taken out of the dataset", "rows kept, named, not counted", "Store")
def test_a_dataset_that_shrinks_keeps_its_rows_and_does_not_count_them(bench):
    bench.run()
    del bench.items[5:]
    summary = bench.run()
    assert (summary.stored, bench.encoded, summary.problems) == (5, 0, ())
    named = "4 (5.png, 6.png, 7.png and 1 more)"
    assert bench.said == [f"photos of the store that are not in the dataset: {named}; they stay and are not counted"]
    assert verify(bench.folder) == [] and len(FeatureStore(bench.folder)) == 9


@pytest.mark.fault(
    "a photo that is listed twice or in two splits",
    "refused before any work, the first three named, the rest counted",
    "Captions and splits",
)
def test_items_that_contradict_each_other_stop_before_any_work(bench):
    bench.items.append(dataclasses.replace(bench.items[0], split="val"))
    with pytest.raises(UserError, match=r"^0\.png is in two splits, train and val: keep one$"):
        bench.run()
    bench.items += [bench.items[number] for number in range(1, 6)]
    with pytest.raises(UserError) as caught:
        bench.run()
    assert str(caught.value) == (
        "6 contradictions in the dataset: 0.png is in two splits, train and val: keep one; 1.png is listed twice: keep "
        "one; 2.png is listed twice: keep one; and 3 more"
    )
    bench.items.clear()
    with pytest.raises(UserError, match="the dataset has no photos"):
        bench.run()
    bench.items += [Item(f"{number}.jpg", bench.folder / f"{number}.jpg", "train", ()) for number in range(3000)]
    with pytest.raises(UserError) as caught:
        bench.run()
    first = f"{bench.folder / '0.jpg'} does not exist: restore it or take it out of the captions"
    cure = "or name the right folder with DATA= or IMAGES="
    assert str(caught.value) == f"none of the 3,000 photos can be had, the first of them: {first}, {cure}"
    assert bench.encoded == 0 and not bench.folder.exists()


@pytest.mark.fault("too little room on the disk for the whole job", "refused before any work, with the size", "Store")
def test_an_unknown_codec_and_a_full_disk_stop_before_any_work(bench, monkeypatch):
    with pytest.raises(UserError, match="unknown codec 'zip'"):
        bench.run(codec="zip")
    monkeypatch.setattr("shutil.disk_usage", lambda _: type("Usage", (), {"free": 10})())
    with pytest.raises(
        UserError, match=r"needs about 0\.0 MB, its disk has 0.0 MB free: make room or give another OUT"
    ):
        bench.run()
    assert bench.encoded == 0 and not bench.folder.exists()


def test_a_disk_that_fills_up_keeps_the_finished_shards(bench, monkeypatch):
    commit = ShardWriter.commit

    def full(self):
        if self.path.name == "shard-00001.h5":
            raise OSError(28, "No space left on device")
        return commit(self)

    monkeypatch.setattr(ShardWriter, "commit", full)
    with pytest.raises(UserError, match="is full: 4 photos in 1 shards are safe; make room and run the same again"):
        bench.run()
    monkeypatch.setattr(ShardWriter, "commit", commit)
    bench.run()
    assert bench.encoded == 5 and verify(bench.folder) == []


def test_animated_photos_are_counted(bench):
    frames = [Image.new("RGB", (32, 32), colour) for colour in ("red", "blue")]
    frames[0].save(bench.items[1].path, "GIF", save_all=True, append_images=frames[1:])
    assert bench.run().animated == 1


def test_people_see_the_first_problems_and_how_many_there_are():
    lines = problem_lines([Problem(f"{number}.jpg", "is gone") for number in range(25)])
    assert lines[0] == "0.jpg is gone" and lines[-1] == f"… and 5 more, all in {PROBLEMS} beside the manifest"
    assert len(lines) == 21


def test_features_in_the_store_are_those_of_the_photo_alone(bench):
    bench.run(batch=4)
    store = FeatureStore(bench.folder)
    for item in bench.items:
        alone = bench.encoder.encode(read_photo(item.path, WHOLE).pixels[None])
        np.testing.assert_array_equal(store.read([item.image_id]), alone.numpy())
