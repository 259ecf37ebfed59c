"""An extraction small enough for a test: nine photos, shards of four, and an encoder that counts."""

from __future__ import annotations

from pathlib import Path

import pytest

from attend.data.store_reader import FeatureStore
from attend.extract import extraction
from attend.extract.extraction import Summary, extract
from attend.extract.images import Preprocessing
from attend.extract.options import Options
from tests.tiny_encoder import drawn_items, tiny_encoder

WHOLE = Preprocessing("whole", 32, 36)


class Bench:
    """A folder of nine photos, an encoder that counts what it is given, and a store with shards of four. The size is
    not estimated: that would encode photos too."""

    def __init__(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.items = drawn_items(tmp_path / "photos", 9)
        self.folder = tmp_path / "store"
        self.encoder = tiny_encoder(monkeypatch)
        self.encoded = 0
        self.said: list[str] = []
        encode = self.encoder.encode

        def counting(pixels):
            self.encoded += len(pixels)
            return encode(pixels)

        monkeypatch.setattr(self.encoder, "encode", counting)
        monkeypatch.setattr(extraction, "estimate_bytes", lambda items, *_: 100 * len(items))

    def run(self, preprocessing: Preprocessing = WHOLE, dataset: str = "own", **options) -> Summary:
        """Extract; what was said is in `said`, the number of encoded photos in `encoded`."""
        self.encoded, self.said = 0, []
        settings = Options(**{"shard_rows": 4} | options)
        return extract(self.items, self.encoder, preprocessing, self.folder, dataset, settings, self.said.append)

    def content(self) -> dict[str, bytes]:
        """Image id → its features, as they are in the store."""
        store = FeatureStore(self.folder)
        return {image_id: store.read([image_id]).tobytes() for image_id in store.ids}
