"""Writing shards: what is refused, and what is on the disk after every kind of end."""

from __future__ import annotations

import hashlib
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import h5py
import numpy as np
import pytest

from attend.data.atomic import remove_abandoned
from attend.data.manifest import Manifest
from attend.data.store_reader import FeatureStore
from attend.data.store_writer import ShardWriter
from attend.data.verify import verify
from attend.errors import UserError
from tests.sample_store import CHANNELS, GRID, random_annotations

IDS = ("a.jpg", "b.jpg", "c.jpg", "d.jpg")


def writer(folder: Path, ids: tuple[str, ...] = IDS) -> ShardWriter:
    return ShardWriter(folder, 7, ids, GRID, CHANNELS, "gzip", {"note": "x"})


def test_record_is_about_the_file(tmp_path: Path) -> None:
    folder = tmp_path / "new" / "store"
    with writer(folder) as shard:
        shard.write(0, random_annotations(3))
        shard.write(3, random_annotations(1, seed=1).astype(np.float32))
        record = shard.commit()
    content = (folder / "shard-00007.h5").read_bytes()
    assert [path.name for path in folder.iterdir()] == ["shard-00007.h5"] == [record.file]
    assert (record.rows, record.bytes, record.ids) == (4, len(content), IDS)
    assert record.sha256 == hashlib.sha256(content).hexdigest()


def test_equal_rows_make_equal_files(tmp_path: Path) -> None:
    """Nothing of the time or the process goes into a shard, so a repeated extraction can be compared by hash."""
    records = []
    for name in ("one", "two"):
        with writer(tmp_path / name) as shard:
            shard.write(0, random_annotations(4))
            records.append(shard.commit())
        time.sleep(1.1)
    assert records[0] == records[1]


def test_any_order_and_skipped_images(tmp_path: Path) -> None:
    rows = random_annotations(4)
    with writer(tmp_path) as shard:
        shard.write(2, rows[2:])
        shard.skip(1)
        shard.write(0, rows[:1])
        record = shard.commit()
    assert record.ids == ("c.jpg", "d.jpg", "a.jpg")
    with h5py.File(tmp_path / record.file, "r") as file:
        assert np.array_equal(file["annotations"][()], rows[[2, 3, 0]])
        assert tuple(file["image_ids"].asstr()[()]) == record.ids


def test_all_images_skipped(tmp_path: Path) -> None:
    with writer(tmp_path, ("a.jpg",)) as shard:
        shard.skip(0)
        assert (shard.commit().rows, (tmp_path / "shard-00007.h5").is_file()) == (0, True)


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (7e4, r"c\.jpg: the feature 70000 is beyond float16's 65504"),
        (-1e9, r"c\.jpg: the feature -1e\+09 is beyond float16's 65504"),
        (np.nan, r"c\.jpg: a feature is nan"),
        (np.inf, r"c\.jpg: a feature is inf"),
    ],
)
@pytest.mark.fault("features float16 cannot hold", "refused, the photo is named; nothing is written", "Store")
def test_values_float16_cannot_hold_name_the_image(tmp_path: Path, value: float, message: str) -> None:
    rows = random_annotations(3).astype(np.float32)
    rows[1, 5, 4] = value
    with writer(tmp_path) as shard, pytest.raises(UserError, match=message):
        shard.write(1, rows)
    assert list(tmp_path.iterdir()) == []


def test_largest_float16_is_kept(tmp_path: Path) -> None:
    rows = np.full((4, 6, 5), 65504, dtype=np.float32)
    with writer(tmp_path) as shard:
        shard.write(0, rows)
        record = shard.commit()
    with h5py.File(tmp_path / record.file, "r") as file:
        assert (file["annotations"][()] == 65504).all()


def test_misuse_is_named(tmp_path: Path) -> None:
    with writer(tmp_path) as shard:
        shard.write(0, random_annotations(2))
        with pytest.raises(ValueError, match=r"shard-00007\.h5 got b\.jpg twice"):
            shard.write(1, random_annotations(2))
        with pytest.raises(ValueError, match=r"got a\.jpg twice"):
            shard.skip(0)
        with pytest.raises(ValueError, match="has 4 images, not 5"):
            shard.write(3, random_annotations(2))
        with pytest.raises(ValueError, match=r"takes annotations \(6, 5\), not \(5, 6\)"):
            shard.write(2, np.zeros((2, 5, 6), np.float16))
        with pytest.raises(ValueError, match=r"still waits for 2 images: c\.jpg, d\.jpg"):
            shard.commit()
        shard.write(2, random_annotations(2))
        shard.commit()
        with pytest.raises(ValueError, match="already committed"):
            shard.write(0, random_annotations(1))
        with pytest.raises(ValueError, match="already committed"):
            shard.commit()


def test_leaving_without_commit_leaves_nothing(tmp_path: Path) -> None:
    with pytest.raises(KeyboardInterrupt), writer(tmp_path) as shard:
        shard.write(0, random_annotations(2))
        raise KeyboardInterrupt
    assert list(tmp_path.iterdir()) == []


FULL_DISK = """
import resource, sys
from pathlib import Path
from tests.test_store_writer import writer
from tests.sample_store import random_annotations
resource.setrlimit(resource.RLIMIT_FSIZE, (2000, 2000))
with writer(Path(sys.argv[1])) as shard:
    shard.write(0, random_annotations(4))
    try:
        shard.commit()
    except OSError as error:
        print(error.strerror)
"""

WRITE_FOR_EVER = """
import dataclasses, itertools, sys
from pathlib import Path
from attend.data.items_file import write_items
from attend.data.manifest import Manifest
from tests.sample_store import FINGERPRINT, GRID, CHANNELS
from attend.data.store_format import shard_attributes
from attend.data.store_writer import ShardWriter
import numpy as np
folder = Path(sys.argv[1])
manifest = Manifest("x", GRID, 50_000, "none", FINGERPRINT, {}, write_items(folder, []))
rows = np.random.default_rng(0).random((4, 6, 50_000)).astype(np.float16)
for index in itertools.count():
    ids = [f"{index}-{row}" for row in range(4)]
    with ShardWriter(folder, index, ids, GRID, 50_000, "none", shard_attributes(FINGERPRINT, GRID)) as shard:
        shard.write(0, rows)
        manifest = dataclasses.replace(manifest, shards=(*manifest.shards, shard.commit()))
    manifest.save(folder)
    print(index, flush=True)
"""


def python(program: str, folder: Path) -> list[str]:
    return [sys.executable, "-c", program, str(folder)]


ENVIRONMENT = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[1])}


@pytest.mark.fault("a limit on the size of files is hit in a shard", "an error; no half shard", "Store")
def test_a_full_disk_is_an_error_and_leaves_nothing(tmp_path: Path) -> None:
    done = subprocess.run(python(FULL_DISK, tmp_path), capture_output=True, text=True, env=ENVIRONMENT, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "File too large\n", "")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.slow
@pytest.mark.fault("kill -9 at random moments of writing", "only whole shards, each vouched for or unused", "Store")
def test_kill_at_any_moment_leaves_only_whole_shards(tmp_path: Path) -> None:
    """kill -9 while shards of 2.4 MB are written one after the other, at ten random moments."""
    moments, hit = random.Random(0), 0
    for attempt in range(10):
        folder = tmp_path / str(attempt)
        process = subprocess.Popen(python(WRITE_FOR_EVER, folder), stdout=subprocess.PIPE, text=True, env=ENVIRONMENT)
        assert process.stdout is not None
        process.stdout.readline()  # the first shard is there
        time.sleep(moments.uniform(0, 0.1))
        process.send_signal(signal.SIGKILL)
        process.wait()
        process.stdout.close()

        hit += len(list(folder.glob(".*.partial")))
        for path in remove_abandoned(folder):
            assert path.name.startswith((".shard-", ".manifest."))
        manifest = Manifest.load(folder)
        vouched = {shard.file for shard in manifest.shards}
        assert len(vouched) >= 1
        for path in folder.glob("*.h5"):  # a shard under its final name is whole, vouched for or not
            with h5py.File(path, "r") as file:
                assert file["annotations"].shape == (4, 6, 50_000)
                assert len(file["image_ids"][()]) == 4
        assert len({path.name for path in folder.glob("*.h5")} - vouched) <= 1
        store = FeatureStore(folder)
        assert np.isfinite(store.read(store.ids)).all()
        assert not [problem for problem in verify(folder) if problem.where in vouched]
    print(f"{hit} of 10 kills fell into the writing of a file")


@pytest.mark.fault("kill -9 in the middle of a shard", "the shard is not there; a new run writes it", "Store")
def test_kill_in_the_middle_of_a_shard(tmp_path: Path) -> None:
    """The killed shard is simply not there, and a new run writes it."""
    program = (
        "import sys, time; from pathlib import Path; from tests.test_store_writer import writer\n"
        "from tests.sample_store import random_annotations\n"
        "shard = writer(Path(sys.argv[1])); shard.write(0, random_annotations(2)); print('half', flush=True)\n"
        "time.sleep(60)"
    )
    process = subprocess.Popen(python(program, tmp_path), stdout=subprocess.PIPE, text=True, env=ENVIRONMENT)
    assert process.stdout is not None
    assert process.stdout.readline() == "half\n"
    process.kill()
    process.wait()
    process.stdout.close()
    assert list(tmp_path.glob("*.h5")) == []
    with writer(tmp_path) as shard:
        shard.write(0, random_annotations(4))
        assert shard.commit().rows == 4
