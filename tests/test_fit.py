"""Training as a whole on a tiny store: learning, exact resume, exact repeat, stopping, refusals."""

from __future__ import annotations

import os
import re
import signal
from pathlib import Path

import pytest
import torch

from attend.data.store_reader import FeatureStore
from attend.data.vocabulary import Vocabulary
from attend.errors import UserError
from attend.score.search.beam import beam_search
from attend.settings import read_settings
from attend.train.config import TrainConfig
from attend.train.config_file import override_config
from attend.train.log import read_log
from attend.train.models.interface import Batch
from attend.train.models.variants import build_captioner, build_objective
from attend.train.optimizer import build_optimizer
from attend.train.run import load_run
from attend.train.step import NonFiniteLossError, train_step
from attend.train.training import Request, train
from tests.tiny_store import caption_of, make_store

CPU = torch.device("cpu")
SMALL = "model.units=32 model.embedding=16 batches.size=3 optim.precision=float32 optim.learning_rate=0.01"


class Judged:
    """A validation whose score is the share of captions reproduced exactly."""

    def __init__(self, bleu4: float) -> None:
        self.bleu4 = bleu4
        self.standing = (bleu4, 0.0)

    pictures = ()

    def as_log(self) -> dict[str, float]:
        return {"bleu4": self.bleu4}


def judge_exact(store: FeatureStore, config: TrainConfig, vocabulary: Vocabulary, device: torch.device):
    items = [item for item in store.items if item.split == "train"]
    annotations = torch.from_numpy(store.read([item.image_id for item in items])).float()

    def validate(model) -> Judged:
        found = beam_search(model, annotations, None, vocabulary, config.search)
        right = sum(best[0].text == item.captions[0] for best, item in zip(found, items, strict=True))
        return Judged(100 * right / len(items))

    return validate


def request(store: Path, folder: Path, settings: str = "", resume: bool = False, variant: str = "soft") -> Request:
    config = override_config(TrainConfig(), read_settings([SMALL, settings]))
    return Request(store, "tiny", variant, folder, config, CPU, resume)


def run(*arguments, **options):
    lines: list[str] = []
    result = train(request(*arguments, **options), judge_exact, lines.append)
    return result, "\n".join(lines)


@pytest.mark.slow
@pytest.mark.parametrize("order", ["random", "round_robin"])
@pytest.mark.fault(
    "soft attention that does not learn",
    "eight pictures overfitted: at least 7 captions exact; attention differs between words",
    "Training",
)
def test_overfitting_eight_pictures_reproduces_their_captions(tmp_path, order):
    store = make_store(tmp_path / "store", images=8)
    settings = (
        f"optim.epochs=200 optim.patience=99 validation.every=20 model.dropout=0 batches.size=8 batches.order={order}"
    )
    result, _ = run(store, tmp_path / "run", settings)
    assert result.position.best >= 100 * 7 / 8
    opened = load_run(tmp_path / "run")
    ids = [f"{number}.png" for number in range(8)]
    annotations = torch.from_numpy(FeatureStore(store).read(ids)).float()
    found = beam_search(opened.model, annotations, None, opened.vocabulary, opened.config.search)
    texts = [captions[0].text for captions in found]
    assert sum(text == caption_of(number) for number, text in enumerate(texts)) >= 7
    # The colour stands in the first cell and the shape in the last: where the model looks differs between the words.
    colour, shape = [], []
    for number, captions in enumerate(found):
        words = list(captions[0].words)
        if captions[0].text == caption_of(number):
            colour.append(captions[0].attention[words.index(caption_of(number).split()[number % 2])])
            shape.append(captions[0].attention[len(words) - 1])
    difference = sum(abs(a - b).sum() for a, b in zip(colour, shape, strict=True)) / len(colour)
    assert difference > 0.1


def weights(folder: Path, name: str = "last.pt") -> dict[str, torch.Tensor]:
    return torch.load(folder / name, weights_only=True)["model"]


def assert_equal_runs(one: Path, other: Path) -> None:
    for name, value in weights(one).items():
        assert torch.equal(value, weights(other)[name]), name
    for name, value in weights(one, "best.pt").items():
        assert torch.equal(value, weights(other, "best.pt")[name]), name

    def told(folder: Path):
        unlike = {"time", "seconds", "captions_per_second", "data_wait"}
        return [{k: v for k, v in line.items() if k not in unlike} for line in read_log(folder / "log.jsonl")]

    assert told(one) == told(other)


AVERAGED = "optim.averaging=0.9 optim.patience=99"


@pytest.mark.fault("two runs with one seed", "equal weights and logs", "Training")
def test_two_runs_with_one_seed_are_equal_and_another_seed_differs(tmp_path):
    store = make_store(tmp_path / "store", captions=2)
    run(store, tmp_path / "a", f"optim.epochs=3 {AVERAGED}")
    run(store, tmp_path / "b", f"optim.epochs=3 {AVERAGED}")
    assert_equal_runs(tmp_path / "a", tmp_path / "b")
    run(store, tmp_path / "c", f"optim.epochs=3 optim.seed=2 {AVERAGED}")
    assert not torch.equal(weights(tmp_path / "a")["embedding.weight"], weights(tmp_path / "c")["embedding.weight"])


@pytest.mark.parametrize("algorithm", ["adam", "rmsprop"])
@pytest.mark.fault("training resumed between epochs", "the weights of training in one go", "Training")
def test_four_epochs_equal_two_and_two_resumed(tmp_path, algorithm):
    store = make_store(tmp_path / "store", captions=2)
    settings = f"optim.algorithm={algorithm} {AVERAGED}"
    run(store, tmp_path / "whole", f"optim.epochs=4 {settings}")
    run(store, tmp_path / "halves", f"optim.epochs=2 {settings}")
    result, told = run(store, tmp_path / "halves", f"optim.epochs=4 {settings}", resume=True)
    assert result.position.epoch == 4
    assert "going on at epoch 3, mini-batch 1" in told
    whole = [line for line in read_log(tmp_path / "whole" / "log.jsonl") if line["kind"] not in {"start", "end"}]
    halves = [line for line in read_log(tmp_path / "halves" / "log.jsonl") if line["kind"] not in {"start", "end"}]
    assert [line["step"] for line in whole] == [line["step"] for line in halves]
    for name, value in weights(tmp_path / "whole").items():
        assert torch.equal(value, weights(tmp_path / "halves")[name]), name


@pytest.mark.fault("SIGTERM in the middle of an epoch", "saved; resumed to the same weights", "Training")
def test_a_signal_in_the_middle_of_an_epoch_loses_nothing(tmp_path):
    store = make_store(tmp_path / "store", captions=3)
    run(store, tmp_path / "whole", f"optim.epochs=3 {AVERAGED}")
    steps = 0

    def judge_and_count(*arguments):
        inner = judge_exact(*arguments)

        def validate(model):
            nonlocal steps
            steps += 1
            if steps == 3:
                os.kill(os.getpid(), signal.SIGTERM)
            return inner(model)

        return validate

    settings = f"optim.epochs=3 validation.every=0.3 {AVERAGED}"
    run(store, tmp_path / "often", settings)
    result = train(request(store, tmp_path / "cut", settings), judge_and_count, lambda line: None)
    assert not result.finished
    assert result.reason.startswith("SIGTERM at step")
    assert torch.load(tmp_path / "cut" / "last.pt", weights_only=True)["position"]["batch"] > 0
    result, told = run(store, tmp_path / "cut", settings, resume=True)
    assert result.finished
    assert "going on at epoch 1, mini-batch" in told
    for name, value in weights(tmp_path / "often").items():
        assert torch.equal(value, weights(tmp_path / "cut")[name]), name
    for name, value in weights(tmp_path / "whole").items():
        assert torch.equal(value, weights(tmp_path / "cut")[name]), f"validating changes training: {name}"


@pytest.mark.fault("training a finished run again", "left alone, it is said", "Training")
def test_a_finished_run_is_left_alone(tmp_path):
    store = make_store(tmp_path / "store")
    run(store, tmp_path / "run", "optim.epochs=1")
    before = (tmp_path / "run" / "last.pt").read_bytes()
    result, told = run(store, tmp_path / "run", "optim.epochs=1", resume=True)
    assert result.finished
    assert "is already trained: all 1 epochs done" in told
    assert (tmp_path / "run" / "last.pt").read_bytes() == before


@pytest.mark.fault(
    "a run that exists, or was started with other settings", "refused, every difference is named", "Training"
)
def test_a_run_that_exists_or_differs_is_refused_by_name(tmp_path):
    store = make_store(tmp_path / "store")
    run(store, tmp_path / "run", "optim.epochs=1")
    with pytest.raises(UserError, match="exists: RESUME=1 goes on with it"):
        run(store, tmp_path / "run", "optim.epochs=1")
    with pytest.raises(UserError, match=r"model\.units: 32 then, 16 now"):
        run(store, tmp_path / "run", "optim.epochs=2 model.units=16", resume=True)
    other = make_store(tmp_path / "other", images=6)
    with pytest.raises(UserError, match=r"store\.images: 8 then, 6 now"):
        run(other, tmp_path / "run", "optim.epochs=2", resume=True)


@pytest.mark.fault("a loss that becomes NaN", "stops at once, the last good checkpoint stays", "Training")
def test_a_loss_that_is_no_number_stops_at_once_and_keeps_the_last_good_checkpoint(tmp_path):
    store = make_store(tmp_path / "store", captions=4)
    run(store, tmp_path / "run", "optim.epochs=1")
    good = weights(tmp_path / "run")
    broken = request(store, tmp_path / "run", "optim.epochs=9", resume=True)
    saved = torch.load(tmp_path / "run" / "last.pt", weights_only=True)
    saved["model"]["word_output.to_words.weight"][:] = float("nan")
    torch.save(saved, tmp_path / "run" / "last.pt")
    with pytest.raises(NonFiniteLossError, match=r"the loss became nan; last\.pt holds the last good weights"):
        train(broken, judge_exact, lambda line: None)
    for name, value in weights(tmp_path / "run", "best.pt").items():
        assert torch.isfinite(value).all(), name
    assert set(good) == set(weights(tmp_path / "run", "best.pt"))


@pytest.mark.fault(
    "what a run was made of, and where its time went",
    "versions, hardware, hashes and the share of waiting for data are in the run",
    "Training",
)
def test_the_run_directory_says_what_it_was_made_of(tmp_path):
    store = make_store(tmp_path / "store")
    run(store, tmp_path / "run", "optim.epochs=1")
    opened = load_run(tmp_path / "run")
    assert opened.fingerprint == FeatureStore(store).manifest.fingerprint
    assert opened.record["run"]["vocabulary_hash"] == opened.vocabulary.hash
    assert set(opened.record["versions"]) >= {"python", "torch", "numpy", "h5py", "show-attend-tell"}
    log = read_log(tmp_path / "run" / "log.jsonl")
    assert [line["kind"] for line in log] == ["start", "step", "validation", "end"]
    assert set(log[0]) >= {"python", "torch", "numpy", "h5py", "show-attend-tell", "hardware"}
    assert {"loss", "words_loss", "penalty", "data_wait", "captions_per_second"} <= set(log[1])
    assert list((tmp_path / "run" / "tensorboard").iterdir())


@pytest.mark.fault("a run with a foreign vocabulary or damaged weights", "refused, the file is named", "Training")
def test_a_run_with_another_vocabulary_or_broken_weights_is_refused(tmp_path):
    store = make_store(tmp_path / "store")
    run(store, tmp_path / "run", "optim.epochs=1")
    (tmp_path / "run" / "best.pt").write_bytes(b"not a checkpoint")
    with pytest.raises(UserError, match=r"best\.pt is no readable checkpoint"):
        load_run(tmp_path / "run")
    Vocabulary.build(["other words"]).save(tmp_path / "run" / "vocabulary.json")
    with pytest.raises(UserError, match=r"vocabulary\.json is not the one this run was trained with"):
        load_run(tmp_path / "run")
    with pytest.raises(UserError, match="no run at"):
        load_run(tmp_path / "nowhere")


def test_validation_every_part_of_an_epoch(tmp_path):
    store = make_store(tmp_path / "store", captions=6)
    run(store, tmp_path / "run", "optim.epochs=2 optim.patience=99 validation.every=0.5 batches.size=3")
    log = read_log(tmp_path / "run" / "log.jsonl")
    assert [line["step"] for line in log if line["kind"] == "validation"] == [8, 16, 24, 32]


def test_a_validation_that_a_signal_put_off_is_made_up_for(tmp_path):
    store = make_store(tmp_path / "store")
    result = train(request(store, tmp_path / "run", "optim.epochs=1 batches.size=8"), judge_exact, lambda line: None)
    assert result.position.validated == result.position.step > 0
    saved = torch.load(tmp_path / "run" / "last.pt", weights_only=True)
    saved["position"].update(validated=0, best=-1.0)
    torch.save(saved, tmp_path / "run" / "last.pt")
    (tmp_path / "run" / "best.pt").unlink()
    result, _ = run(store, tmp_path / "run", "optim.epochs=1 batches.size=8", resume=True)
    assert result.position.validated == result.position.step
    assert (tmp_path / "run" / "best.pt").is_file()


def test_the_last_weights_are_validated_whatever_the_interval(tmp_path):
    store = make_store(tmp_path / "store", captions=2)
    result, _ = run(store, tmp_path / "run", "optim.epochs=3 validation.every=2 optim.patience=9")
    validations = [line["step"] for line in read_log(tmp_path / "run" / "log.jsonl") if line["kind"] == "validation"]
    per_epoch = result.position.step // 3
    assert validations == [2 * per_epoch, 3 * per_epoch]


@pytest.mark.fault("kill -9 before the first checkpoint", "said; starts anew, log too", "Training")
def test_a_start_after_a_kill_before_the_first_checkpoint_begins_the_log_anew(tmp_path):
    store = make_store(tmp_path / "store")
    (tmp_path / "run").mkdir()
    (tmp_path / "run" / "log.jsonl").write_text('{"kind": "step", "step": 1}\n')
    (tmp_path / "run" / ".last.pt.elsewhere.1.abcdef00.partial").write_bytes(b"x")
    _, told = run(store, tmp_path / "run", "optim.epochs=1", resume=True)
    assert told.splitlines()[0] == f"no checkpoint yet in {tmp_path / 'run'}: begins again"
    assert [line["kind"] for line in read_log(tmp_path / "run" / "log.jsonl")] == ["start", "step", "validation", "end"]
    _, told = run(store, tmp_path / "another", "optim.epochs=1", resume=True)
    assert "no checkpoint yet" not in told


@pytest.mark.fault("SIGTERM before the first validation", "`not validated yet`, not a score", "Training")
def test_a_run_that_is_stopped_before_a_validation_has_no_score(tmp_path, monkeypatch):
    def signalled(*arguments):
        os.kill(os.getpid(), signal.SIGTERM)
        return train_step(*arguments)

    monkeypatch.setattr("attend.train.fit.train_step", signalled)
    store = make_store(tmp_path / "store")
    result, told = run(store, tmp_path / "run", "optim.epochs=1")
    assert not result.finished
    assert told.splitlines()[-1] == f"{tmp_path / 'run'}: SIGTERM at step 1; not validated yet"


@pytest.mark.fault("a log deleted before a resume", "a new log, no zeros", "Training")
def test_a_log_that_was_deleted_is_not_filled_with_zeros(tmp_path):
    store = make_store(tmp_path / "store")
    run(store, tmp_path / "run", "optim.epochs=1")
    (tmp_path / "run" / "log.jsonl").unlink()
    run(store, tmp_path / "run", "optim.epochs=2", resume=True)
    assert [line["kind"] for line in read_log(tmp_path / "run" / "log.jsonl")] == ["start", "step", "validation", "end"]


@pytest.mark.fault("a run with best.pt but no last.pt", "refused, best.pt is not written over", "Training")
def test_best_weights_without_a_place_to_go_on_from_are_not_written_over(tmp_path):
    store = make_store(tmp_path / "store")
    run(store, tmp_path / "run", "optim.epochs=1")
    (tmp_path / "run" / "last.pt").unlink()
    with pytest.raises(UserError, match=r"has best\.pt but no last\.pt to go on from: RUN=name starts another run"):
        run(store, tmp_path / "run", "optim.epochs=1", resume=True)


@pytest.mark.fault("an infinite gradient under a finite loss", "stops before the weights change", "Training")
def test_an_infinite_gradient_stops_before_it_spoils_the_weights(tmp_path):
    store = make_store(tmp_path / "store")
    run(store, tmp_path / "run", "optim.epochs=1 optim.clip_norm=1")
    saved = torch.load(tmp_path / "run" / "last.pt", weights_only=True)
    saved["model"]["word_output.to_words.weight"][:, 0] = 3e38
    saved["model"]["word_output.to_words.weight"][::2, 0] = -3e38
    torch.save(saved, tmp_path / "run" / "last.pt")
    with pytest.raises(NonFiniteLossError, match=r"(loss|norm of the gradient) became (nan|inf)"):
        run(store, tmp_path / "run", "optim.epochs=5 optim.clip_norm=1", resume=True)


@pytest.mark.fault("a loss that becomes NaN before the first checkpoint", "no last.pt is promised", "Training")
def test_a_loss_that_is_no_number_before_the_first_checkpoint_promises_none(tmp_path):
    store = make_store(tmp_path / "store")
    with pytest.raises(NonFiniteLossError) as caught:
        run(store, tmp_path / "run", "optim.epochs=9 validation.every=9 optim.learning_rate=1e38")
    cure = 'begin again with SET="optim.learning_rate=…" below 1e+38 or "optim.clip_norm=5"'
    assert re.fullmatch(
        rf"the (loss|norm of the gradient) became (nan|inf) before the first checkpoint: {re.escape(cure)}",
        str(caught.value),
    )
    assert not (tmp_path / "run" / "last.pt").exists()


@pytest.mark.fault("annotations that are no numbers in training", "the store is blamed, not the step size", "Training")
def test_annotations_that_are_no_numbers_are_named_as_the_reason():
    config = TrainConfig()
    model = build_captioner("soft", config.model, 4, 9)
    annotations = torch.ones(2, 3, 4)
    annotations[1, 2, 3] = float("nan")
    batch = Batch(annotations, torch.tensor([[2, 3, 0], [4, 5, 0]]), torch.tensor([3, 3]))
    optimizer = build_optimizer(model, config.optim)
    with pytest.raises(NonFiniteLossError) as caught:
        train_step(model, batch, build_objective("soft", config), config, optimizer, None, "float32", saved=True)
    cure = "because annotations are not finite: the store is damaged, run `make verify`"
    assert str(caught.value) == f"the loss became nan, {cure}"


@pytest.mark.fault("a resume with a smaller learning rate after a broken loss", "accepted", "Training")
def test_the_cure_for_a_broken_loss_is_accepted_on_resume(tmp_path):
    store = make_store(tmp_path / "store")
    run(store, tmp_path / "run", "optim.epochs=1")
    result, _ = run(store, tmp_path / "run", "optim.epochs=2 optim.learning_rate=0.001 optim.clip_norm=5", resume=True)
    assert result.position.epoch == 2
    log = read_log(tmp_path / "run" / "log.jsonl")
    assert [line["learning_rate"] for line in log if line["kind"] == "step"] == [0.01, 0.001]
