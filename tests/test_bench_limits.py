"""What the benches count and draw: operations of an encoder, exponents of growth, a large store."""

from __future__ import annotations

from pathlib import Path

import pytest

from attend.data.store_reader import FeatureStore
from tests.bench_module import bench_module


def test_the_operations_of_vgg19_are_those_of_its_sixteen_convolutions() -> None:
    """Two for each of 3 x 3 · inputs · outputs at every place; 224 halves after each block but the last."""
    blocks = [(3, 64, 2), (64, 128, 2), (128, 256, 4), (256, 512, 4), (512, 512, 4)]
    total = 0
    for number, (inputs, outputs, layers) in enumerate(blocks):
        places = (224 // 2**number) ** 2
        total += 2 * 9 * places * (inputs * outputs + (layers - 1) * outputs * outputs)
    assert bench_module("encoder").operations("vgg19") == total


def test_growth_is_the_exponent_between_the_largest_sizes() -> None:
    growth = bench_module("growth")
    points = [growth.Point(1, 5.0, 0), growth.Point(10, 6.0, 0), growth.Point(100, 600.0, 0)]
    assert growth.exponent(points) == pytest.approx(2.0)
    assert growth.exponent(points[:2]) == pytest.approx(0.0792, abs=1e-4)  # log10(1.2)


def test_the_large_store_opens_with_all_its_images(tmp_path: Path) -> None:
    bench_module("store_use").large_store(tmp_path, 2500, rows=1000)
    store = FeatureStore(tmp_path)
    assert (len(store), len(store.manifest.shards), len(set(store.ids))) == (2500, 3, 2500)


def test_a_table_is_markdown() -> None:
    lines = bench_module("limits").table(["a", "b"], [["1", "2"]]).splitlines()
    assert lines == ["| a | b |", "| --- | --- |", "| 1 | 2 |"]
