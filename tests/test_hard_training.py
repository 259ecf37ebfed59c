"""Hard attention trained as a whole: it learns, repeats and resumes exactly, and keeps apart from soft runs."""

from __future__ import annotations

import pytest
import torch

from attend.data.store_reader import FeatureStore
from attend.errors import UserError
from attend.score.read_back import read_back
from attend.score.search.beam import beam_search
from attend.train.config import SearchSettings
from attend.train.log import read_log
from attend.train.run import load_run
from tests.test_fit import AVERAGED, assert_equal_runs, run, weights
from tests.tiny_store import caption_of, make_store

FEWER = "hard.samples=2 hard.reward=remaining hard.baseline=leave_one_out"
HARD = {"variant": "hard"}


def right_captions(folder, store, context: str) -> int:
    opened = load_run(folder)
    ids = [f"{number}.png" for number in range(8)]
    annotations = torch.from_numpy(FeatureStore(store).read(ids)).float()
    found = beam_search(opened.model, annotations, None, opened.vocabulary, SearchSettings(context=context))
    return sum(best.text == caption_of(number) for number, [best] in enumerate(found))


@pytest.mark.slow
@pytest.mark.parametrize("estimator", ["loss.doubly_stochastic=0", f"loss.doubly_stochastic=0 {FEWER}"])
@pytest.mark.fault(
    "hard attention without gradient",
    "eight pictures overfitted: at least 7 captions exact; gradient, sampling, baseline logged",
    "Training",
)
def test_overfitting_eight_pictures_reproduces_their_captions(tmp_path, estimator):
    store = make_store(tmp_path / "store", images=8)
    settings = "optim.epochs=300 optim.patience=99 optim.learning_rate=0.004 validation.every=20 model.dropout=0"
    settings = f"{settings} batches.size=8 {estimator}"
    result, _ = run(store, tmp_path / "run", settings, **HARD)
    assert result.position.best >= 100 * 7 / 8
    assert right_captions(tmp_path / "run", store, "expected") >= 7
    steps = [line for line in read_log(tmp_path / "run" / "log.jsonl") if line["kind"] == "step"]
    assert all(line["attention_gradient_norm"] > 0 for line in steps)
    assert sum(line["sampled"] for line in steps) / len(steps) == pytest.approx(0.5, abs=0.1)
    assert {"entropy", "baseline", "reward", "reward_variance"} <= set(steps[-1])


def test_two_runs_with_one_seed_are_equal_and_another_seed_differs(tmp_path):
    store = make_store(tmp_path / "store", captions=2)
    for name, seed in (("a", 1), ("b", 1), ("c", 2)):
        run(store, tmp_path / name, f"optim.epochs=2 optim.seed={seed} {AVERAGED} {FEWER}", **HARD)
    assert_equal_runs(tmp_path / "a", tmp_path / "b")
    assert not torch.equal(weights(tmp_path / "a")["embedding.weight"], weights(tmp_path / "c")["embedding.weight"])


def test_three_epochs_equal_one_and_two_resumed_with_the_baseline(tmp_path):
    store = make_store(tmp_path / "store", captions=2)
    run(store, tmp_path / "whole", f"optim.epochs=3 {AVERAGED}", **HARD)
    run(store, tmp_path / "parts", f"optim.epochs=1 {AVERAGED}", **HARD)
    baseline = torch.load(tmp_path / "parts" / "last.pt", weights_only=True)["objective"]["baseline"]
    assert baseline < -1
    run(store, tmp_path / "parts", f"optim.epochs=3 {AVERAGED}", resume=True, **HARD)
    for name, value in weights(tmp_path / "whole").items():
        assert torch.equal(value, weights(tmp_path / "parts")[name]), name
    ends = [torch.load(tmp_path / name / "last.pt", weights_only=True)["objective"] for name in ("whole", "parts")]
    assert ends[0] == ends[1] != {"baseline": baseline}


@pytest.mark.fault("hard training resumed from a soft run", "refused, the variant is named", "Training")
def test_hard_and_soft_never_share_a_checkpoint(tmp_path):
    store = make_store(tmp_path / "store")
    run(store, tmp_path / "hard", "optim.epochs=1", **HARD)
    with pytest.raises(UserError, match=r"run\.variant: hard then, soft now"):
        run(store, tmp_path / "hard", "optim.epochs=2", resume=True)
    run(store, tmp_path / "soft", "optim.epochs=1")
    with pytest.raises(UserError, match=r"run\.variant: soft then, hard now"):
        run(store, tmp_path / "soft", "optim.epochs=2", resume=True, **HARD)
    with pytest.raises(UserError, match=r"hard\.samples: no effect with VARIANT=soft"):
        run(store, tmp_path / "other", "hard.samples=2")
    assert not (tmp_path / "other").exists()
    assert load_run(tmp_path / "hard").variant == "hard"


def test_the_report_looks_where_the_search_did(tmp_path):
    store = make_store(tmp_path / "store")
    run(store, tmp_path / "run", "optim.epochs=1", **HARD)
    opened, features = load_run(tmp_path / "run"), FeatureStore(store)
    item = features.items[0]
    annotations = torch.from_numpy(features.read([item.image_id])).float()
    for context in ("expected", "argmax", "sample"):
        search = SearchSettings(context=context, longest=5)
        [[best]] = beam_search(opened.model, annotations, None, opened.vocabulary, search)
        [read] = read_back(opened.model, annotations, [best.words], opened.vocabulary, search)
        assert read.attention == pytest.approx(best.attention, abs=1e-6)
