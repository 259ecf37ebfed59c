"""The decoder against a float64 re-statement of the paper's equations, and its parts by hand."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
import torch

from attend.train.config import ModelSettings
from attend.train.models.attention_lstm import AttentionLSTM
from attend.train.models.first_state import FirstState
from attend.train.models.interface import NO_WORD, Batch
from attend.train.models.lstm_step import lstm_step
from attend.train.models.soft_attention import SoftAttention
from tests.numpy_decoder import decode, parameters_of

B, L, D, K = 3, 6, 5, 11


def make_model(**changes) -> AttentionLSTM:
    torch.manual_seed(0)
    model = AttentionLSTM(ModelSettings(**{"units": 7, "embedding": 4, **changes}), D, K)
    with torch.no_grad():
        for weight in model.parameters():
            weight.normal_(std=0.5)
    return model.eval()


def a_batch(steps: int = 5, mask: torch.Tensor | None = None) -> Batch:
    torch.manual_seed(1)
    words = torch.randint(1, K, (B, steps))
    return Batch(torch.randn(B, L, D), words, torch.full((B,), steps), mask)


@pytest.mark.parametrize(
    ("gate", "output_context", "output_previous_word", "layers"),
    list(itertools.product([True, False], [True, False], [True, False], [(1, 1), (2, 2), (3, 3)])),
)
def test_equals_the_equations_in_float64(gate, output_context, output_previous_word, layers):
    model = make_model(
        gate=gate,
        output_context=output_context,
        output_previous_word=output_previous_word,
        attention_layers=layers[0],
        init_layers=layers[1],
        output_layers=layers[0],
    )
    batch = a_batch()
    with torch.no_grad():
        output = model(batch)
    for row in range(B):
        log_probs, attention, gates = decode(
            parameters_of(model),
            batch.annotations[row].double().numpy(),
            batch.words[row].tolist(),
            output_previous_word,
        )
        np.testing.assert_allclose(output.log_probs[row].numpy(), log_probs, atol=2e-5)
        np.testing.assert_allclose(output.attention[row].numpy(), attention, atol=2e-5)
        np.testing.assert_allclose(output.gates[row].numpy(), gates, atol=2e-5)


def test_stepping_equals_teacher_forcing_also_with_several_captions_a_photo():
    model, batch = make_model(), a_batch()
    with torch.no_grad():
        output = model(batch)
        state = model.start(batch.annotations)
        state = state.select(torch.arange(B).repeat_interleave(2))
        previous = torch.full((2 * B,), NO_WORD)
        for t in range(batch.words.shape[1]):
            log_probs, state, look = model.step(state, previous)
            for row in range(B):
                for twin in (2 * row, 2 * row + 1):
                    torch.testing.assert_close(log_probs[twin], output.log_probs[row, t], atol=1e-5, rtol=0)
                    torch.testing.assert_close(look.weights[twin], output.attention[row, t], atol=1e-5, rtol=0)
            previous = batch.words[:, t].repeat_interleave(2)


def test_the_first_word_sees_a_zero_embedding_and_no_start_token():
    model, batch = make_model(), a_batch()
    with torch.no_grad():
        before = model(batch).log_probs[:, 0]
        model.embedding.weight.normal_(std=9)
        after = model(batch).log_probs[:, 0]
    torch.testing.assert_close(before, after, atol=0, rtol=0)


def test_masked_places_change_nothing_and_get_no_attention():
    model = make_model()
    mask = torch.ones(B, L, dtype=torch.bool)
    mask[:, 4:] = False
    batch = a_batch(mask=mask)
    short = Batch(batch.annotations[:, :4], batch.words, batch.lengths)
    with torch.no_grad():
        masked, cut = model(batch), model(short)
    torch.testing.assert_close(masked.log_probs, cut.log_probs, atol=1e-5, rtol=0)
    assert masked.attention[..., 4:].eq(0).all()
    torch.testing.assert_close(masked.attention[..., :4], cut.attention, atol=1e-6, rtol=0)


def test_places_outside_the_mask_do_not_reach_the_annotation_lstm():
    model = make_model(annotation_lstm=True)
    mask = torch.tensor([[True, False, True, True, False, True]]).expand(B, -1)
    batch = a_batch(mask=mask)
    short = Batch(batch.annotations[:, mask[0]], batch.words, batch.lengths)
    with torch.no_grad():
        torch.testing.assert_close(model(batch).log_probs, model(short).log_probs, atol=1e-5, rtol=0)


def test_keeping_photos_keeps_their_rows():
    model, batch = make_model(), a_batch()
    with torch.no_grad():
        state = model.start(batch.annotations).select(torch.arange(B).repeat_interleave(2))
        state = model.step(state, torch.full((2 * B,), NO_WORD))[1]
        words = torch.arange(2 * B)
        whole = model.step(state, words)[0]
        kept = model.step(state.keep(torch.tensor([2, 0])), words[[4, 5, 0, 1]])[0]
    torch.testing.assert_close(kept, whole[[4, 5, 0, 1]], atol=1e-6, rtol=0)


def test_attention_by_hand():
    attention = SoftAttention(2, 1)
    with torch.no_grad():
        attention.key_layers[0].weight.copy_(torch.eye(2))
        attention.score.weight.copy_(torch.tensor([[1.0, 2.0]]))
        annotations = torch.tensor([[[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]]])
        query = torch.tensor([[[0.0, 0.0]]])
        context, alpha = attention(annotations, attention.keys(annotations), query, None)
    scores = np.array([0.0, np.tanh(1.0), 2 * np.tanh(1.0)])
    expected = np.exp(scores) / np.exp(scores).sum()
    np.testing.assert_allclose(alpha[0, 0].numpy(), expected, atol=1e-6)
    np.testing.assert_allclose(context[0, 0].numpy(), expected[1:], atol=1e-6)


def test_lstm_gates_are_input_forget_output_candidate():
    closed, opened = -50.0, 50.0
    cell = torch.tensor([[0.3]])
    hidden, kept = lstm_step(torch.tensor([[closed, opened, opened, 2.0]]), cell)
    assert kept.item() == pytest.approx(0.3)
    assert hidden.item() == pytest.approx(np.tanh(0.3))
    _, written = lstm_step(torch.tensor([[opened, closed, opened, 2.0]]), cell)
    assert written.item() == pytest.approx(np.tanh(2.0))
    shut, _ = lstm_step(torch.tensor([[opened, opened, closed, 2.0]]), cell)
    assert shut.item() == pytest.approx(0.0, abs=1e-6)


def test_initial_weights_are_the_authors():
    torch.manual_seed(3)
    model = AttentionLSTM(ModelSettings(units=64, embedding=32), 48, 500)
    square = model.attention.key_layers[0].weight
    torch.testing.assert_close(square @ square.T, torch.eye(48), atol=1e-5, rtol=0)
    for block in model.from_hidden.weight[: 4 * 64].chunk(4):
        torch.testing.assert_close(block @ block.T, torch.eye(64), atol=1e-5, rtol=0)
    assert model.embedding.weight.std().item() == pytest.approx(0.01, rel=0.05)
    assert model.word_gates.weight.std().item() == pytest.approx(0.01, rel=0.05)
    assert all(
        value.eq(0).all() for name, value in model.named_parameters() if name.endswith("bias") or value.dim() == 0
    )


def test_dropout_is_at_the_papers_three_places_only():
    torch.manual_seed(0)
    model = AttentionLSTM(ModelSettings(units=7, embedding=4), D, K)
    assert sum(isinstance(module, torch.nn.Dropout) for module in model.modules()) == 2
    first = FirstState(D, 7, 2, 0.5)
    assert [type(layer).__name__ for layer in first.hidden_layers] == ["Linear", "ReLU", "Dropout"]
    # The output's one Dropout module acts twice: on h_t and after the tanh.
    model.train()
    calls = []
    model.word_output.dropout.register_forward_hook(lambda module, inputs, output: calls.append(output.shape[-1]))
    model(a_batch())
    assert calls == [7, 4]


@pytest.mark.parametrize("layers", [1, 2, 3])
def test_the_keys_are_those_of_the_layers_one_after_another(layers):
    torch.manual_seed(0)
    attention = SoftAttention(8, layers).double()
    for layer in attention.key_layers:
        torch.nn.init.normal_(layer.bias)
    annotations = torch.randn(3, 5, 8, dtype=torch.float64)
    expected = attention.key_layers[0](annotations)
    for layer in attention.key_layers[1:]:
        expected = layer(expected).tanh()
    found = attention.keys(annotations)
    torch.testing.assert_close(found, expected, rtol=0, atol=1e-14)
    weights = [*attention.key_layers.parameters()]
    weigh = torch.randn_like(found)
    for ours, theirs in zip(
        torch.autograd.grad((found * weigh).sum(), weights),
        torch.autograd.grad((expected * weigh).sum(), weights),
        strict=True,
    ):
        torch.testing.assert_close(ours, theirs, rtol=1e-12, atol=1e-13)
