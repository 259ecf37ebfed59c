"""Ensembles: the mean of probabilities, by hand; one run is itself; what does not belong together is refused."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace
from pathlib import Path

import pytest
import torch
from click.testing import CliRunner, Result

from attend.cli import attend
from attend.data.store_reader import FeatureStore
from attend.data.vocabulary import SPECIAL, Vocabulary
from attend.errors import UserError
from attend.score.captioner import load_captioner
from attend.score.ensemble import Ensemble, load_ensemble
from attend.score.search.beam import beam_search
from attend.score.search.context import with_context
from attend.train.config import ModelSettings, SearchSettings
from attend.train.models.attention_lstm import AttentionLSTM
from attend.train.models.hard_attention import HardAttentionLSTM
from attend.train.models.interface import NO_WORD, Batch
from tests.tiny_encoder import tiny_encoder
from tests.tiny_run import NAME

L, D, K = 6, 5, 7
VOCABULARY = Vocabulary((*SPECIAL, "a", "b", "c", "d", "e"))


def member(seed: int, kind: type[AttentionLSTM] = AttentionLSTM, **changes) -> AttentionLSTM:
    torch.manual_seed(seed)
    model = kind(ModelSettings(**{"units": 4, "embedding": 3, **changes}), D, K)
    with torch.no_grad():
        for weight in model.parameters():
            weight.normal_(std=0.7)
    return model.eval()


@pytest.fixture
def members() -> list[AttentionLSTM]:
    """Of different sizes: what they share is the words and the annotations."""
    return [member(0), member(1, units=6, gate=False), member(2, annotation_lstm=True)]


def a_batch() -> Batch:
    torch.manual_seed(3)
    return Batch(torch.randn(2, L, D), torch.randint(1, K, (2, 4)), torch.full((2,), 4))


def test_probabilities_attention_and_gates_are_means(members):
    batch = a_batch()
    with torch.no_grad():
        output = Ensemble(members)(batch)
        own = [model(batch) for model in members]
    torch.testing.assert_close(output.log_probs.exp(), sum(one.log_probs.exp() for one in own) / 3)
    torch.testing.assert_close(output.attention, sum(one.attention for one in own) / 3)
    torch.testing.assert_close(output.gates, sum(one.gates for one in own) / 3)


def test_stepping_and_its_rows_equal_teacher_forcing(members):
    batch, ensemble = a_batch(), Ensemble(members)
    with torch.no_grad():
        output = ensemble(batch)
        state = ensemble.start(batch.annotations).select(torch.tensor([0, 0, 1, 1])).keep(torch.tensor([1]))
        previous = torch.full((2,), NO_WORD)
        for t in range(4):
            log_probs, state, look = ensemble.step(state, previous)
            for row in range(2):
                torch.testing.assert_close(log_probs[row], output.log_probs[1, t], atol=1e-5, rtol=0)
                torch.testing.assert_close(look.weights[row], output.attention[1, t], atol=1e-5, rtol=0)
            previous = batch.words[1, t].repeat(2)


def test_an_ensemble_of_one_is_the_member(members):
    batch = a_batch()
    with torch.no_grad():
        assert torch.equal(Ensemble(members[:1])(batch).log_probs, members[0](batch).log_probs)
    settings = SearchSettings(beam=3, longest=5)
    for ensemble in (Ensemble(members[:1]).eval(), Ensemble([members[0], members[0]]).eval()):
        for [found], [own] in zip(
            beam_search(ensemble, batch.annotations, None, VOCABULARY, settings),
            beam_search(members[0], batch.annotations, None, VOCABULARY, settings),
            strict=True,
        ):
            assert found.ids == own.ids
            assert found.log_prob == pytest.approx(own.log_prob, abs=1e-5)


def test_the_best_caption_is_that_of_the_mean(members):
    """A beam as wide as the tree finds what trying every caption of at most three words finds."""
    annotations, ensemble = a_batch().annotations[:1], Ensemble(members).eval()
    texts = [(a, b, c) for a in range(2, K) for b in range(2, K) for c in range(2, K)]
    words = torch.tensor([[*text, 0] for text in texts])
    batch = Batch(annotations.expand(len(words), -1, -1), words, torch.full((len(words),), 4))
    with torch.no_grad():
        probabilities = torch.stack([model(batch).log_probs for model in members]).exp().mean(0)
    totals = probabilities.log().gather(2, words.unsqueeze(2)).sum(dim=(1, 2))
    settings = SearchSettings(beam=300, longest=4)
    [found] = beam_search(ensemble, annotations, None, VOCABULARY, settings, best=300)
    threes = [caption for caption in found if len(caption.ids) == 3 and caption.finished]
    assert threes[0].ids == texts[int(totals.argmax())]
    assert threes[0].log_prob == pytest.approx(float(totals.max()), abs=1e-4)


def test_the_members_look_as_the_search_asks(members):
    """argmax and sample are the mean of members that look so; a member without places to choose is refused."""
    hard = [member(seed, HardAttentionLSTM) for seed in range(2)]
    batch, ensemble = a_batch(), Ensemble(hard).eval()
    for context in ("argmax", "sample"):
        settings = SearchSettings(beam=3, longest=5, context=context, seed=4)
        with torch.no_grad():
            looking = with_context(ensemble, settings)(batch)
            own = [model.looking(context, 4)(batch) for model in hard]
        torch.testing.assert_close(looking.log_probs.exp(), (own[0].log_probs.exp() + own[1].log_probs.exp()) / 2)
        assert set(looking.attention.unique().tolist()) <= {0.0, 0.5, 1.0}
        by_hand = Ensemble([model.looking(context, 4) for model in hard]).eval()
        plain = replace(settings, context="expected")
        for [found], [own_way] in zip(
            beam_search(ensemble, batch.annotations, None, VOCABULARY, settings),
            beam_search(by_hand, batch.annotations, None, VOCABULARY, plain),
            strict=True,
        ):
            assert (found.ids, found.log_prob) == (own_way.ids, own_way.log_prob)
        with pytest.raises(UserError, match=rf"search\.context={context}: no effect on this run"):
            beam_search(Ensemble([hard[0], members[0]]).eval(), batch.annotations, None, VOCABULARY, settings)
    with torch.no_grad():
        assert not torch.equal(looking.log_probs, ensemble(batch).log_probs)


@pytest.fixture
def out(photo_run: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of the run on photos, and a second run with slightly other weights."""
    tiny_encoder(monkeypatch)
    shutil.copytree(photo_run, tmp_path / "out")
    runs = tmp_path / "out" / "runs"
    shutil.copytree(runs / NAME, runs / "other")
    best = torch.load(runs / "other" / "best.pt", weights_only=True)
    torch.manual_seed(0)
    best["model"] = {name: value + 0.1 * torch.randn_like(value) for name, value in best["model"].items()}
    torch.save(best, runs / "other" / "best.pt")
    return tmp_path / "out"


def call(*words: str | Path) -> Result:
    return CliRunner().invoke(attend, [str(word) for word in words])


def test_loaded_runs_are_averaged(out: Path) -> None:
    runs = [out / "runs" / NAME, out / "runs" / "other"]
    captioners = [load_captioner(run, device="cpu") for run in runs]
    size = len(captioners[0].vocabulary)
    annotations, words = torch.rand(2, 4, 4), torch.randint(0, size, (2, 5))
    by_hand = sum(captioner.log_probs(annotations, words).exp() for captioner in captioners) / 2
    torch.testing.assert_close(load_captioner(runs, device="cpu").log_probs(annotations, words).exp(), by_hand)
    one = load_captioner(runs[:1], device="cpu")
    assert torch.equal(one.log_probs(annotations, words), captioners[0].log_probs(annotations, words))


def test_bleu_and_caption_take_several_runs(out: Path) -> None:
    result = call("bleu", "--run", f"{NAME} other", "--out", out, "--split", "val", "--device", "cpu")
    assert result.exit_code == 0, result.output
    folder = out / "runs" / f"{NAME}+other"
    assert sorted(path.name for path in folder.iterdir()) == [
        "captions-val.json",
        "per-image-val.jsonl",
        "scores-val.json",
    ]
    scores = json.loads((folder / "scores-val.json").read_text())
    assert [entry["run"] for entry in scores["members"]] == [NAME, "other"]
    assert (scores["run"], scores["variant"], scores["step"], scores["seed"]) == (folder.name, "ensemble", None, None)
    assert len({scores["made_from"]["checkpoint"], *(entry["checkpoint"] for entry in scores["members"])}) == 3
    assert f"mean of the word distributions of 2 runs: {NAME}, other" in result.output
    again = call("bleu", "--run", f"{NAME} other", "--out", out, "--split", "val", "--device", "cpu")
    assert "val is already scored" in again.output
    store = FeatureStore(out / "features" / "tiny" / "tiny")
    image_id = next(item.image_id for item in store.items if item.split == "val")
    scored = {row["image_id"]: row["caption"] for row in json.loads((folder / "captions-val.json").read_text())}
    told = call("caption", "--run", f"{NAME} other", "--out", out, "--images", out / "photos" / image_id)
    assert told.exit_code == 0, told.output
    assert json.loads(told.stdout)["caption"] == scored[image_id]


@pytest.mark.fault(
    "an ensemble of runs that do not belong together", "refused, what differs is named", "Captions and pictures"
)
def test_what_does_not_belong_together_is_named(out: Path, grid_run: Path) -> None:
    runs = out / "runs"
    with pytest.raises(UserError, match=f"an ensemble has {NAME} twice"):
        load_ensemble([runs / NAME, runs / NAME])
    shutil.copytree(grid_run / "runs" / NAME, runs / "grid")
    with pytest.raises(UserError, match=f"grid and {NAME} have different vocabularies"):
        load_ensemble([runs / NAME, runs / "grid"])
    settings = (runs / "other" / "config.toml").read_text()
    (runs / "other" / "config.toml").write_text(settings.replace('weights = "random:1"', 'weights = "random:2"'))
    with pytest.raises(UserError, match=r"see different features \(weights: random:2, not random:1\)"):
        load_ensemble([runs / NAME, runs / "other"])
    (runs / "other" / "config.toml").write_text(settings)
    shutil.copytree(runs / "other", runs / f"{NAME}+other")
    with pytest.raises(UserError, match=r"\+other is a run of its own: rename it"):
        load_ensemble([runs / NAME, runs / "other"])
    for command in ("report", "naming"):
        result = call(command, "--run", f"{NAME} other", "--out", out)
        assert "this command takes one run" in str(result.exception)


@pytest.mark.fault("a run with a space in its name", "one run", "Captions and pictures")
def test_a_run_with_a_space_in_its_name_is_one_run(out: Path) -> None:
    shutil.copytree(out / "runs" / NAME, out / "runs" / "my run")
    result = call("bleu", "--run", "my run", "--out", out, "--split", "val", "--device", "cpu")
    assert result.exit_code == 0, result.output
    assert json.loads((out / "runs" / "my run" / "scores-val.json").read_text())["members"] == []
