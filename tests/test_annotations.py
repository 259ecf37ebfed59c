"""Annotations come back right from memory and from shards."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from attend.data.store_reader import FeatureStore
from attend.train.annotations import AnnotationSource
from attend.train.examples import Examples
from attend.train.stream import BatchStream
from tests.tiny_store import annotations_of, make_store


@pytest.mark.parametrize("cache_share", [0.0, 0.5])
@pytest.mark.fault(
    "features that fit in memory, and such that do not",
    "the same rows from memory and from the shards",
    "Scale and hardware",
)
def test_any_rows_in_any_order_with_repeats(tmp_path, cache_share):
    store = FeatureStore(make_store(tmp_path / "store"))
    source = AnnotationSource(store, [f"{number}.png" for number in (5, 2, 7)], cache_share)
    assert source.cached == (cache_share > 0)
    for _ in range(2):
        read = source.read(np.array([2, 0, 2, 1]))
        assert read.dtype == torch.float16
        np.testing.assert_array_equal(read.numpy(), np.stack([annotations_of(k) for k in (7, 5, 7, 2)]))


def a_stream(tmp_path, plan) -> BatchStream:
    store = FeatureStore(make_store(tmp_path / "store"))
    examples = Examples(
        tuple(store.ids), np.array([3, 3, 1]), (np.array([4, 0]), np.array([5, 0]), np.array([6, 0])), 0
    )
    source = AnnotationSource(store, examples.image_ids, 0.5)
    return BatchStream(plan, examples, source, torch.device("cpu"), torch.float32)


def test_a_stream_gives_the_planned_batches_in_order(tmp_path):
    batches = list(a_stream(tmp_path, [np.array([2, 0]), np.array([1])]))
    assert [batch.words.tolist() for batch in batches] == [[[6, 0], [4, 0]], [[5, 0]]]
    assert [batch.lengths.tolist() for batch in batches] == [[2, 2], [2]]
    np.testing.assert_array_equal(batches[0].annotations.numpy(), np.stack([annotations_of(1), annotations_of(3)]))


@pytest.mark.fault(
    "the thread that prepares mini-batches fails", "the error reaches the loop; no freeze", "Scale and hardware"
)
def test_an_error_while_preparing_reaches_the_loop(tmp_path):
    with pytest.raises(IndexError):
        list(a_stream(tmp_path, [np.array([0]), np.array([99])]))


def test_leaving_a_stream_early_ends_its_thread(tmp_path):
    import threading

    for _ in a_stream(tmp_path, [np.array([0])] * 50):
        break
    assert "batches" not in [thread.name for thread in threading.enumerate()]
