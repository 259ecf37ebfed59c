"""Words as the decoder reads them."""

from __future__ import annotations

from torch import Tensor, nn

from attend.train.models.interface import NO_WORD


def embed_words(embedding: nn.Embedding, words: Tensor) -> Tensor:
    """Words (...) → E y (..., m), the zero vector for `NO_WORD`."""
    return embedding(words.clamp(min=0)) * (words != NO_WORD).unsqueeze(-1)
