"""How likely a captioner finds what people wrote: the number that BLEU parts from late in training (section 5.2.1)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import torch

from attend.data.store_reader import FeatureStore
from attend.data.vocabulary import Vocabulary
from attend.data.words import tokenise
from attend.score.decode import PHOTOS_AT_ONCE
from attend.score.read_back import read_back
from attend.train.config import SearchSettings
from attend.train.models.interface import Captioner


def caption_likelihoods(
    captioner: Captioner,
    vocabulary: Vocabulary,
    store: FeatureStore,
    captions: Mapping[str, str],
    settings: SearchSettings,
    device: torch.device,
    longest: int,
) -> dict[str, tuple[float, int]]:
    """Image id → log p of its caption, in nats, and its steps; the end word is a step, and of more than `longest` words
    the first are taken, as in training. Hard attention looks as `settings` say."""
    found: dict[str, tuple[float, int]] = {}
    ids = list(captions)
    for start in range(0, len(ids), PHOTOS_AT_ONCE):
        part = ids[start : start + PHOTOS_AT_ONCE]
        annotations = torch.from_numpy(store.read(part)).to(device).float()  # (B, L, D)
        texts = [tokenise(captions[image_id])[:longest] for image_id in part]
        for image_id, read in zip(part, read_back(captioner, annotations, texts, vocabulary, settings), strict=True):
            found[image_id] = (read.log_prob, len(read.words) + 1)
    return found


def per_word(likelihoods: Sequence[tuple[float, int]]) -> float:
    """Mean log p of a step over all captions, in nats."""
    return sum(log_prob for log_prob, _ in likelihoods) / sum(steps for _, steps in likelihoods)
