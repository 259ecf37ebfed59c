"""The judge of training gives the very score that scoring the run gives afterwards."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
import torch

from attend.data.store_reader import FeatureStore
from attend.data.vocabulary import END
from attend.data.words import tokenise
from attend.errors import UserError
from attend.score.evaluation import evaluate
from attend.score.metrics.bleu import corpus_bleu
from attend.score.validation import ValidationScores, make_validate
from attend.train.config import TrainConfig, ValidationSettings
from attend.train.config_file import override_config
from attend.train.log import read_log
from attend.train.models.interface import NO_WORD
from attend.train.run import load_run
from tests.tiny_run import NAME, SENTENCES

CPU = torch.device("cpu")


def test_the_best_validation_is_what_scoring_the_run_gives(photo_run: Path) -> None:
    """Also in the log; the captions here are neither all right nor all wrong, and some photos have no reference."""
    run = load_run(photo_run / "runs" / NAME)
    evaluation = evaluate(run, FeatureStore(run.store), "val", run.config.search, CPU)
    lines = [line for line in read_log(run.folder / "log.jsonl") if line["kind"] == "validation"]
    best = max(lines, key=lambda line: line["bleu4"])
    assert best["step"] == run.step
    assert best["bleu4"] == evaluation.scores.bleu.with_penalty[3]
    assert best["bleu4_without_penalty"] == evaluation.scores.bleu.without_penalty[3]
    assert best["ratio"] == evaluation.scores.bleu.ratio
    assert best["images"] == evaluation.scores.images == 6
    assert 0 < evaluation.scores.bleu.with_penalty[0] < 100


def test_the_first_photos_of_a_chosen_split(grid_run: Path) -> None:
    run = load_run(grid_run / "runs" / NAME)
    config = TrainConfig(search=run.config.search, validation=ValidationSettings(split="train", images=3))
    scores = make_validate(FeatureStore(run.store), config, run.vocabulary, CPU)(run.model)
    assert list(scores.captions) == ["0.png", "1.png", "2.png"]
    assert scores.bleu4 == pytest.approx(100)
    assert scores.unfinished == 0
    assert json.loads(json.dumps(scores.as_log()))["images"] == 3


def test_the_likelihood_is_the_mean_over_all_words_of_first_references(photo_run: Path) -> None:
    """Against every step taken one by one; photo 8.png has no reference."""
    run = load_run(photo_run / "runs" / NAME)
    store = FeatureStore(run.store)
    scores = make_validate(store, run.config, run.vocabulary, CPU)(run.model)
    total, steps = 0.0, 0
    for item in (item for item in store.items if item.split == "val" and item.captions):
        annotations = torch.from_numpy(store.read([item.image_id])).float()
        with torch.inference_mode():
            state, previous = run.model.start(annotations), torch.tensor([NO_WORD])
            for word in [*run.vocabulary.encode(tokenise(item.captions[0])), END]:
                log_probs, state, _ = run.model.step(state, previous)
                total, steps, previous = total + float(log_probs[0, word]), steps + 1, torch.tensor([word])
    assert steps == sum(len(tokenise(SENTENCES[number % 4])) + 1 for number in range(8, 17) if number % 4)
    assert scores.log_likelihood == pytest.approx(total / steps, rel=1e-4)
    assert scores.as_log()["log_likelihood"] == scores.log_likelihood < 0


@pytest.mark.fault(
    "validations without four right words in a row", "the likelihood decides which is best, not rounding", "Training"
)
def test_a_bleu_of_nothing_right_counts_as_zero() -> None:
    """Both beginnings have three words in a row right and no four; the shorter would win by far."""
    references = {"1": ["a red bird flies"]}
    early, later, right = (
        ValidationScores(corpus_bleu({"1": text}, references), {}, 0, likelihood)
        for text, likelihood in (("a red bird", -4.0), ("a red bird stands on grass", -3.7), ("a red bird flies", -3.9))
    )
    assert early.bleu4 > 2 > later.bleu4 > 0
    assert early.standing == (0.0, -4.0) < later.standing == (0.0, -3.7) < right.standing
    assert right.standing == (right.bleu4, -3.9) and right.bleu4 == pytest.approx(100)


@pytest.mark.fault("no photo in the validation split", "refused before training", "Training")
def test_a_split_without_photos_is_refused_before_training(grid_run: Path) -> None:
    run = load_run(grid_run / "runs" / NAME)
    config = TrainConfig(validation=ValidationSettings(split="test"))
    with pytest.raises(UserError, match="no photo in the split test"):
        make_validate(FeatureStore(run.store), config, run.vocabulary, CPU)


@pytest.mark.fault("validation photos without captions", "refused before training", "Training")
def test_a_split_without_references_is_refused_before_training(photo_run: Path) -> None:
    run = load_run(photo_run / "runs" / NAME)
    config = override_config(run.config, {"validation": {"images": 1}})  # photo 8.png has no caption
    with pytest.raises(UserError, match="no photo of the split val has a reference caption to validate against"):
        make_validate(FeatureStore(run.store), config, run.vocabulary, CPU)


def test_words_that_the_search_wants_and_the_captioner_does_not_know_are_refused_before_training(
    grid_run: Path,
) -> None:
    run = load_run(grid_run / "runs" / NAME)
    config = replace(run.config, search=replace(run.config.search, required="zebra"))
    with pytest.raises(UserError, match=r"search\.required: zebra is not among the "):
        make_validate(FeatureStore(run.store), config, run.vocabulary, CPU)
