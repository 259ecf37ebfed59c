"""`items.jsonl`: the items of a store, one a line, so that training needs neither the raw data nor its readers."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from attend.data.atomic import write_atomically
from attend.data.items import Item, Region
from attend.errors import UserError

ITEMS = "items.jsonl"


def items_content(items: Iterable[Item]) -> bytes:
    """The file's bytes. Photo paths are absolute and only needed again to draw a photo, so a store may be moved."""
    lines = (json.dumps(_to_json(item), ensure_ascii=False) + "\n" for item in items)
    return "".join(lines).encode("utf-8", errors="surrogateescape")


def items_identity(items: Iterable[Item]) -> str:
    """sha256 over ids, splits, captions and regions in the items' order: equal for the same dataset wherever its photos
    lie."""
    digest = hashlib.sha256()
    for item in items:
        fields = _to_json(item)
        del fields["path"]
        digest.update(json.dumps(fields).encode() + b"\n")
    return digest.hexdigest()


def write_items(folder: Path, items: Iterable[Item]) -> str:
    """Write the items; returns the sha256 of the file, for the manifest."""
    content = items_content(items)
    write_atomically(folder / ITEMS, content)
    return hashlib.sha256(content).hexdigest()


def read_items(folder: Path, sha256: str | None = None) -> list[Item]:
    """Read what `write_items` wrote. UserError: absent, damaged, or not the file with the hash `sha256`."""
    path = folder / ITEMS
    try:
        content = path.read_bytes()
    except FileNotFoundError as error:
        raise UserError(f"{path} is not there: run `make features` again, finished shards are kept") from error
    if sha256 is not None and hashlib.sha256(content).hexdigest() != sha256:
        raise UserError(f"{path} is not the file the manifest vouches for: run `make features` again")
    try:
        lines = content.decode("utf-8", errors="surrogateescape").split("\n")
        return [_from_json(json.loads(line)) for line in lines if line]
    except (ValueError, TypeError, KeyError) as error:
        raise UserError(f"{path} is damaged ({error!r}): run `make features` again") from error


def _to_json(item: Item) -> dict[str, Any]:
    return {
        "image_id": item.image_id,
        "path": str(item.path.absolute()),
        "split": item.split,
        "captions": item.captions,
        "regions": [{"name": region.name, "box": region.box} for region in item.regions],
    }


def _from_json(fields: dict[str, Any]) -> Item:
    regions = tuple(Region(region["name"], tuple(region["box"])) for region in fields["regions"])
    return Item(fields["image_id"], Path(fields["path"]), fields["split"], tuple(fields["captions"]), regions)
