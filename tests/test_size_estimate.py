"""The estimate of the size, against what the store takes in the end."""

from __future__ import annotations

import pytest

from attend.data.manifest import Manifest
from attend.data.store_format import shard_attributes
from attend.extract.encoders import build_encoder
from attend.extract.extraction import extract
from attend.extract.images import Preprocessing
from attend.extract.options import Options
from attend.extract.run_shard import run_shards
from attend.extract.shard_job import Job
from attend.extract.size_estimate import estimate_bytes, megabytes
from tests.tiny_encoder import CPU, drawn_items, tiny_encoder

WHOLE = Preprocessing("whole", 32, 36)


def test_the_sample_goes_through_the_codec_and_finished_shards_need_none(tmp_path, monkeypatch):
    items = drawn_items(tmp_path / "photos", 20)
    encoder = tiny_encoder(monkeypatch)
    extract(items, encoder, WHOLE, tmp_path / "store", "own", Options(codec="gzip"), lambda _: None)
    (shard,) = Manifest.load(tmp_path / "store").shards
    manifest = Manifest.load(tmp_path / "store")
    job = Job(tmp_path, WHOLE, "gzip", shard_attributes(manifest.fingerprint, manifest.grid), 50, 2)
    assert estimate_bytes(items, [shard], encoder, job, run_shards) == shard.bytes
    assert estimate_bytes(items[:10], [shard], encoder, job, run_shards) == round(shard.bytes / 2)
    assert estimate_bytes(items, [], encoder, job, run_shards) == pytest.approx(shard.bytes, rel=0.1)


def test_photos_that_cannot_be_read_are_left_out_of_the_sample(tmp_path, monkeypatch):
    items = drawn_items(tmp_path / "photos", 3)
    encoder = tiny_encoder(monkeypatch)
    job = Job(tmp_path, WHOLE, "none", {}, 50, 2, "stop")
    for item in items[:2]:
        item.path.write_bytes(b"")
    assert estimate_bytes(items, [], encoder, job, run_shards) > 0
    items[2].path.write_bytes(b"")
    assert estimate_bytes(items, [], encoder, job, run_shards) == 3 * 4 * 4 * 2


def test_megabytes():
    assert megabytes(1_234_567) == "1.2 MB"


@pytest.mark.shared
@pytest.mark.slow
@pytest.mark.parametrize("count", [30, 200])
@pytest.mark.fault("how large will the store be", "said before the work, within 5 %", "Store")
def test_within_five_percent_on_real_photos(shared, tmp_path, count):
    from attend.data.karpathy import read_karpathy

    folder = shared / "data/flickr8k"
    items = read_karpathy(folder / "dataset_flickr8k.json", folder / "images")[:count]
    encoder = build_encoder("efficientnet_lite0", "imagenet", CPU, "float32")
    said: list[str] = []
    extract(items, encoder, Preprocessing("whole"), tmp_path, "flickr8k", Options(), said.append)
    taken = sum(shard.bytes for shard in Manifest.load(tmp_path).shards)
    job = Job(tmp_path, Preprocessing("whole"), "zstd", {}, 50, 2)
    assert estimate_bytes(items, [], encoder, job, run_shards) == pytest.approx(taken, rel=0.05)
    assert f"{count} of {count} photos to do, about " in said[0]
