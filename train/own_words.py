"""Scheduled sampling: training steps that read words of the model's own (Bengio et al., arXiv 1506.03099)."""

from __future__ import annotations

from dataclasses import replace
from typing import cast

import torch
from torch import nn

from attend.train.models.interface import Batch, Captioner
from attend.train.share import drawn, multinomial


@torch.no_grad()
def read_own_words(model: nn.Module, batch: Batch, probability: float) -> Batch:
    """The batch with some previous words replaced; its target words stay.

    From the second step on, each step of each caption throws its own coin: with `probability` it reads a word drawn
    from p(y_{t-1} | what the steps before read, a) instead of the caption's y_{t-1}. The words are drawn one step
    after the other in a pass of their own, without dropout, with the test-time context and without gradient; the
    probability stays the same throughout training.
    """
    training = model.training
    captioner = cast(Captioner, model.eval())
    previous = batch.inputs.clone()  # (B, T)
    state = captioner.start(batch.annotations, batch.mask)
    for step in range(previous.shape[1] - 1):
        log_probs, state, _ = captioner.step(state, previous[:, step])
        words = multinomial(log_probs.exp())
        own = drawn(log_probs[:, 0], lambda coins: coins.uniform_()) < probability
        previous[:, step + 1] = torch.where(own, words, previous[:, step + 1])
    model.train(training)
    return replace(batch, previous=previous)
