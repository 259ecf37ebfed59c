"""bench/photo_worth.py pairs every caption with a photo that is not its own, and finds 0 where photos tell nothing."""

from __future__ import annotations

from pathlib import Path

import click
import numpy as np
import pytest
from click.testing import CliRunner

from attend.data.store_reader import FeatureStore
from tests.bench_module import bench_module


def test_no_caption_keeps_its_photo_and_none_is_lost() -> None:
    captions = {f"{number}.jpg": f"caption {number}" for number in range(10)}
    exchanged = bench_module("photo_worth").exchanged(captions, 3)
    assert exchanged["3.jpg"] == "caption 0" and exchanged["0.jpg"] == "caption 7"
    assert sorted(exchanged.values()) == sorted(captions.values())
    assert not any(exchanged[image_id] == text for image_id, text in captions.items())


@pytest.mark.parametrize(("photos", "apart"), [(10, 0), (10, 20), (1, 3), (0, 3)])
def test_captions_that_would_keep_their_photos_are_refused(photos: int, apart: int) -> None:
    with pytest.raises(
        click.UsageError, match=rf"--apart={apart} leaves captions under their own photos \({photos} in all\)"
    ):
        bench_module("photo_worth").exchanged({str(number): "a dog" for number in range(photos)}, apart)


def figures(out: Path) -> list[float]:
    [store], [run] = (out / "features").glob("*/*"), (out / "runs").iterdir()
    arguments = [str(store), "--run", str(run), "--split", "train", "--apart", "1"]
    printed = CliRunner().invoke(bench_module("photo_worth").main, arguments, catch_exceptions=False).output
    return [float(figure) for figure in printed.splitlines()[-1].split()[-3:]]


def test_photos_that_look_alike_tell_nothing(photo_run: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    own, other, difference = figures(photo_run)
    assert own < 0 and other < 0 and difference == pytest.approx(own - other, abs=0.002)
    read = FeatureStore.read
    monkeypatch.setattr(FeatureStore, "read", lambda store, ids: np.repeat(read(store, ids[:1]) * 0 + 1, len(ids), 0))
    own, other, difference = figures(photo_run)
    assert own == other and difference == 0
