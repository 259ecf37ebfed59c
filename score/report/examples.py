"""The captions a report shows, and where the model looked at each of their words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

import numpy as np
import torch

from attend.data.items import Item
from attend.data.store_reader import FeatureStore
from attend.data.vocabulary import END
from attend.score.search.context import with_context
from attend.train.config import SearchSettings
from attend.train.models.interface import Batch, Captioner
from attend.train.run import Run

GROUPS = ("best", "median", "worst")


@dataclass(frozen=True, eq=False)
class Example:
    """One captioned photo of a report."""

    group: str
    """`best`, `median` or `worst`."""
    item: Item
    text: str
    words: tuple[str, ...]
    sentence_bleu4: float
    log_prob: float
    attention: np.ndarray  # (T, L)
    gates: np.ndarray  # (T,)
    probabilities: np.ndarray  # (T,) of each word given those before it


def choose(captions: Sequence[Mapping[str, Any]], each: int) -> list[tuple[str, Mapping[str, Any]]]:
    """`each` best, median and worst captions by sentence BLEU-4, best first; no image twice, none without a score.

    With fewer than three groups' worth of captions every group gets a third of them.
    """
    scored = [caption for caption in captions if caption["sentence_bleu4"] is not None]
    ranked = sorted(scored, key=lambda caption: -caption["sentence_bleu4"])
    each = min(each, max(1, len(ranked) // 3))
    middle = max(each, (len(ranked) - each) // 2)
    slices = (ranked[:each], ranked[middle : middle + each], ranked[max(middle + each, len(ranked) - each) :])
    return [(group, caption) for group, chosen in zip(GROUPS, slices, strict=True) for caption in chosen]


def make_example(
    run: Run,
    store: FeatureStore,
    item: Item,
    group: str,
    caption: Mapping[str, Any],
    search: SearchSettings | None = None,
) -> Example:
    """A caption from `captions-SPLIT.json`, with the attention found by reading its words back (teacher forcing).

    `search` is the one that found it, by default the run's own: hard attention looks again where it looked then.
    """
    words = tuple(caption["words"])
    ids = run.vocabulary.encode(words)
    device = next(iter(run.model.parameters())).device
    annotations = torch.from_numpy(store.read([item.image_id])).to(device).float()  # (1, L, D)
    forced = torch.tensor([[*ids, END]], device=device)  # (1, T + 1)
    lengths = torch.tensor([len(ids) + 1], device=device)
    captioner = with_context(cast(Captioner, run.model), search or run.config.search)
    with torch.inference_mode():
        output = captioner(Batch(annotations, forced, lengths))
    log_probs = output.log_probs[0].gather(1, forced[0].unsqueeze(1)).squeeze(1)  # (T + 1,)
    return Example(
        group,
        item,
        caption["caption"],
        words,
        caption["sentence_bleu4"],
        caption["log_prob"],
        output.attention[0, :-1].float().cpu().numpy(),
        output.gates[0, :-1].float().cpu().numpy(),
        log_probs[:-1].exp().cpu().numpy(),
    )
