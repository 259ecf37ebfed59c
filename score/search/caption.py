"""A caption as the search returns it: words with what the model thought and where it looked at each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from attend.data.vocabulary import Vocabulary
from attend.data.words import join
from attend.score.search.history import Said


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
    def text(self) -> str:
        """The words as one line."""
        return join(self.words)


def captions_of(said: Said, ends: Sequence[tuple[int, float, bool]], vocabulary: Vocabulary) -> list[Caption]:
    """Captions from what they said and how they ended: steps, total log-probability, and whether finished.

    The last step of a finished one is the end word.
    """
    ids, log_probs = said.words.tolist(), said.log_probs.cpu().numpy()
    attention, gates = said.attention.cpu().numpy(), said.gates.cpu().numpy()
    captions = []
    for row, (steps, total, finished) in enumerate(ends):
        length = steps - int(finished)
        own = tuple(ids[row][:length])
        words = tuple(vocabulary.words[number] for number in own)
        parts = (part[row, :length] for part in (log_probs, attention, gates))
        captions.append(Caption(own, words, total, *parts, finished))
    return captions
