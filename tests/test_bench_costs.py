"""The arithmetic of what a dataset costs, against a calculation by hand."""

from __future__ import annotations

from types import ModuleType

import pytest

from tests.bench_module import bench_module


@pytest.fixture(scope="module")
def costs() -> ModuleType:
    return bench_module("costs")


def test_a_dataset_by_hand(costs: ModuleType) -> None:
    """3,600 photos at 1/s are an hour; 7,200 captions twice at 4/s another; 100 photos three times at 1/12 a second."""
    made = costs.cost(costs.Dataset("d", 3600, 7200, 100), costs.Rates(1.0, 4.0, 1 / 12, 1000.0, 50.0), epochs=2)
    assert (made.features, made.training, made.captions) == (1.0, 1.0, 1.0)
    assert made.gigabytes == pytest.approx(3600 * 1000 * 1024 / 1e9)
    assert made.kilowatt_hours == pytest.approx(0.15)


def test_the_datasets_have_five_captions_a_training_photo(costs: ModuleType) -> None:
    """Karpathy's splits: 6,000 and 29,000 training photos; COCO's 82,783 have 413,915 when five of each are taken."""
    assert {each.name: each.captions for each in costs.DATASETS} == {
        "Flickr8k": 5 * 6000,
        "Flickr30k": 5 * 29_000,
        "COCO": 5 * 82_783,
    }
