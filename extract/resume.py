"""What of an existing store still stands."""

from __future__ import annotations

import dataclasses
import hashlib
from collections.abc import Sequence
from pathlib import Path

from attend.data.items import Item
from attend.data.items_file import ITEMS, items_content, write_items
from attend.data.manifest import MANIFEST, Fingerprint, Manifest, ShardRecord
from attend.data.shard_check import header_faults
from attend.errors import UserError
from attend.extract.encoders import architecture_of
from attend.extract.options import Options

REBUILD = "give another OUT, or --rebuild to extract everything again"


def existing_manifest(folder: Path) -> Manifest | None:
    """The store in `folder`, if there is one. UserError: there is one that cannot be read."""
    return Manifest.load(folder) if (folder / MANIFEST).is_file() else None


def check_same(folder: Path, existing: Manifest, dataset: str, options: Options, wanted: Fingerprint) -> None:
    """UserError unless the store in `folder` holds just what is wanted; names all that differs.

    The same weights under another name are the same weights.
    """
    made = architecture_of(wanted.encoder)
    differences = [
        f"{name} {_short(old)}, not {_short(new)}"
        for name, old, new in [
            ("dataset", existing.dataset, dataset),
            ("codec", existing.codec, options.codec or existing.codec),
            ("shard_rows", existing.shard_rows, options.shard_rows or existing.shard_rows),
            ("grid", existing.grid, made.grid),
            ("channels", existing.channels, made.channels),
            *_pairs(existing.fingerprint, wanted),
        ]
        if old != new
    ]
    if differences:
        raise UserError(f"the store in {folder} was made with {'; '.join(differences)}: {REBUILD}")


def standing_shards(folder: Path, existing: Manifest) -> tuple[list[ShardRecord], list[str]]:
    """The finished shards that are still there, of the size and with the head that the manifest says, and a line for
    each that is not."""
    standing, lost = [], []
    for shard in existing.shards:
        path = folder / shard.file
        state = _fault(path, shard, existing)
        if state is None:
            standing.append(shard)
        else:
            lost.append(f"{path} {state}: its {shard.rows} photos are extracted again")
    return standing, lost


def refuse_repeated(folder: Path, standing: Manifest) -> None:
    """UserError: an image is in the `standing` shards of the store twice, so nobody can tell which features count."""
    for image_id, files in standing.repeated().items():
        cure = f"delete {folder / files[-1]} and run `make features` again"
        raise UserError(f"{image_id} is in the store twice, in {files[0]} and {files[-1]}: {cure}")


def _fault(path: Path, shard: ShardRecord, existing: Manifest) -> str | None:
    """What is wrong with a shard as far as its size and its head tell; `verify` reads it all."""
    if not path.is_file():
        return "is gone"
    size = path.stat().st_size
    if size != shard.bytes:
        return f"has {size} bytes instead of {shard.bytes}"
    return next(iter(header_faults(path, shard, existing)), None)


def refresh_items(folder: Path, items: Sequence[Item]) -> str:
    """Make the items file say `items`, leaving it alone if it does; returns its sha256."""
    content, path = items_content(items), folder / ITEMS
    if path.is_file() and path.read_bytes() == content:
        return hashlib.sha256(content).hexdigest()
    return write_items(folder, items)


def remove_store(folder: Path) -> None:
    """Delete a store: first what vouches for it, then its shards."""
    (folder / MANIFEST).unlink(missing_ok=True)
    for shard in folder.glob("shard-*.h5"):
        shard.unlink()


def _pairs(old: Fingerprint, new: Fingerprint) -> list[tuple[str, object, object]]:
    before, after = dataclasses.asdict(old), dataclasses.asdict(new)
    pixels_before, pixels_after = before.pop("preprocessing"), after.pop("preprocessing")
    names = [name for name in before if name != "weights"]
    pairs = [(name, before[name], after[name]) for name in names]
    return pairs + [
        (f"preprocessing {name}", pixels_before.get(name), pixels_after.get(name))
        for name in sorted({*pixels_before, *pixels_after})
    ]


def _short(value: object) -> str:
    text = str(value)
    return f"{text[:8]}…" if len(text) == 64 else text
