"""The manifest: what a store vouches for. A shard that is not in it does not exist."""

from __future__ import annotations

import dataclasses
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from attend.data.atomic import write_atomically
from attend.data.store_format import VERSION
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
    """One finished shard: file name, number of images, size in bytes, sha256 of the file, image ids in row order."""

    file: str
    rows: int
    bytes: int
    sha256: str
    ids: tuple[str, ...]

    def __post_init__(self) -> None:
        if len(self.ids) != self.rows:
            raise ValueError(f"{self.file} has {self.rows} rows and {len(self.ids)} ids")


@dataclass(frozen=True)
class Manifest:
    """A store: annotations are (rows · columns of `grid`, `channels`) an image. `shards` are the finished ones."""

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

    @property
    def places(self) -> int:
        """L, the number of places."""
        return self.grid[0] * self.grid[1]

    @property
    def images(self) -> int:
        """The number of images in finished shards."""
        return sum(shard.rows for shard in self.shards)

    def save(self, folder: Path) -> None:
        """Write `folder`/manifest.json, whole or not at all."""
        fields = {"version": VERSION, **dataclasses.asdict(self)}
        write_atomically(folder / MANIFEST, json.dumps(fields, ensure_ascii=False, indent=1).encode())

    @classmethod
    def load(cls, folder: Path) -> Manifest:
        """Read `folder`/manifest.json. UserError: absent, of another version, or not a manifest."""
        path = folder / MANIFEST
        try:
            fields = json.loads(path.read_text(encoding="utf-8"))
            version = fields.pop("version")
            if version != VERSION:
                raise UserError(f"{path} has version {version}, this program reads {VERSION}: extract the store again")
            shards = tuple(ShardRecord(**{**shard, "ids": tuple(shard["ids"])}) for shard in fields.pop("shards"))
            rows, columns = fields.pop("grid")
            fingerprint = Fingerprint(**fields.pop("fingerprint"))
            return cls(grid=(rows, columns), fingerprint=fingerprint, shards=shards, **fields)
        except FileNotFoundError as error:
            raise UserError(f"{folder} has no {MANIFEST}, so no features: run `make features` first") from error
        except (ValueError, TypeError, KeyError, AttributeError) as error:
            raise UserError(f"{path} is damaged ({error!r}): delete it and run `make features` again") from error
