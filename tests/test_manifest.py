"""The manifest as a file."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path

import pytest

from attend import device
from attend.data.items import Item
from attend.data.manifest import MANIFEST, Fingerprint, Manifest, ShardRecord
from attend.data.manifest_check import FINGERPRINT_FIELDS, MANIFEST_FIELDS, PRECISIONS, SHARD_FIELDS
from attend.data.photo_file import PhotoFile
from attend.errors import UserError

FINGERPRINT = Fingerprint(
    "vgg19", "conv5_4", "imagenet", "ab" * 32, "bfloat16", {"fit": "crop", "size": 224, "mean": [0.5]}
)
PHOTO = PhotoFile(48_213, 1_764_520_000_123_456_789, "12" * 32)
SHARD = ShardRecord("shard-00000.h5", 2, 1234, "cd" * 32, ("ñ.jpg", "b"), (PHOTO.record(), None), {"h5py": "3.16"})
MANIFEST_OF_ONE = Manifest("flickr8k", (14, 14), 512, "zstd", FINGERPRINT, {"h5py": "3.14"}, "ef" * 32, (SHARD,))


def test_round_trip(tmp_path: Path) -> None:
    folder = tmp_path / "with spaces" / "vgg19"
    MANIFEST_OF_ONE.save(folder)
    assert Manifest.load(folder) == MANIFEST_OF_ONE
    assert [path.name for path in folder.iterdir()] == [MANIFEST]


def test_what_it_says_in_plain_json(tmp_path: Path) -> None:
    MANIFEST_OF_ONE.save(tmp_path)
    fields = json.loads((tmp_path / MANIFEST).read_text(encoding="utf-8"))
    assert fields["version"] == 1
    assert fields["grid"] == [14, 14]
    assert fields["fingerprint"]["preprocessing"]["fit"] == "crop"
    assert fields["shards"] == [
        {
            "file": "shard-00000.h5",
            "rows": 2,
            "bytes": 1234,
            "sha256": "cd" * 32,
            "ids": ["ñ.jpg", "b"],
            "photos": [f"48213 1764520000123456789 {'12' * 32}", None],
            "libraries": {"h5py": "3.16"},
        }
    ]


def test_a_manifest_from_before_photos_and_versions_were_recorded(tmp_path: Path) -> None:
    MANIFEST_OF_ONE.save(tmp_path)
    fields = json.loads((tmp_path / MANIFEST).read_text(encoding="utf-8"))
    for name in ("photos", "libraries"):
        del fields["shards"][0][name]
    del fields["weights_file"]
    (tmp_path / MANIFEST).write_text(json.dumps(fields, indent=1), encoding="utf-8")
    (shard,) = Manifest.load(tmp_path).shards
    assert (shard.ids, shard.photos, shard.libraries) == (("ñ.jpg", "b"), (), {})


def test_images_that_are_no_longer_in_the_dataset() -> None:
    items = [Item(image_id, Path("/p"), "train", ()) for image_id in ("new", "b")]
    assert MANIFEST_OF_ONE.surplus(items) == ["ñ.jpg"]


@pytest.mark.parametrize("place", ["", "fingerprint", "shards"])
@pytest.mark.fault("a store made by a newer version", "refused by name: update", "Store")
def test_what_a_newer_program_says_is_refused_by_name(tmp_path: Path, place: str) -> None:
    MANIFEST_OF_ONE.save(tmp_path)
    fields = json.loads((tmp_path / MANIFEST).read_text(encoding="utf-8"))
    inside = {"": fields, "fingerprint": fields["fingerprint"], "shards": fields["shards"][0]}[place]
    inside["arrays"] = [{"name": "global", "shape": [2048], "dtype": "float16"}]
    (tmp_path / MANIFEST).write_text(json.dumps(fields), encoding="utf-8")
    message = r"manifest\.json says arrays, which this program does not know: a newer one made the store; update"
    with pytest.raises(UserError, match=message):
        Manifest.load(tmp_path)


def test_counts() -> None:
    assert (MANIFEST_OF_ONE.places, MANIFEST_OF_ONE.images) == (196, 2)


def test_absent_says_what_to_run(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"has no manifest\.json.*run `make features`"):
        Manifest.load(tmp_path / "nowhere")


@pytest.mark.parametrize(
    "content",
    ["", "{", "[]", "{}", '{"version": 1}', '{"version": 1, "shards": 3}'],
)
@pytest.mark.fault("a manifest that is cut off or no manifest", "refused, the file is named", "Store")
def test_damage_is_named(tmp_path: Path, content: str) -> None:
    (tmp_path / MANIFEST).write_text(content)
    with pytest.raises(UserError, match=r"manifest\.json is damaged"):
        Manifest.load(tmp_path)


@pytest.mark.parametrize(
    ("field", "value", "message"),
    [
        ("version", 2, "has version 2, this program reads 1"),
        ("grid", [14], "is damaged"),
        ("shards", [{"file": "x", "rows": 3, "bytes": 1, "sha256": "", "ids": ["a"]}], "x has 3 rows and 1 ids"),
        ("shards", [{**vars(SHARD), "photos": [None]}], r"has 2 rows and 1 photos"),
    ],
)
@pytest.mark.fault("a manifest that does not add up", "what does not add up is named", "Store")
def test_edited_by_hand(tmp_path: Path, field: str, value: object, message: str) -> None:
    MANIFEST_OF_ONE.save(tmp_path)
    path = tmp_path / MANIFEST
    path.write_text(json.dumps({**json.loads(path.read_text(encoding="utf-8")), field: value}))
    with pytest.raises(UserError, match=message):
        Manifest.load(tmp_path)


@pytest.mark.parametrize(
    ("place", "field", "value", "message"),
    [
        ("", "grid", ["7", "7"], "grid is ['7', '7'], not two whole numbers from 1 on"),
        ("", "shard_rows", 0, "shard_rows is 0, not a whole number from 1 on"),
        ("", "shard_rows", "16", "shard_rows is '16', not a whole number from 1 on"),
        ("", "channels", "1280", "channels is '1280', not a whole number from 1 on"),
        ("", "codec", "foo", "codec is 'foo', not one of zstd, blosc2, lzf, gzip, none"),
        ("", "libraries", "x", "libraries is 'x', not an object of texts"),
        ("", "weights_file", 5, "weights_file is 5, not a text"),
        ("fingerprint", "preprocessing", "x", "fingerprint: preprocessing is 'x', not an object"),
        ("fingerprint", "precision", "float99", "fingerprint: precision is 'float99', not one of float32, bfloat16"),
        ("shards", "file", 7, "shards[0]: file is 7, not a file's name"),
        ("shards", "file", "../x.h5", "shards[0]: file is '../x.h5', not a file's name"),
        ("shards", "ids", "ab", "shards[0]: ids is 'ab', not a list of texts"),
    ],
)
@pytest.mark.fault("a field of the manifest of the wrong type or value", "file and field are named", "Store")
def test_a_field_of_the_wrong_type_or_value(
    tmp_path: Path, place: str, field: str, value: object, message: str
) -> None:
    MANIFEST_OF_ONE.save(tmp_path)
    fields = json.loads((tmp_path / MANIFEST).read_text(encoding="utf-8"))
    inside = {"": fields, "fingerprint": fields["fingerprint"], "shards": fields["shards"][0]}[place]
    inside[field] = value
    (tmp_path / MANIFEST).write_text(json.dumps(fields))
    with pytest.raises(UserError) as caught:
        Manifest.load(tmp_path)
    assert str(caught.value) == (
        f"{tmp_path / MANIFEST} is damaged ({message}): delete it and run `make features` again"
    )


@pytest.mark.fault("a shard listed twice in the manifest", "refused, with the entry to delete", "Store")
def test_a_shard_that_is_listed_twice(tmp_path: Path) -> None:
    dataclasses.replace(MANIFEST_OF_ONE, shards=(SHARD, SHARD)).save(tmp_path)
    with pytest.raises(
        UserError, match=r"manifest\.json lists shard-00000\.h5 twice: delete one of the two entries there$"
    ):
        Manifest.load(tmp_path)


def test_every_field_is_checked_and_every_precision_known() -> None:
    kinds = {Manifest: MANIFEST_FIELDS, Fingerprint: FINGERPRINT_FIELDS, ShardRecord: SHARD_FIELDS}
    for kind, checks in kinds.items():
        assert {field.name for field in dataclasses.fields(kind)} - {"shards", "fingerprint"} == set(checks)
    assert set(PRECISIONS) == set(device.PRECISIONS)
