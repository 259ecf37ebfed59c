"""`auto`: as the store there has it; else whole when every photo has the input size already, else the paper's crop."""

from __future__ import annotations

import dataclasses

from attend.data.manifest import Manifest
from attend.extract.encoders import fingerprint
from attend.extract.fit import choose_preprocessing
from attend.extract.images import Preprocessing
from tests.tiny_encoder import drawn_items, tiny_encoder


def test_the_rule(tmp_path, monkeypatch):
    encoder = tiny_encoder(monkeypatch)
    squeezed = [item.path for item in drawn_items(tmp_path / "squeezed", 3)]
    mixed = [*squeezed, drawn_items(tmp_path / "mixed", 1, (32, 33))[0].path]
    damaged = tmp_path / "damaged.jpg"
    damaged.write_bytes(b"no photo")
    assert choose_preprocessing("auto", "tiny", [*squeezed, damaged], None) == Preprocessing("whole", 32, 36)
    assert choose_preprocessing("auto", "tiny", mixed, None) == Preprocessing("crop", 32, 36)
    assert choose_preprocessing("auto", "tiny", [damaged], None).fit == "crop"
    assert choose_preprocessing("crop", "tiny", squeezed, None).fit == "crop"
    made = fingerprint(encoder, Preprocessing("crop", 32, 36))
    existing = Manifest("own", (2, 2), 4, "none", made, {}, "")
    assert choose_preprocessing("auto", "tiny", squeezed, existing).fit == "crop"
    assert choose_preprocessing("whole", "tiny", squeezed, existing).fit == "whole"
    whole = dataclasses.replace(made, preprocessing=Preprocessing("whole", 32, 36).to_record())
    assert choose_preprocessing("auto", "tiny", mixed, dataclasses.replace(existing, fingerprint=whole)).fit == "whole"
