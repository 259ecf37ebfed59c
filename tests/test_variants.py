"""Every registered captioner through the same checks: a new one is tested by being registered."""

from __future__ import annotations

from dataclasses import fields, replace

import pytest
import torch

from attend.data.vocabulary import END, SPECIAL, Vocabulary
from attend.errors import UserError
from attend.score.search.beam import beam_search
from attend.train.config import ModelSettings, SearchSettings, TrainConfig
from attend.train.models.interface import NO_WORD, Batch
from attend.train.models.variants import VARIANTS, build_captioner, build_objective, refuse_without_effect
from attend.train.optimizer import build_optimizer
from attend.train.step import train_step

B, L, D, K, T = 4, 6, 5, 9, 5
VOCABULARY = Vocabulary((*SPECIAL, "a", "b", "c", "d", "e", "f", "g"))


@pytest.fixture(params=sorted(VARIANTS))
def variant(request):
    return request.param


@pytest.fixture
def model(variant):
    torch.manual_seed(0)
    captioner = build_captioner(variant, ModelSettings(units=7, embedding=4, dropout=0.0), D, K)
    with torch.no_grad():
        for weight in captioner.parameters():
            weight.normal_(std=0.5)
    return captioner


def a_batch(places: int = L) -> Batch:
    torch.manual_seed(1)
    words = torch.randint(2, K, (B, T))
    words[:, -1] = END
    return Batch(torch.randn(B, places, D), words, torch.full((B,), T))


@pytest.mark.parametrize("places", [1, L])
def test_shapes_and_that_probabilities_sum_to_one(model, places):
    output = model.eval()(a_batch(places))
    assert output.log_probs.shape == (B, T, K)
    assert output.log_probs.dtype == torch.float32
    assert output.attention.shape == (B, T, places)
    assert output.gates.shape == (B, T)
    torch.testing.assert_close(output.log_probs.exp().sum(-1), torch.ones(B, T))
    torch.testing.assert_close(output.attention.sum(-1), torch.ones(B, T))
    assert ((output.gates >= 0) & (output.gates <= 1)).all()


def test_a_word_depends_on_the_words_before_it_only(model):
    batch = a_batch()
    other = Batch(batch.annotations, batch.words.clone(), batch.lengths)
    other.words[:, 3] = (other.words[:, 3] - 1) % (K - 2) + 2
    first, second = model.eval()(batch).log_probs, model(other).log_probs
    torch.testing.assert_close(first[:, :4], second[:, :4], atol=1e-6, rtol=0)
    assert not torch.allclose(first[:, 4], second[:, 4], atol=1e-4)


def test_stepping_equals_teacher_forcing(model):
    batch = a_batch()
    with torch.no_grad():
        output = model.eval()(batch)
        state, previous = model.start(batch.annotations), torch.full((B,), NO_WORD)
        for t in range(T):
            log_probs, state, look = model.step(state, previous)
            torch.testing.assert_close(log_probs, output.log_probs[:, t], atol=1e-5, rtol=0)
            torch.testing.assert_close(look.weights, output.attention[:, t], atol=1e-5, rtol=0)
            previous = batch.words[:, t]


def test_one_step_lowers_the_loss_and_moves_every_weight(model, variant):
    config = TrainConfig()
    objective = build_objective(variant, config)
    optimizer = build_optimizer(model, config.optim)
    before = {name: weight.detach().clone() for name, weight in model.named_parameters()}
    first, second = (
        # a_batch() seeds the generator, so hard attention throws the same coins twice
        train_step(model.train(), a_batch(), objective, config, optimizer, None, "float32")
        for _ in range(2)
    )
    assert second.loss < first.loss
    still = [name for name, weight in model.named_parameters() if torch.equal(weight, before[name])]
    # A constant added to every score changes no softmax: c of eq. 4 never moves.
    assert still in ([], ["attention.score.bias"])


def test_beam_one_is_greedy_and_a_photo_alone_is_as_in_a_batch(model):
    annotations = a_batch().annotations
    settings = SearchSettings(beam=1, longest=6, suppress_unknown=False)
    found = beam_search(model.eval(), annotations, None, VOCABULARY, settings)
    with torch.no_grad():
        for row, [best] in enumerate(found):
            state, previous, ids = model.start(annotations[row : row + 1]), torch.tensor([NO_WORD]), []
            while len(ids) < 6:
                log_probs, state, _ = model.step(state, previous)
                previous = log_probs.argmax(dim=-1)
                if previous.item() == END:
                    break
                ids.append(int(previous))
            assert list(best.ids) == ids
            [[alone]] = beam_search(model, annotations[row : row + 1], None, VOCABULARY, settings)
            assert alone.ids == best.ids


def test_captions_end(model):
    """Once the end word is made the likeliest, every caption ends at once."""
    with torch.no_grad():
        for name, weight in model.named_parameters():
            if name.endswith("to_words.bias"):
                weight[END] = 50
    found = beam_search(model.eval(), a_batch().annotations, None, VOCABULARY, SearchSettings(beam=3, longest=6))
    assert all(best.finished and best.ids == () for [best] in found)


def test_weights_go_through_a_state_dict(model, variant):
    again = build_captioner(variant, model.settings, D, K)
    again.load_state_dict(model.state_dict())
    with torch.no_grad():
        assert torch.equal(again.eval()(a_batch()).log_probs, model.eval()(a_batch()).log_probs)


CHANGES = {
    "units": 6,
    "embedding": 3,
    "attention_layers": 1,
    "init_layers": 1,
    "gate": False,
    "output_context": False,
    "output_previous_word": False,
    "output_layers": 2,
    "annotation_lstm": True,
    "dropout": 0.5,
}


def fresh_log_probs(variant: str, settings: ModelSettings) -> torch.Tensor:
    """What a captioner of seed 0 says in training."""
    torch.manual_seed(0)
    captioner = build_captioner(variant, settings, D, K).train()
    with torch.no_grad():
        return captioner(a_batch()).log_probs


def test_a_setting_of_the_model_changes_it_or_is_said_to_be_without_effect(variant):
    assert set(CHANGES) == {item.name for item in fields(ModelSettings)}
    plain = ModelSettings(units=7, embedding=4, dropout=0.0)
    before = fresh_log_probs(variant, plain)
    idle = {
        f"model.{name}"
        for name, value in CHANGES.items()
        if torch.equal(fresh_log_probs(variant, replace(plain, **{name: value})), before)
    }
    assert idle == {name for name in VARIANTS[variant].without_effect if name.startswith("model.")}


@pytest.mark.parametrize("changes", [{"annotation_lstm": True}, {"output_layers": 2}])
def test_further_layers_learn_wherever_they_have_an_effect(variant, changes):
    if {f"model.{name}" for name in changes} & VARIANTS[variant].without_effect:
        with pytest.raises(UserError, match=f"no effect with VARIANT={variant}"):
            refuse_without_effect(variant, {"model": changes})
        return
    torch.manual_seed(0)
    model = build_captioner(variant, ModelSettings(units=7, embedding=4, dropout=0.0, **changes), D, K).double()
    with torch.no_grad():
        for weight in model.parameters():
            weight.normal_(std=0.5)
    batch = a_batch()
    output = model(Batch(batch.annotations.double(), batch.words, batch.lengths))
    assert output.log_probs.dtype == torch.float64
    output.log_probs.gather(2, batch.words.unsqueeze(2)).sum().backward()
    still = [name for name, weight in model.named_parameters() if weight.grad is None or not weight.grad.any()]
    assert still in ([], ["attention.score.bias"])


def test_an_unknown_variant_is_named():
    with pytest.raises(UserError, match="VARIANT=hardest is unknown: one of "):
        build_captioner("hardest", ModelSettings(), D, K)
