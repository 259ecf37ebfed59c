"""The captioners without a choice of places against the NumPy decoder and against soft attention made blind."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from attend.train.config import ModelSettings
from attend.train.models.attention_lstm import AttentionLSTM
from attend.train.models.equal_weights import MeanLSTM, UniformLSTM, equal_weights
from attend.train.models.image_first import ImageFirstLSTM
from attend.train.models.interface import NO_WORD, Batch
from tests.numpy_decoder import sigmoid, softmax

B, L, D, K = 3, 6, 5, 11


def make(kind, **changes):
    torch.manual_seed(0)
    model = kind(ModelSettings(**{"units": 7, "embedding": 4, **changes}), D, K)
    with torch.no_grad():
        for weight in model.parameters():
            weight.normal_(std=0.5)
    return model.eval()


def a_batch(mask: torch.Tensor | None = None) -> Batch:
    torch.manual_seed(1)
    return Batch(torch.randn(B, L, D), torch.randint(1, K, (B, 5)), torch.full((B,), 5), mask)


@pytest.mark.parametrize(("kind", "gate"), [(UniformLSTM, True), (UniformLSTM, False), (MeanLSTM, True)])
def test_it_is_the_soft_model_with_scores_that_are_all_equal(kind, gate):
    """With v = 0 every score is c and every weight 1 / L; `mean` has no gate whatever was asked for."""
    model = make(kind, gate=gate)
    soft = make(AttentionLSTM, gate=gate and kind is UniformLSTM)
    weights, own = soft.state_dict(), model.state_dict()
    assert not any(name.startswith("attention.") for name in own)
    for name, value in own.items():
        if name == "from_hidden.weight":  # soft has rows for the query between those of the four gates and of beta
            weights[name][: 4 * 7] = value[: 4 * 7]
            weights[name][4 * 7 + D :] = value[4 * 7 :]
        else:
            weights[name] = value
    weights["attention.score.weight"].zero_()
    soft.load_state_dict(weights)
    with torch.no_grad():
        found, expected = model(a_batch()), soft(a_batch())
    torch.testing.assert_close(found.log_probs, expected.log_probs, atol=1e-5, rtol=0)
    torch.testing.assert_close(found.attention, torch.full((B, 5, L), 1 / L))
    torch.testing.assert_close(found.gates, expected.gates)
    assert found.gates.eq(1).all() == (kind is MeanLSTM or not gate)


def test_masked_places_do_not_count():
    mask = torch.ones(B, L, dtype=torch.bool)
    mask[:, 4:] = False
    whole = a_batch()
    cut = Batch(whole.annotations[:, :4], whole.words, whole.lengths)
    for kind in (UniformLSTM, MeanLSTM, ImageFirstLSTM):
        model = make(kind)
        with torch.no_grad():
            masked, short = model(a_batch(mask)), model(cut)
        torch.testing.assert_close(masked.log_probs, short.log_probs, atol=1e-5, rtol=0)
        assert masked.attention[..., 4:].eq(0).all()
    assert equal_weights(torch.zeros(1, 4, 1), mask[:1, [0, 1, 4, 5]]).tolist() == [[0.5, 0.5, 0, 0]]


@pytest.mark.parametrize("previous", [True, False])
def test_the_photo_is_the_first_input_only(previous):
    """Against NumPy, row vectors times matrices: x_0 = the projected mean, then the words; no start token."""
    model = make(ImageFirstLSTM, output_previous_word=previous)
    p = {name: value.detach().double().numpy() for name, value in model.named_parameters()}
    batch = a_batch()
    with torch.no_grad():
        output = model(batch)

    def read(x, h, c):
        total = x @ p["word_gates.weight"].T + p["word_gates.bias"] + h @ p["from_hidden.weight"].T
        i, f, o, g = np.split(total, 4)
        c = sigmoid(f) * c + sigmoid(i) * np.tanh(g)
        return sigmoid(o) * np.tanh(c), c

    for row in range(B):
        mean = batch.annotations[row].double().numpy().mean(axis=0)
        h, c = read(mean @ p["image.weight"].T + p["image.bias"], np.zeros(7), np.zeros(7))
        x = np.zeros(4)
        for t, word in enumerate(batch.words[row].tolist()):
            h, c = read(x, h, c)
            out = h @ p["word_output.from_hidden.weight"].T + p["word_output.from_hidden.bias"]
            logits = np.tanh(out + (x if previous else 0)) @ p["word_output.to_words.weight"].T
            expected = np.log(softmax(logits + p["word_output.to_words.bias"]))
            np.testing.assert_allclose(output.log_probs[row, t].numpy(), expected, atol=2e-5)
            x = p["embedding.weight"][word]
    assert output.gates.eq(0).all()


def test_several_captions_a_photo():
    for kind in (UniformLSTM, MeanLSTM, ImageFirstLSTM):
        model, batch = make(kind), a_batch()
        with torch.no_grad():
            expected = model(batch).log_probs
            state = model.start(batch.annotations).select(torch.arange(B).repeat_interleave(2))
            previous = torch.full((2 * B,), NO_WORD)
            for t in range(5):
                log_probs, state, look = model.step(state, previous)
                assert look.weights.shape == (2 * B, L)
                torch.testing.assert_close(log_probs, expected[:, t].repeat_interleave(2, 0), atol=1e-5, rtol=0)
                previous = batch.words[:, t].repeat_interleave(2)
