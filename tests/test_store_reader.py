"""Reading a store: any order, any process, only what the manifest vouches for."""

from __future__ import annotations

import dataclasses
import hashlib
import multiprocessing
import pickle
import shutil
import time
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from pathlib import Path

import h5py
import numpy as np
import pytest

from attend.data import open_shards
from attend.data.items import Item
from attend.data.items_file import items_identity, write_items
from attend.data.manifest import Manifest, ShardRecord
from attend.data.photo_file import PhotoFile
from attend.data.store_format import CODECS, shard_attributes, shard_name
from attend.data.store_reader import FeatureStore
from attend.data.store_writer import ShardWriter
from attend.data.verify import verify
from attend.errors import UserError
from tests.sample_store import CHANNELS, FINGERPRINT, GRID, Sample, random_annotations, write_sample


def truth(sample: Sample, ids: Sequence[str]) -> np.ndarray:
    return np.stack([sample.truth[image_id] for image_id in ids])


def some_ids(sample: Sample, count: int, seed: int = 0) -> list[str]:
    return [str(name) for name in np.random.default_rng(seed).choice(list(sample.truth), count)]


@pytest.mark.parametrize("codec", CODECS)
def test_any_order_with_repeats(tmp_path: Path, codec: str) -> None:
    sample = write_sample(tmp_path, codec=codec)
    store = FeatureStore(tmp_path)
    ids = some_ids(sample, 50)
    assert len(set(ids)) < 50
    read = store.read(ids)
    assert (read.dtype, read.shape) == (np.float16, (50, 6, 5))
    assert np.array_equal(read, truth(sample, ids))
    assert np.array_equal(store.read(store.ids), truth(sample, list(sample.truth)))
    assert store.read([]).shape == (0, 6, 5)


def test_what_it_says_of_itself(tmp_path: Path) -> None:
    sample = write_sample(tmp_path, extra_items=2)
    store = FeatureStore(tmp_path)
    assert (store.grid, store.places, store.channels) == (GRID, 6, CHANNELS)
    assert store.ids == tuple(sample.truth)
    assert (store.items, store.missing) == (sample.items[:12], sample.items[12:])
    assert len(store) == 12
    assert store.ids[0] in store and sample.items[12].image_id not in store
    assert store.manifest.fingerprint == FINGERPRINT
    assert store.items_identity == items_identity(sample.items)


@pytest.mark.fault("a photo that has no features", "named, with what to run", "Store")
def test_unknown_id_is_named(tmp_path: Path) -> None:
    sample = write_sample(tmp_path, extra_items=1)
    with pytest.raises(UserError, match=r"has no annotations of who\.jpg: run `make features`"):
        FeatureStore(tmp_path).read([sample.items[0].image_id, "who.jpg"])


@pytest.mark.fault("a store copied to a machine without the photos", "reads", "Store")
def test_a_moved_store_reads_without_photos(tmp_path: Path) -> None:
    sample = write_sample(tmp_path / "here")
    shutil.move(tmp_path / "here", tmp_path / "over there")
    store = FeatureStore(tmp_path / "over there")
    assert np.array_equal(store.read(store.ids), truth(sample, store.ids))
    assert store.items == sample.items


@pytest.mark.parametrize("method", ["fork", "spawn"])
@pytest.mark.parametrize("workers", [0, 2, 4])
@pytest.mark.fault("0, 2 or 4 reader processes, forked or spawned", "identical rows", "Store")
def test_reader_processes_return_identical_data(tmp_path: Path, method: str, workers: int) -> None:
    """The store is open and was read from in the parent before the workers start: the hard case for a fork."""
    sample = write_sample(tmp_path, shards=5, rows=8)
    store = FeatureStore(tmp_path)
    batches = [some_ids(sample, 16, seed) for seed in range(12)]
    store.read(batches[0])
    if workers:
        with ProcessPoolExecutor(workers, multiprocessing.get_context(method)) as pool:
            results = list(pool.map(store.read, batches))
    else:
        results = [store.read(batch) for batch in batches]
    for batch, result in zip(batches, results, strict=True):
        assert np.array_equal(result, truth(sample, batch))
    assert np.array_equal(store.read(batches[0]), truth(sample, batches[0]))


def _read_in_fork(store: FeatureStore, ids: list[str], seconds: float) -> np.ndarray:
    """Read again and again while the parent and the other workers do the same."""
    first = store.read(ids)
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        assert np.array_equal(store.read(ids), first)
    return first


@pytest.mark.fault("a store that was open when its readers were forked", "right rows in all of them", "Store")
def test_forked_readers_do_not_disturb_each_other(tmp_path: Path) -> None:
    sample = write_sample(tmp_path, shards=4, rows=50)
    store = FeatureStore(tmp_path)
    batches = [some_ids(sample, 40, seed) for seed in range(3)]
    store.read(batches[0])
    with ProcessPoolExecutor(2, multiprocessing.get_context("fork")) as pool:
        futures = [pool.submit(_read_in_fork, store, batch, 0.5) for batch in batches[:2]]
        _read_in_fork(store, batches[2], 0.5)
        for batch, future in zip(batches, futures, strict=False):
            assert np.array_equal(future.result(), truth(sample, batch))


def test_pickles_small_and_without_files(tmp_path: Path) -> None:
    write_sample(tmp_path)
    store = FeatureStore(tmp_path)
    store.read(store.ids)
    again = pickle.loads(pickle.dumps(store))
    assert np.array_equal(again.read(store.ids), store.read(store.ids))


def test_a_bounded_number_of_open_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(open_shards, "OPEN_FILES", 2)
    sample = write_sample(tmp_path, shards=6, rows=2)
    store = FeatureStore(tmp_path)
    for seed in range(3):
        ids = some_ids(sample, 30, seed)
        assert np.array_equal(store.read(ids), truth(sample, ids))
        assert len(store._files) == 2


@pytest.mark.fault("threads that share a store of many shards", "right rows, few open files", "Store")
def test_threads_share_a_store_with_more_shards_than_open_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every thread makes the others' files the least recently used ones."""
    monkeypatch.setattr(open_shards, "OPEN_FILES", 1)
    sample = write_sample(tmp_path, shards=6, rows=4)
    store = FeatureStore(tmp_path)
    batches = [some_ids(sample, 20, seed) for seed in range(80)]
    with ThreadPoolExecutor(4) as pool:
        for batch, read in zip(batches, pool.map(store.read, batches), strict=True):
            assert np.array_equal(read, truth(sample, batch))


@pytest.mark.fault("a fork while another thread reads", "no freeze", "Store")
def test_a_fork_does_not_wait_for_a_lock_that_a_thread_of_its_parent_held(tmp_path: Path) -> None:
    sample = write_sample(tmp_path, shards=1)
    store = FeatureStore(tmp_path)
    with store._files._lock:
        process = multiprocessing.get_context("fork").Process(target=store.read, args=(list(sample.truth),))
        process.start()
        process.join(20)
    assert process.exitcode == 0


@pytest.mark.fault("file locks on a shared disk", "readers take none", "Store")
def test_a_reader_takes_no_lock(tmp_path: Path) -> None:
    """A shard may be opened for writing by another HDF5 program while it is read: readers leave no lock behind."""
    import fcntl

    write_sample(tmp_path, shards=1)
    store = FeatureStore(tmp_path)
    store.read(store.ids)
    with (tmp_path / "shard-00000.h5").open("rb+") as file:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        assert len(store.read(store.ids)) == len(FeatureStore(tmp_path).read(store.ids))


@pytest.mark.fault("training while features are still being made", "reads what is finished, never what is not", "Store")
def test_finished_shards_are_read_while_others_are_written(tmp_path: Path) -> None:
    sample = write_sample(tmp_path, shards=2)
    early = FeatureStore(tmp_path)
    with ShardWriter(tmp_path, 2, ["new.jpg"], GRID, CHANNELS, "gzip", {}) as writer:
        writer.write(0, random_annotations(1, seed=9))
        assert np.array_equal(early.read(early.ids), truth(sample, early.ids))
        record = writer.commit()
    assert "new.jpg" not in FeatureStore(tmp_path)  # on the disk, but nobody vouches for it yet
    manifest = Manifest.load(tmp_path)
    dataclasses.replace(manifest, shards=(*manifest.shards, record)).save(tmp_path)
    assert np.array_equal(FeatureStore(tmp_path).read(["new.jpg"]), random_annotations(1, seed=9))
    assert len(early) == 8


@pytest.mark.parametrize("codec", ["zstd", "none"])
@pytest.mark.fault(
    "a shard cut, lost, zeroed or replaced", "refused on opening or reading, the shard is named", "Store"
)
def test_damaged_shards_are_named(tmp_path: Path, codec: str) -> None:
    sample = write_sample(tmp_path, codec=codec)
    path, other = tmp_path / "shard-00001.h5", tmp_path / "shard-00002.h5"
    content = path.read_bytes()
    open_before = FeatureStore(tmp_path)

    path.write_bytes(content[:-1])
    with pytest.raises(
        UserError, match=rf"shard-00001\.h5 has {len(content) - 1} bytes, the manifest says {len(content)}"
    ):
        FeatureStore(tmp_path)
    with pytest.raises(UserError, match=r"shard-00001\.h5 has"):
        open_before.read(list(sample.truth))

    path.unlink()
    with pytest.raises(UserError, match=r"shard-00001\.h5 is in the manifest but not there"):
        FeatureStore(tmp_path)

    path.write_bytes(bytes(len(content)))
    with pytest.raises(UserError, match=r"shard-00001\.h5 cannot be read"):
        FeatureStore(tmp_path).read(list(sample.truth))

    path.write_bytes(other.read_bytes())
    with pytest.raises(UserError, match=r"shard-00001\.h5 (has|does not hold the images)"):
        FeatureStore(tmp_path).read(list(sample.truth))


@pytest.mark.fault("a damaged row in a whole file", "refused: shard, photo and cure; the other rows read", "Store")
def test_a_damaged_row_names_the_shard_the_image_and_the_cure(tmp_path: Path) -> None:
    sample = write_sample(tmp_path, codec="gzip")
    path, names = tmp_path / "shard-00001.h5", list(sample.truth)[4:8]
    with h5py.File(path, "r") as file:
        chunk = file["annotations"].id.get_chunk_info(2)
    content = bytearray(path.read_bytes())
    content[chunk.byte_offset : chunk.byte_offset + chunk.size] = bytes(chunk.size)
    path.write_bytes(content)
    store = FeatureStore(tmp_path)
    assert np.array_equal(store.read(names[:2]), truth(sample, names[:2]))
    with pytest.raises(UserError) as refusal:
        store.read(names)
    assert str(refusal.value).startswith(f"{path} is damaged at {names[2]} (")
    assert str(refusal.value).endswith("): delete it and run `make features` again")


@pytest.mark.fault("two shards of equal size that were swapped", "refused, the shard is named", "Store")
def test_shards_of_equal_size_that_were_swapped(tmp_path: Path) -> None:
    """Uncompressed shards are all of one size: only their ids tell them apart."""
    sample = write_sample(tmp_path, codec="none")
    one, two = tmp_path / "shard-00000.h5", tmp_path / "shard-00001.h5"
    assert one.stat().st_size == two.stat().st_size
    one.rename(tmp_path / "x")
    two.rename(one)
    (tmp_path / "x").rename(two)
    with pytest.raises(UserError, match=r"shard-00000\.h5 does not hold the images"):
        FeatureStore(tmp_path).read(list(sample.truth))


@pytest.mark.slow
@pytest.mark.fault("a store of COCO's size", "opens in under a second of processor time", "Store")
def test_opening_a_store_of_120_000_images_takes_under_a_second(tmp_path: Path) -> None:
    """COCO's size, in processor time: the wall clock counts other programs too. Shards are sparse files: opening looks
    at their size, not into them."""
    records = []
    for index in range(120):
        ids = tuple(f"COCO_train2014_{index * 1000 + row:012d}.jpg" for row in range(1000))
        photos = tuple(PhotoFile(160_000 + row, 1_764_520_000_123_456_789, "ab" * 32).record() for row in range(1000))
        records.append(ShardRecord(shard_name(index), 1000, 17_000_000, "0" * 64, ids, photos))
        with (tmp_path / shard_name(index)).open("wb") as file:
            file.truncate(17_000_000)
    captions = tuple("a man rides a brown horse across a wide green field" for _ in range(5))
    items = write_items(
        tmp_path,
        [Item(image_id, Path("/p") / image_id, "train", captions) for shard in records for image_id in shard.ids],
    )
    Manifest("coco", (14, 14), 512, "zstd", FINGERPRINT, {}, items, tuple(records)).save(tmp_path)
    start = time.process_time()
    store = FeatureStore(tmp_path)
    assert store.ids[-1] in store
    seconds = time.process_time() - start
    assert len(store) == 120_000
    assert seconds < 1


@pytest.mark.parametrize("codec", CODECS)
@pytest.mark.fault("a bit that flipped inside a shard", "shard and photo are named; no wrong number is read", "Store")
def test_a_flipped_bit_is_named_or_does_not_matter(tmp_path: Path, codec: str) -> None:
    """Any bit of the first photo's bytes is noticed; none anywhere gives another number."""
    sample = write_sample(tmp_path, shards=1, rows=4, codec=codec)
    path, first = tmp_path / shard_name(0), next(iter(sample.truth))
    with h5py.File(path) as file:
        chunk = file["annotations"].id.get_chunk_info(0)
    good = path.read_bytes()
    random = np.random.default_rng(0)
    inside = random.choice(8 * chunk.size, 30, replace=False) + 8 * chunk.byte_offset
    for bit in (*inside, *random.choice(8 * len(good), 100, replace=False)):
        damaged = bytearray(good)
        damaged[bit // 8] ^= 1 << (bit % 8)
        path.write_bytes(damaged)
        store = FeatureStore(tmp_path)
        try:
            assert np.array_equal(store.read(store.ids), truth(sample, store.ids))
            assert bit not in inside
        except UserError as error:
            assert str(error).startswith(f"{path} ") and str(error).endswith(f": {open_shards.CURE}")
            assert bit not in inside or str(error).startswith(f"{path} is damaged at {first} (")
        finally:
            store.close()


def test_a_shard_from_before_checksums_reads_and_is_valid(tmp_path: Path) -> None:
    sample = write_sample(tmp_path, shards=1, rows=4)
    path, manifest = tmp_path / shard_name(0), Manifest.load(tmp_path)
    path.unlink()
    with h5py.File(path, "w") as file:
        file.attrs.update(shard_attributes(FINGERPRINT, GRID))
        rows = np.stack(list(sample.truth.values()))
        file.create_dataset("annotations", data=rows, chunks=(1, 6, 5), **CODECS["zstd"])
        file.create_dataset("image_ids", data=list(sample.truth), dtype=h5py.string_dtype("utf-8"))
    content = path.read_bytes()
    (shard,) = manifest.shards
    sha256 = hashlib.sha256(content).hexdigest()
    old = dataclasses.replace(shard, bytes=len(content), sha256=sha256)
    dataclasses.replace(manifest, shards=(old,)).save(tmp_path)
    store = FeatureStore(tmp_path)
    assert np.array_equal(store.read(store.ids), truth(sample, store.ids)) and verify(tmp_path) == []
