"""verify finds every kind of damage, by name, and nothing in a good store."""

from __future__ import annotations

import dataclasses
import shutil
from pathlib import Path

import h5py
import numpy as np
import pytest

from attend.data.items import Problem
from attend.data.items_file import write_items
from attend.data.manifest import Manifest
from attend.data.problems_file import read_problems, write_problems
from attend.data.verify import surplus, verify
from attend.errors import UserError
from tests.sample_store import Sample, write_sample


@pytest.fixture
def sample(tmp_path: Path) -> Sample:
    return write_sample(tmp_path, codec="none")


def change(folder: Path, **fields: object) -> None:
    dataclasses.replace(Manifest.load(folder), **fields).save(folder)


def vouch(folder: Path, index: int) -> None:
    """Make the manifest agree with the shard's size and hash, so that only its content is wrong."""
    import hashlib

    manifest = Manifest.load(folder)
    shards = list(manifest.shards)
    content = (folder / shards[index].file).read_bytes()
    shards[index] = dataclasses.replace(shards[index], bytes=len(content), sha256=hashlib.sha256(content).hexdigest())
    change(folder, shards=tuple(shards))


def only(problems: list[Problem]) -> tuple[str, str]:
    (problem,) = problems
    return problem.where, problem.what


def test_a_good_store(sample: Sample) -> None:
    assert verify(sample.folder) == []


@pytest.mark.fault("one bit of one shard flipped", "verify names the shard, exit 1", "Store")
def test_one_bit_of_one_shard(sample: Sample) -> None:
    path = sample.folder / "shard-00001.h5"
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)
    where, what = only(verify(sample.folder))
    assert (where, "another sha256" in what) == ("shard-00001.h5", True)


def test_truncated_missing_and_swapped_shards(sample: Sample) -> None:
    one, two, three = (sample.folder / f"shard-0000{index}.h5" for index in range(3))
    content = one.read_bytes()
    one.write_bytes(two.read_bytes())
    two.write_bytes(content)
    three.write_bytes(content[:-5])
    problems = verify(sample.folder)
    assert [problem.where for problem in problems] == [one.name, two.name, three.name]
    assert ["another sha256" in problem.what for problem in problems] == [True, True, False]
    assert f"has {len(content) - 5} bytes, the manifest says {len(content)}" in problems[2].what
    three.unlink()
    assert "not there" in verify(sample.folder)[2].what


@pytest.mark.fault("NaN or infinity in a store", "verify names shard and photo", "Store")
def test_values_that_are_not_numbers_name_the_image(sample: Sample) -> None:
    path = sample.folder / "shard-00002.h5"
    with h5py.File(path, "r+") as file:
        file["annotations"][1, 0, 0] = np.nan
        file["annotations"][3, 5, 4] = np.inf
    vouch(sample.folder, 2)
    problems = verify(sample.folder)
    names = list(sample.truth)[8:]
    assert [problem.where for problem in problems] == [path.name, path.name]
    assert all(f"NaN or infinity for {name}:" in p.what for p, name in zip(problems, (names[1], names[3]), strict=True))


def test_other_ids_shapes_and_weights(sample: Sample) -> None:
    with h5py.File(sample.folder / "shard-00000.h5", "r+") as file:
        file["image_ids"][0] = "stranger.jpg"
    with h5py.File(sample.folder / "shard-00001.h5", "r+") as file:
        del file["annotations"]
        file["annotations"] = np.zeros((4, 6, 5), np.float32)
    with h5py.File(sample.folder / "shard-00002.h5", "r+") as file:
        file.attrs["weights_sha256"] = "f" * 64
    for index in range(3):
        vouch(sample.folder, index)
    problems = verify(sample.folder)
    assert [problem.where for problem in problems] == [f"shard-0000{index}.h5" for index in range(3)]
    assert "holds other images" in problems[0].what
    assert "holds (4, 6, 5) float32, not (4, 6, 5) float16" in problems[1].what
    assert f"another weights_sha256 ({'f' * 64}, not {'0' * 64})" in problems[2].what


def test_a_file_that_is_no_hdf5(sample: Sample) -> None:
    (sample.folder / "shard-00000.h5").write_bytes(b"hello")
    vouch(sample.folder, 0)
    where, what = only(verify(sample.folder))
    assert where == "shard-00000.h5" and "cannot be read" in what


def test_images_without_annotations_are_a_problem_and_those_without_items_are_not(sample: Sample) -> None:
    stranger = dataclasses.replace(sample.items[0], image_id="new.jpg")
    change(sample.folder, items_sha256=write_items(sample.folder, [*sample.items[1:], stranger]))
    assert verify(sample.folder) == [Problem("new.jpg", "has no annotations: run `make features` again")]
    assert surplus(sample.folder) == [sample.items[0].image_id]


@pytest.mark.parametrize("content", [b"{", b"[1]\n", b'{"what": "no place"}\n'])
def test_a_list_of_problems_that_cannot_be_read_is_one(sample: Sample, content: bytes) -> None:
    (sample.folder / "problems.jsonl").write_bytes(content)
    where, what = only(verify(sample.folder))
    assert where == "problems.jsonl" and "cannot be read" in what and "run `make features` again" in what


def test_a_path_that_is_not_utf8_comes_back_from_the_list_of_problems(tmp_path) -> None:
    problems = [Problem("photos/\udcff.jpg", "a line\u2028separator"), Problem("b", "c")]
    write_problems(tmp_path, problems)
    assert read_problems(tmp_path) == problems


@pytest.mark.fault("a photo that is in two shards", "verify names the photo", "Store")
def test_an_image_twice(sample: Sample) -> None:
    shards = Manifest.load(sample.folder).shards
    shutil.copyfile(sample.folder / "shard-00000.h5", sample.folder / "shard-00003.h5")
    change(sample.folder, shards=(*shards, dataclasses.replace(shards[0], file="shard-00003.h5")))
    problems = verify(sample.folder)
    assert [problem.where for problem in problems] == list(shards[0].ids)
    assert problems[0].what == (
        "is in the store 2 times, in shard-00000.h5 and shard-00003.h5: "
        "delete shard-00003.h5 and run `make features` again"
    )


@pytest.mark.fault("files in a store that the manifest does not know", "verify names them", "Store")
def test_files_nobody_vouches_for(sample: Sample) -> None:
    change(sample.folder, shards=Manifest.load(sample.folder).shards[:2])
    (sample.folder / ".shard-00003.h5.host.1.abc.partial").touch()
    wheres = [problem.where for problem in verify(sample.folder)]
    assert wheres[-2:] == [".shard-00003.h5.host.1.abc.partial", "shard-00002.h5"]


def test_changed_items_and_no_manifest(sample: Sample) -> None:
    write_items(sample.folder, sample.items[:3])
    where, what = only(verify(sample.folder))
    assert where == "items.jsonl" and "is not the file the manifest vouches for" in what
    (sample.folder / "manifest.json").unlink()
    with pytest.raises(UserError, match=r"has no manifest\.json"):
        verify(sample.folder)
