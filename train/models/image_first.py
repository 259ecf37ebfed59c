"""A captioner that reads the photo once, as the first input of the LSTM (arXiv 1411.4555, eq. 10-12)."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from attend.train.config import ModelSettings
from attend.train.models.equal_weights import equal_weights
from attend.train.models.first_state import mean_annotation
from attend.train.models.initial_weights import initialise, initialise_blocks, linear
from attend.train.models.interface import Attention, Batch, ImagePart, Output, State
from attend.train.models.lstm_step import lstm_step
from attend.train.models.wide import wide
from attend.train.models.word_output import WordOutput
from attend.train.models.words_in import embed_words


class ImageFirstLSTM(nn.Module):
    """x_0 = W mean(a) + b read from the state h = c = 0, then x_t = E y_{t-1}: the LSTM alone remembers the photo.

    Neither context nor gate: the weights it reports are equal, as in the mean, and the gate is 0.
    """

    def __init__(self, settings: ModelSettings, channels: int, words: int) -> None:
        super().__init__()
        n, m = settings.units, settings.embedding
        self.settings, self.channels, self.words = settings, channels, words
        self.embedding = nn.Embedding(words, m)  # E
        initialise(self.embedding.weight.data)
        self.image = linear(channels, m)  # W and b
        self.from_hidden = linear(n, 4 * n, bias=False)  # U
        self.word_gates = linear(m, 4 * n)  # W and b of the LSTM
        for joined in (self.from_hidden, self.word_gates):
            initialise_blocks(joined.weight.data, [n] * 4)
        self.word_output = WordOutput(
            n, m, channels, words, settings.dropout, context=False, previous=settings.output_previous_word
        )

    def start(self, annotations: Tensor, mask: Tensor | None = None) -> State:
        """See `Captioner.start`: the state after the photo was read."""
        gates = self.word_gates(self.image(mean_annotation(annotations, mask)))  # (B, 4n)
        hidden, cell = lstm_step(gates, wide(gates.new_zeros((len(gates), self.settings.units))))
        return State(ImagePart(annotations, annotations, mask), hidden, cell)

    def step(self, state: State, previous_words: Tensor) -> tuple[Tensor, State, Attention]:
        """See `Captioner.step`."""
        output, state = self._read(state, previous_words.unsqueeze(1))
        return output.log_probs[:, 0], state, Attention(output.attention[:, 0], output.gates[:, 0])

    def forward(self, batch: Batch) -> Output:
        """See `Captioner.forward`."""
        return self._read(self.start(batch.annotations, batch.mask), batch.inputs)[0]

    def _read(self, state: State, previous_words: Tensor) -> tuple[Output, State]:
        """The steps that read the words (B·R, T), and the state behind them."""
        embedded = embed_words(self.embedding, previous_words)  # (B·R, T, m)
        hidden, cell, outputs = state.hidden, state.cell, []
        for gates in self.word_gates(embedded).unbind(dim=1):
            hidden, cell = lstm_step(gates + self.from_hidden(hidden), cell)
            outputs.append(hidden)
        log_probs = self.word_output(torch.stack(outputs, 1), embedded.new_zeros(()), embedded)
        image = state.image
        weights = equal_weights(image.annotations, image.mask)  # (B, L)
        weights = weights.repeat_interleave(len(hidden) // len(weights), dim=0).unsqueeze(1)
        gates = weights.new_zeros(previous_words.shape)
        steps = previous_words.shape[1]
        after = State(image, hidden, cell, state.step + steps, state.choice)
        return Output(log_probs, weights.expand(-1, steps, -1), gates), after
