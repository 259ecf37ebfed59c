"""A caption as the search returns it: words with what the model thought and where it looked at each."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from attend.data.vocabulary import Vocabulary
from attend.data.words import join
from attend.score.search.trace import Trace


@dataclass(frozen=True, eq=False)
class Caption:
    """One caption of T words; the end word is not among them."""

    ids: tuple[int, ...]
    words: tuple[str, ...]
    log_prob: float
    """log p of the caption: the sum over its words, and over the end word where it is finished."""
    word_log_probs: np.ndarray  # (T,) float32
    attention: np.ndarray  # (T, L) float32, each row sums to 1
    gates: np.ndarray  # (T,) float32
    finished: bool
    """False: cut at the length limit before the model ended it."""

    @property
    def probabilities(self) -> np.ndarray:
        """p of each word given those before it, (T,): how sure the model was of it."""
        return np.exp(self.word_log_probs)

    @property
    def text(self) -> str:
        """The words as one line."""
        return join(self.words)


def captions_of(trace: Trace, totals: list[float], finished: bool, vocabulary: Vocabulary) -> list[Caption]:
    """Each row of a trace as a caption with its total log-probability; the last step of a finished one is the end."""
    length = trace.words.shape[1] - int(finished)
    ids = trace.words[:, :length].tolist()
    log_probs = trace.log_probs[:, :length].cpu().numpy()
    attention = trace.attention[:, :length].cpu().numpy()
    gates = trace.gates[:, :length].cpu().numpy()
    return [
        Caption(
            tuple(ids[row]),
            tuple(vocabulary.words[number] for number in ids[row]),
            total,
            log_probs[row],
            attention[row],
            gates[row],
            finished,
        )
        for row, total in enumerate(totals)
    ]
