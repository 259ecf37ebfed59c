"""The captioner of the paper: an LSTM that looks at the photo before every word (section 3.1.2)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import torch
from torch import Tensor, nn

from attend.train.config import ModelSettings
from attend.train.models.additive_scores import KeyGradient, share_keys
from attend.train.models.annotation_lstm import AnnotationLSTM
from attend.train.models.first_state import FirstState
from attend.train.models.initial_weights import initialise, initialise_blocks, linear
from attend.train.models.interface import Attention, Batch, ImagePart, Output, State
from attend.train.models.lstm_step import lstm_step
from attend.train.models.repeated_linear import RepeatedLinear
from attend.train.models.soft_attention import SoftAttention
from attend.train.models.wide import wide
from attend.train.models.word_output import WordOutput
from attend.train.models.words_in import embed_words


@dataclass(frozen=True)
class _Matrices:
    """What every step multiplies with: plain layers, or forms that gather their gradients over the steps."""

    from_hidden: Callable[[Tensor], Tensor]
    context_gates: Callable[[Tensor], Tensor]
    gathered: KeyGradient | None


class AttentionLSTM(nn.Module):
    """`Captioner` of eq. 1-7 with soft attention; L is free, D and K are fixed at construction.

    `channels` are those that attention sees: D, or 2n behind an annotation LSTM.
    """

    def __init__(self, settings: ModelSettings, channels: int, words: int) -> None:
        super().__init__()
        n, m = settings.units, settings.embedding
        self.annotation_lstm = AnnotationLSTM(channels, n) if settings.annotation_lstm else None
        if self.annotation_lstm is not None:
            channels = self.annotation_lstm.channels
        self.settings, self.channels, self.words = settings, channels, words
        self.embedding = nn.Embedding(words, m)  # E
        initialise(self.embedding.weight.data)
        self.first_state = FirstState(channels, n, settings.init_layers, settings.dropout)
        self.attention = self.make_attention()
        # Everything that reads h_{t-1} is one matrix: U for the four gates, W_h for attention, w for the context gate.
        self.reads = [4 * n, self.attention.query_width] + ([1] if settings.gate else [])
        self.from_hidden = linear(n, sum(self.reads), bias=False)
        initialise_blocks(self.from_hidden.weight.data, [n] * 4 + self.reads[1:])
        self.gate_bias = nn.Parameter(torch.zeros(())) if settings.gate else None
        self.word_gates = linear(m, 4 * n)  # W and b
        initialise_blocks(self.word_gates.weight.data, [n] * 4)
        self.context_gates = linear(channels, 4 * n, bias=False)  # Wc
        self.word_output = WordOutput(
            n,
            m,
            channels,
            words,
            settings.dropout,
            settings.output_context,
            settings.output_previous_word,
            settings.output_layers,
        )

    def make_attention(self) -> Any:
        """What chooses the weights of the places; a variant that looks otherwise has another."""
        return SoftAttention(self.channels, self.settings.attention_layers)

    def start(self, annotations: Tensor, mask: Tensor | None = None) -> State:
        """See `Captioner.start`."""
        if self.annotation_lstm is not None:
            annotations = self.annotation_lstm(annotations, mask)
        hidden, cell = self.first_state(annotations, mask)
        return State(ImagePart(annotations, self.attention.keys(annotations), mask), wide(hidden), wide(cell))

    def step(self, state: State, previous_words: Tensor) -> tuple[Tensor, State, Attention]:
        """See `Captioner.step`."""
        embedded = embed_words(self.embedding, previous_words)  # (B·R, m)
        matrices = _Matrices(self.from_hidden, self.context_gates, None)
        state, context, look = self._advance(state, self.word_gates(embedded), matrices)
        return self.word_output(state.hidden, context, embedded), state, look

    def forward(self, batch: Batch) -> Output:
        """See `Captioner.forward`."""
        return self.read(self.start(batch.annotations, batch.mask), batch.inputs)

    def read(self, state: State, previous_words: Tensor) -> Output:
        """All steps from given previous words (B·R, T) at once; the output has B·R rows.

        What does not depend on the state is computed for all steps together.
        """
        keys, gathered = share_keys(state.image.keys)
        state = replace(state, image=replace(state.image, keys=keys))
        matrices = _Matrices(
            RepeatedLinear(self.from_hidden.weight), RepeatedLinear(self.context_gates.weight), gathered
        )
        embedded = embed_words(self.embedding, previous_words)  # (B·R, T, m)
        word_gates = self.word_gates(embedded)  # (B·R, T, 4n)
        hidden, contexts, looks = [], [], []
        for gates in word_gates.unbind(dim=1):
            state, context, look = self._advance(state, gates, matrices)
            hidden.append(state.hidden)
            contexts.append(context)
            looks.append(look)
        log_probs = self.word_output(torch.stack(hidden, 1), torch.stack(contexts, 1), embedded)
        attention = torch.stack([look.weights for look in looks], 1)
        drawn_from = [look.log_alpha for look in looks if look.log_alpha is not None]
        return Output(
            log_probs,
            attention,
            torch.stack([look.gate for look in looks], 1),
            torch.stack(drawn_from, 1) if drawn_from else None,
        )

    def look(self, state: State, query: Tensor, gathered: KeyGradient | None) -> tuple[Tensor, Tensor, Tensor | None]:
        """Query (B, R, D) → context (B, R, D), weights (B, R, L), and log alpha (B, R, L) where places are chosen."""
        image = state.image
        context, alpha = self.attention(image.annotations, image.keys, query, image.mask, gathered)
        return context, alpha, None

    def _advance(self, state: State, word_gates: Tensor, matrices: _Matrices) -> tuple[State, Tensor, Attention]:
        """One LSTM step from W E y_{t-1} + b (B·R, 4n): the new state, the gated context (B·R, D), where it looked."""
        image = state.image
        gates, query, *gate = matrices.from_hidden(state.hidden).split(self.reads, dim=-1)
        query = query.unflatten(0, (len(image.keys), len(query) // len(image.keys)))  # (B, R, D)
        context, weights, log_alpha = self.look(state, query, matrices.gathered)
        context, weights = context.flatten(0, 1), weights.flatten(0, 1)  # (B·R, D), (B·R, L)
        log_alpha = None if log_alpha is None else log_alpha.flatten(0, 1)
        # Section 4.2.1: beta_t = sigmoid(w·h_{t-1} + b) scales z for the LSTM and for the output.
        if self.gate_bias is not None:
            beta = (wide(gate[0]) + self.gate_bias).sigmoid()  # (B·R, 1)
            context = beta.to(context.dtype) * context
        else:
            beta = wide(context.new_ones((len(context), 1)))
        hidden, cell = lstm_step(gates + word_gates + matrices.context_gates(context), state.cell)
        state = replace(state, hidden=hidden, cell=cell, step=state.step + 1)
        return state, context, Attention(weights, beta.squeeze(-1), log_alpha)
