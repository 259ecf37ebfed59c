"""Scheduled sampling: which words a step reads, and that targets, weights and dropout are left alone."""

from __future__ import annotations

import pytest
import torch

from attend.train.config import ModelSettings, OptimSettings, TrainConfig
from attend.train.models.attention_lstm import AttentionLSTM
from attend.train.models.interface import NO_WORD, Batch
from attend.train.models.variants import build_objective
from attend.train.optimizer import build_optimizer
from attend.train.own_words import read_own_words
from attend.train.step import train_step

L, D, K, T = 4, 5, 9, 6


def make(favoured: int | None = None) -> AttentionLSTM:
    torch.manual_seed(0)
    model = AttentionLSTM(ModelSettings(units=7, embedding=4), D, K)
    if favoured is not None:
        with torch.no_grad():
            model.word_output.to_words.bias[favoured] = 60
    return model.train()


def a_batch(captions: int = 3) -> Batch:
    torch.manual_seed(1)
    words = torch.randint(2, K - 1, (captions, T))
    return Batch(torch.randn(captions, L, D), words, torch.full((captions,), T))


def test_a_word_of_its_own_is_read_with_the_probability_that_was_asked_for():
    batch = a_batch(400)
    mixed = read_own_words(make(favoured=K - 1), batch, 0.3)
    assert torch.equal(mixed.words, batch.words)
    assert mixed.inputs[:, 0].eq(NO_WORD).all()
    own = mixed.inputs[:, 1:] == K - 1  # no caption has this word
    assert torch.equal(mixed.inputs[:, 1:][~own], batch.words[:, :-1][~own])
    assert own.float().mean().item() == pytest.approx(0.3, abs=0.04)
    assert torch.equal(read_own_words(make(K - 1), batch, 0.0).inputs, batch.inputs)
    assert read_own_words(make(K - 1), batch, 1.0).inputs[:, 1:].eq(K - 1).all()


def test_words_are_drawn_from_the_models_distribution_after_what_it_read():
    """With probability 1 the second input is a sample of the first word's distribution, without dropout."""
    model, one = make(), a_batch(1)
    with torch.no_grad():
        model.word_output.to_words.weight.normal_()
        expected = model.eval()(one).log_probs[0, 0].exp()
    model.train()
    many = Batch(one.annotations.expand(5000, -1, -1), one.words.expand(5000, -1), torch.full((5000,), T))
    drawn = read_own_words(model, many, 1.0).inputs[:, 1]
    counts = torch.bincount(drawn, minlength=K) / len(drawn)
    torch.testing.assert_close(counts, expected, atol=0.03, rtol=0)
    assert model.training
    assert all(weight.grad is None for weight in model.parameters())


@pytest.mark.parametrize("precision", ["float32", "bfloat16"])
def test_a_step_with_it_still_reaches_every_weight(precision):
    model = make()
    config = TrainConfig(optim=OptimSettings(scheduled_sampling=0.5))
    optimizer = build_optimizer(model, config.optim)
    batch = a_batch()
    batch = Batch(batch.annotations.to(getattr(torch, precision)), batch.words, batch.lengths)
    train_step(model, batch, build_objective("soft", config), config, optimizer, None, precision)
    assert all(weight.grad is not None for weight in model.parameters())
