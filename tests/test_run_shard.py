"""Every photo where it belongs, failures named, and an error anywhere ends all threads with nothing half-written."""

from __future__ import annotations

import threading

import h5py
import numpy as np
import pytest

from attend.data.store_writer import ShardWriter
from attend.errors import UserError
from attend.extract.images import Preprocessing, read_photo
from attend.extract.plan import plan_shards
from attend.extract.run_shard import run_shards
from attend.extract.shard_job import Job
from attend.extract.timing import Clock
from tests.tiny_encoder import drawn_items, tiny_encoder

PREPROCESSING = Preprocessing("whole", 32, 36)


@pytest.fixture
def encoder(monkeypatch):
    return tiny_encoder(monkeypatch)


def job(folder, batch: int = 4, on_error: str = "skip") -> Job:
    return Job(folder, PREPROCESSING, "none", {}, batch, 2, on_error)


def rows_of(record, folder) -> np.ndarray:
    with h5py.File(folder / record.file) as file:
        return file["annotations"][:]


@pytest.mark.parametrize("batch", [1, 3, 50])
def test_every_row_is_its_photo_whatever_the_batch(tmp_path, encoder, batch):
    items = drawn_items(tmp_path / "photos", 11)
    counts = []
    results = list(run_shards(plan_shards(items, [], rows=4), encoder, job(tmp_path, batch), Clock(), counts.append))
    assert [result.index for result in results] == [0, 1, 2] and sum(counts) == 11
    for result in results:
        rows = rows_of(result.record, tmp_path)
        for image_id, row in zip(result.record.ids, rows, strict=True):
            photo = read_photo(tmp_path / "photos" / image_id, PREPROCESSING).pixels
            np.testing.assert_array_equal(row, encoder.encode(photo[None])[0].numpy())


def test_photos_that_fail_are_left_out_and_named(tmp_path, encoder):
    items = drawn_items(tmp_path / "photos", 9)
    for number in (0, 4, 5, 8):
        items[number].path.write_bytes(b"no photo")
    (result,) = run_shards(plan_shards(items, []), encoder, job(tmp_path), Clock())
    assert result.record.ids == ("1.png", "2.png", "3.png", "6.png", "7.png")
    assert [problem.where for problem in result.problems] == [str(items[number].path) for number in (0, 4, 5, 8)]
    np.testing.assert_array_equal(
        rows_of(result.record, tmp_path)[3],
        encoder.encode(read_photo(items[6].path, PREPROCESSING).pixels[None])[0].numpy(),
    )


def test_a_shard_of_failures_makes_no_file(tmp_path, encoder):
    items = drawn_items(tmp_path / "photos", 3)
    for item in items:
        item.path.write_bytes(b"")
    (result,) = run_shards(plan_shards(items, []), encoder, job(tmp_path), Clock())
    assert result.record is None and len(result.problems) == 3
    assert not list(tmp_path.glob("*.h5"))


def nothing_runs_on(before: set[threading.Thread], folder) -> bool:
    return set(threading.enumerate()) <= before and not [path for path in folder.iterdir() if "partial" in path.name]


def test_stop_ends_at_the_first_failure_and_keeps_finished_shards(tmp_path, encoder):
    items = drawn_items(tmp_path / "photos", 12)
    items[9].path.write_bytes(b"")
    before = set(threading.enumerate())
    finished = []
    with pytest.raises(UserError, match=r"9\.png is empty: restore or replace it; ON_ERROR=skip goes on without it"):
        for result in run_shards(plan_shards(items, [], rows=4), encoder, job(tmp_path, 2, "stop"), Clock()):
            finished.append(result.index)
    assert finished == [0, 1] and nothing_runs_on(before, tmp_path)
    assert sorted(path.name for path in tmp_path.glob("*.h5")) == ["shard-00000.h5", "shard-00001.h5"]


@pytest.mark.fault(
    "the disk fails while photos wait to be written", "the error, no freeze, nothing half-written", "Scale and hardware"
)
def test_a_writer_that_fails_ends_the_work(tmp_path, encoder, monkeypatch):
    """Many more batches than fit into the queue: nobody may wait for a thread that is gone."""
    monkeypatch.setattr(ShardWriter, "write", lambda *_: (_ for _ in ()).throw(OSError(28, "disk full")))
    before = set(threading.enumerate())
    with pytest.raises(OSError, match="disk full"):
        list(run_shards(plan_shards(drawn_items(tmp_path / "photos", 40), []), encoder, job(tmp_path, 1), Clock()))
    assert nothing_runs_on(before, tmp_path)


@pytest.mark.fault("the encoder runs out of memory", "the error, no freeze, nothing half-written", "Scale and hardware")
def test_an_encoder_that_fails_ends_the_work(tmp_path, encoder, monkeypatch):
    monkeypatch.setattr(encoder, "encode", lambda _: (_ for _ in ()).throw(RuntimeError("out of memory")))
    before = set(threading.enumerate())
    with pytest.raises(RuntimeError, match="out of memory"):
        list(run_shards(plan_shards(drawn_items(tmp_path / "photos", 40), []), encoder, job(tmp_path, 1), Clock()))
    assert nothing_runs_on(before, tmp_path)


def test_leaving_between_shards_is_clean(tmp_path, encoder):
    before = set(threading.enumerate())
    tasks = plan_shards(drawn_items(tmp_path / "photos", 40), [], rows=2)
    results = run_shards(tasks, encoder, job(tmp_path, 1), Clock())
    next(results)
    results.close()
    assert nothing_runs_on(before, tmp_path)


@pytest.mark.fault("weights or a precision that overflow float16", "refused, the photo is named", "Photos")
def test_features_that_are_not_finite_are_named(tmp_path, encoder):
    encoder._module.look.bias.data.fill_(1e5)
    items = drawn_items(tmp_path / "photos", 3)
    with pytest.raises(UserError, match=r"0\.png: a feature is inf: check the weights and PRECISION"):
        list(run_shards(plan_shards(items, []), encoder, job(tmp_path), Clock()))


def test_the_clock_knows_the_encoders_share(tmp_path, encoder):
    clock = Clock()
    list(run_shards(plan_shards(drawn_items(tmp_path / "photos", 5), []), encoder, job(tmp_path), clock))
    assert 0 < clock.busy < clock.seconds and clock.share <= 1
