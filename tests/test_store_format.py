"""The layout of a shard, read back without the project's own reader."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import h5py
import numpy as np
import pytest

from attend.data.store_format import CODECS, DEFAULT_CODEC, codec_arguments, shard_name
from attend.errors import UserError
from tests.sample_store import CHANNELS, FINGERPRINT, GRID, random_annotations, write_sample

PLAIN_READER = """
import sys, h5py
assert "hdf5plugin" not in sys.modules
with h5py.File(sys.argv[1], "r") as file:
    sys.stdout.buffer.write(file["annotations"][()].tobytes())
"""


@pytest.mark.parametrize("codec", CODECS)
def test_arrays_and_attributes(tmp_path: Path, codec: str) -> None:
    sample = write_sample(tmp_path, shards=1, rows=4, codec=codec)
    with h5py.File(tmp_path / "shard-00000.h5", "r") as file:
        assert set(file) == {"annotations", "image_ids"}
        annotations = file["annotations"]
        assert (annotations.dtype, annotations.shape, annotations.chunks) == (np.float16, (4, 6, 5), (1, 6, 5))
        assert np.array_equal(annotations[()], random_annotations(4))
        assert list(file["image_ids"].asstr()[()]) == list(sample.truth)
        assert file["image_ids"].shape == (4,)
        assert annotations.fletcher32 and file["image_ids"].fletcher32 and file.attrs["checksums"] == "fletcher32"
        assert file.attrs["version"] == 1
        assert list(file.attrs["grid"]) == [2, 3]
        assert file.attrs["place_order"] == "row-major"
        assert file.attrs["encoder"] == FINGERPRINT.encoder
        assert file.attrs["weights_sha256"] == FINGERPRINT.weights_sha256
        assert json.loads(file.attrs["preprocessing"]) == FINGERPRINT.preprocessing


@pytest.mark.parametrize("codec", ["none", "gzip", "lzf"])
def test_codecs_that_need_no_plugin(tmp_path: Path, codec: str) -> None:
    write_sample(tmp_path, shards=1, rows=4, codec=codec)
    command = [sys.executable, "-c", PLAIN_READER, str(tmp_path / "shard-00000.h5")]
    content = subprocess.run(command, capture_output=True, check=True).stdout
    assert content == random_annotations(4).tobytes()


def test_names() -> None:
    assert (shard_name(0), shard_name(123)) == ("shard-00000.h5", "shard-00123.h5")
    assert DEFAULT_CODEC in CODECS
    assert (GRID[0] * GRID[1], CHANNELS) == (6, 5)
    with pytest.raises(UserError, match="unknown codec 'zip': one of zstd, blosc2, lzf, gzip, none"):
        codec_arguments("zip")
