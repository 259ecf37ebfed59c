"""A store that was damaged or edited, or that two want to write: noticed, named, and mended or refused."""

from __future__ import annotations

import json
import os

import pytest

from attend.data.manifest import MANIFEST, Manifest
from attend.data.verify import verify
from attend.errors import UserError
from attend.extract.store_lock import LOCK
from tests.tiny_extraction import Bench


@pytest.fixture
def bench(tmp_path, monkeypatch) -> Bench:
    return Bench(tmp_path, monkeypatch)


@pytest.mark.fault("a shard that is lost or cut off", "named and done again, alone", "Store")
def test_a_lost_and_a_cut_shard_are_named_and_done_again(bench):
    bench.run()
    before = bench.content()
    (bench.folder / "shard-00000.h5").unlink()
    cut = bench.folder / "shard-00002.h5"
    size = cut.stat().st_size
    cut.write_bytes(cut.read_bytes()[:100])
    bench.run()
    assert bench.encoded == 5
    assert bench.said[:2] == [
        f"{bench.folder / 'shard-00000.h5'} is gone: its 4 photos are extracted again",
        f"{cut} has 100 bytes instead of {size}: its 1 photos are extracted again",
    ]
    assert bench.content() == before and verify(bench.folder) == []


@pytest.mark.fault("two shards swapped", "named and done again", "Store")
def test_swapped_shards_of_one_size_are_named_and_done_again(bench):
    bench.run(codec="none")
    before = bench.content()
    one, two = bench.folder / "shard-00000.h5", bench.folder / "shard-00001.h5"
    assert one.stat().st_size == two.stat().st_size
    one.rename(bench.folder / "aside")
    two.rename(one)
    (bench.folder / "aside").rename(two)
    bench.run()
    other = "holds other images than the manifest says: its 4 photos are extracted again"
    assert bench.said[:2] == [f"{one} {other}", f"{two} {other}"] and bench.encoded == 8
    assert bench.content() == before and verify(bench.folder) == []


@pytest.mark.fault("a shard overwritten with something else", "named and done again", "Store")
def test_a_shard_that_is_overwritten_with_anything_is_done_again(bench):
    bench.run()
    before = bench.content()
    shard = bench.folder / "shard-00001.h5"
    shard.write_bytes(bytes(shard.stat().st_size))
    bench.run()
    assert bench.said[0].startswith(f"{shard} cannot be read (") and bench.encoded == 4
    assert bench.content() == before and verify(bench.folder) == []


def edit(bench: Bench, **fields) -> None:
    """The manifest, by hand."""
    text = (bench.folder / MANIFEST).read_text()
    (bench.folder / MANIFEST).write_text(json.dumps(json.loads(text) | fields))


@pytest.mark.fault("a manifest edited in grid, rows or shards", "refused, or mended by extracting again", "Store")
def test_a_manifest_edited_by_hand_is_refused_or_mended(bench):
    bench.run()
    before, good = bench.content(), json.loads((bench.folder / MANIFEST).read_text())
    edit(bench, grid=[1, 4])
    with pytest.raises(UserError, match=r"was made with grid \(1, 4\), not \(2, 2\): give another OUT, or --rebuild"):
        bench.run()
    edit(bench, grid=[2, 2], channels=8)
    with pytest.raises(UserError, match="was made with channels 8, not 4"):
        bench.run()
    edit(bench, channels=4, fingerprint=good["fingerprint"] | {"precision": "bfloat16"})
    with pytest.raises(UserError, match="was made with precision bfloat16, not float32"):
        bench.run()
    first, second, third = good["shards"]
    edit(bench, fingerprint=good["fingerprint"], shards=[first | {"rows": 3}, second, third])
    with pytest.raises(UserError, match=r"manifest.json is damaged .*has 3 rows and 4 ids.*: delete it and run"):
        bench.run()
    edit(bench, shards=[first | {"ids": ["9.png", *first["ids"][1:]]}, second, third], items_sha256="0" * 64)
    bench.run()
    assert bench.encoded == 4 and "shard-00000.h5 holds other images than the manifest says" in bench.said[0]
    edit(bench, shards=[first, third])
    bench.run()
    assert bench.encoded == 4 and bench.content() == before and verify(bench.folder) == []


@pytest.mark.fault("a photo that is in two shards, extracted again", "refused, with the shard to delete", "Store")
def test_a_photo_in_two_shards_is_refused_until_one_is_deleted(bench):
    bench.run()
    before, good = bench.content(), json.loads((bench.folder / MANIFEST).read_text())
    first, twin = bench.folder / "shard-00000.h5", bench.folder / "shard-00003.h5"
    twin.write_bytes(first.read_bytes())
    edit(bench, shards=[*good["shards"], good["shards"][0] | {"file": twin.name}])
    cure = f"delete {twin} and run `make features` again"
    with pytest.raises(UserError) as caught:
        bench.run()
    assert str(caught.value) == f"0.png is in the store twice, in {first.name} and {twin.name}: {cure}"
    with pytest.raises(
        UserError, match=r"has 0\.png twice, in shard-00000\.h5 and shard-00003\.h5: `make verify` says"
    ):
        bench.content()
    twin.unlink()
    assert bench.run().stored == 9 and bench.content() == before and verify(bench.folder) == []


def test_the_store_keeps_its_rows_a_shard(bench):
    bench.items, late = bench.items[:6], bench.items[6:]
    bench.run(shard_rows=3)
    assert Manifest.load(bench.folder).shard_rows == 3
    with pytest.raises(UserError, match="was made with shard_rows 3, not 4: give another OUT"):
        bench.run(shard_rows=4)
    bench.items += late
    bench.run(shard_rows=None)
    assert [shard.rows for shard in Manifest.load(bench.folder).shards] == [3, 3, 3]


@pytest.mark.fault("two extractions of one store at a time", "the second is refused; the store is whole", "Store")
def test_two_extractions_of_one_store_do_not_mix(bench, monkeypatch):
    encode, refusals = bench.encoder.encode, []

    def meanwhile(pixels):
        if not refusals:
            refusals.append("")
            with pytest.raises(UserError) as caught:
                bench.run()
            refusals[0] = str(caught.value)
        return encode(pixels)

    monkeypatch.setattr(bench.encoder, "encode", meanwhile)
    bench.run()
    assert refusals[0].startswith(f"{bench.folder / LOCK}: process {os.getpid()} of ") and verify(bench.folder) == []
