"""The manifest: what a store vouches for. A shard that is not in it does not exist."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from attend.data.atomic import write_atomically
from attend.data.items import Item
from attend.data.manifest_check import (
    CURE,
    FINGERPRINT_FIELDS,
    MANIFEST_FIELDS,
    SHARD_FIELDS,
    check_fields,
    check_files,
)
from attend.data.store_format import SHARD_ROWS, VERSION
from attend.errors import UserError

MANIFEST = "manifest.json"


@dataclass(frozen=True)
class Fingerprint:
    """What made the annotations: two stores with equal fingerprints hold the same numbers for the same photo.

    `weights` is what was asked for (a name, file name or seed), `weights_sha256` the hash of what was loaded,
    `preprocessing` every setting between the file and the encoder's input, as plain JSON values.
    """

    encoder: str
    layer: str
    weights: str
    weights_sha256: str
    precision: str
    preprocessing: dict[str, Any]


@dataclass(frozen=True)
class ShardRecord:
    """One finished shard: file name, number of images, size in bytes, sha256 of the file, image ids in row order.

    `photos` are, in the same order, records (`PhotoFile.record`) of the files the features were made of, None where
    that is not known; empty in stores made before they were kept. `libraries` are the versions it was written with,
    where they are not those of the manifest.
    """

    file: str
    rows: int
    bytes: int
    sha256: str
    ids: tuple[str, ...]
    photos: tuple[str | None, ...] = ()
    libraries: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if len(self.ids) != self.rows:
            raise ValueError(f"{self.file} has {self.rows} rows and {len(self.ids)} ids")
        if len(self.photos) not in (0, self.rows):
            raise ValueError(f"{self.file} has {self.rows} rows and {len(self.photos)} photos")


@dataclass(frozen=True)
class Manifest:
    """A store: annotations are (rows · columns of `grid`, `channels`) an image. `shards` are the finished ones,
    `libraries` the versions that it was begun with."""

    dataset: str
    grid: tuple[int, int]
    channels: int
    codec: str
    fingerprint: Fingerprint
    libraries: dict[str, str]
    items_sha256: str
    shards: tuple[ShardRecord, ...] = ()
    weights_file: str = ""
    """Absolute path of the encoder's weights at extraction: a hint for encoding more photos. "": none was given."""
    shard_rows: int = SHARD_ROWS
    """Photos a shard was planned for."""

    @property
    def places(self) -> int:
        """L, the number of places."""
        return self.grid[0] * self.grid[1]

    @property
    def images(self) -> int:
        """The number of images in finished shards."""
        return sum(shard.rows for shard in self.shards)

    def surplus(self, items: Iterable[Item]) -> list[str]:
        """The ids of images that are none of `items`, in store order: left from a larger dataset, of no harm."""
        wanted = {item.image_id for item in items}
        return [image_id for shard in self.shards for image_id in shard.ids if image_id not in wanted]

    def repeated(self) -> dict[str, list[str]]:
        """The ids of images that are in the store more than once, each with the files that hold it."""
        files: dict[str, list[str]] = {}
        for shard in self.shards:
            for image_id in shard.ids:
                files.setdefault(image_id, []).append(shard.file)
        return {image_id: holders for image_id, holders in files.items() if len(holders) > 1}

    def save(self, folder: Path) -> None:
        """Write `folder`/manifest.json, whole or not at all: a field a line, then a shard a line."""
        fields = {"version": VERSION, **vars(self), "fingerprint": vars(self.fingerprint)}
        lines = [f'  "{name}": {_json(value)}' for name, value in fields.items() if name != "shards"]
        shards = ",\n    ".join(_json(vars(shard)) for shard in self.shards)
        text = ",\n".join([*lines, f'  "shards": [\n    {shards}\n  ]'])
        write_atomically(folder / MANIFEST, f"{{\n{text}\n}}\n".encode())

    @classmethod
    def load(cls, folder: Path) -> Manifest:
        """Read `folder`/manifest.json. UserError: absent, of another version or a newer program, not a manifest, or
        with a field that is not what it is for."""
        path = folder / MANIFEST
        try:
            fields = json.loads(path.read_text(encoding="utf-8"))
            version = fields.pop("version")
            if version != VERSION:
                raise UserError(f"{path} has version {version}, this program reads {VERSION}: extract the store again")
            records, made = fields.pop("shards"), fields.pop("fingerprint")
            unknown = {*_unknown(cls, fields), *_unknown(Fingerprint, made)}
            unknown.update(*(_unknown(ShardRecord, record) for record in records))
            if unknown:
                names = ", ".join(sorted(unknown))
                cure = "a newer one made the store; update show-attend-tell"
                raise UserError(f"{path} says {names}, which this program does not know: {cure}")
            check_fields(path, "", fields, MANIFEST_FIELDS)
            check_fields(path, "fingerprint: ", made, FINGERPRINT_FIELDS)
            for number, record in enumerate(records):
                check_fields(path, f"shards[{number}]: ", record, SHARD_FIELDS)
            check_files(path, [record["file"] for record in records])
            rows, columns = fields.pop("grid")
            shards = tuple(_shard(record) for record in records)
            return cls(grid=(rows, columns), fingerprint=Fingerprint(**made), shards=shards, **fields)
        except FileNotFoundError as error:
            raise UserError(f"{folder} has no {MANIFEST}, so no features: run `make features` first") from error
        except (ValueError, TypeError, KeyError, AttributeError) as error:
            raise UserError(f"{path} is damaged ({error!r}): {CURE}") from error


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def _unknown(kind: type, fields: dict[str, Any]) -> set[str]:
    """The names among `fields` that the dataclass `kind` does not have."""
    return fields.keys() - {known.name for known in dataclasses.fields(kind)}


def _shard(record: dict[str, Any]) -> ShardRecord:
    fields = {**record, "ids": tuple(record["ids"]), "photos": tuple(record.get("photos", ()))}
    return ShardRecord(**fields)
