"""Which captions a report shows, and that their attention is the search's own."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch

from attend.data.store_reader import FeatureStore
from attend.score.decode import caption_images
from attend.score.evaluation import caption_record
from attend.score.report.examples import choose, make_example
from attend.train.run import load_run
from tests.tiny_run import NAME


def scored(count: int) -> list[dict]:
    return [{"image_id": str(number), "sentence_bleu4": float(number)} for number in range(count)]


def chosen(count: int, each: int) -> dict[str, list[str]]:
    groups: dict[str, list[str]] = {"best": [], "median": [], "worst": []}
    for group, caption in choose(scored(count), each):
        groups[group].append(caption["image_id"])
    return groups


def test_best_middle_and_worst() -> None:
    groups = chosen(101, 3)
    assert groups == {"best": ["100", "99", "98"], "median": ["51", "50", "49"], "worst": ["2", "1", "0"]}


@pytest.mark.parametrize("count", [0, 1, 2, 3, 4, 7, 12, 13])
@pytest.mark.parametrize("each", [1, 4])
@pytest.mark.fault("a report on fewer photos than it has places", "no photo twice", "Captions and pictures")
def test_no_image_is_shown_twice_however_few_there_are(count: int, each: int) -> None:
    ids = [image_id for group in chosen(count, each).values() for image_id in group]
    assert len(ids) == len(set(ids))
    assert len(ids) == min(count, 3 * min(each, max(1, count // 3)))
    assert [int(image_id) for image_id in ids] == sorted(map(int, ids), reverse=True)


def test_images_without_a_score_are_left_out() -> None:
    assert choose([{"image_id": "a", "sentence_bleu4": None}], 3) == []


def test_attention_gates_and_probabilities_are_those_of_the_search(grid_run: Path) -> None:
    run = load_run(grid_run / "runs" / NAME)
    store = FeatureStore(run.store)
    ids = [item.image_id for item in store.items[:4]]
    found = caption_images(run.model, run.vocabulary, store, ids, run.config.search, torch.device("cpu"))
    for item in store.items[:4]:
        caption = found[item.image_id]
        record = caption_record(item.image_id, caption) | {"sentence_bleu4": 50.0}
        example = make_example(run, store, item, "best", record)
        assert example.words == caption.words
        assert example.attention == pytest.approx(caption.attention, abs=1e-5)
        assert example.gates == pytest.approx(caption.gates, abs=1e-5)
        assert torch.tensor(example.probabilities).log().numpy() == pytest.approx(caption.word_log_probs, abs=1e-4)


def test_a_caption_without_words_has_no_maps(grid_run: Path) -> None:
    run = load_run(grid_run / "runs" / NAME)
    record = {"caption": "", "words": [], "sentence_bleu4": 0.0, "log_prob": -1.0}
    store = FeatureStore(run.store)
    example = make_example(run, store, store.items[0], "worst", record)
    assert example.attention.shape == (0, 9)
    assert example.gates.shape == example.probabilities.shape == (0,)
