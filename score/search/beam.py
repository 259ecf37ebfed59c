"""Beam search over a batch of photos, for any `Captioner`.

A beam of k is k places for captions of one photo. A caption that ends keeps its place and is set apart; the places
left go on, so the beam narrows as captions end, and a beam of 1 is greedy search.  # arctic: live_k, dead_k
"""

from __future__ import annotations

from dataclasses import dataclass, field

import torch
from torch import Tensor

from attend.data.vocabulary import END, UNKNOWN, Vocabulary
from attend.score.search.caption import Caption, captions_of
from attend.score.search.context import with_context
from attend.score.search.history import History
from attend.score.search.likeliest import likeliest
from attend.train.config import SearchSettings
from attend.train.models.interface import NO_WORD, Captioner

NEVER = float("-inf")
CROWDED = 0.9
"""Photos whose search is over go on being computed until they are more than a tenth: leaving them out copies the
annotations of the others."""


@dataclass(frozen=True)
class _Found:
    """A caption that may be returned: photo, step it left the search at, place there, total log p, score."""

    image: int
    step: int
    row: int
    total: float
    score: float
    finished: bool


@dataclass
class _Ends:
    """Captions that left the search, a (B', beam) table a step, on the device until the search is over."""

    _tables: list[tuple[Tensor, Tensor, Tensor, int, bool]] = field(default_factory=list)

    def add(self, images: Tensor, totals: Tensor, scores: Tensor, step: int, finished: bool) -> None:
        """Photos (B',), totals and scores (B', beam), NEVER where no caption left, at this step."""
        self._tables.append((images, totals, scores, step, finished))

    def best(self, photos: int, best: int) -> list[list[_Found]]:
        """The best of each photo, best first: finished before cut ones, then by score."""
        ranked: list[list[_Found]] = [[] for _ in range(photos)]
        for images, totals, scores, step, finished in self._tables:
            places = (scores > NEVER).nonzero()  # (N, 2)
            which, column = places.unbind(1)
            rows = which * scores.shape[1] + column
            values = zip(*(part[which, column].tolist() for part in (totals, scores)), strict=True)
            for image, row, (total, score) in zip(images[which].tolist(), rows.tolist(), values, strict=True):
                ranked[image].append(_Found(image, step, row, total, score, finished))
        for entries in ranked:
            entries.sort(key=lambda found: (found.finished, found.score), reverse=True)
        return [entries[:best] for entries in ranked]


@torch.inference_mode()
def beam_search(
    captioner: Captioner,
    annotations: Tensor,
    mask: Tensor | None,
    vocabulary: Vocabulary,
    settings: SearchSettings,
    best: int = 1,
) -> list[list[Caption]]:
    """The `best` captions of each photo, best first, from annotations (B, L, D) and an optional mask (B, L).

    A caption is scored by log p / t^a, with t its steps (the end word is one) and a `settings.length_normalisation`.
    Finished captions come before those cut after `settings.longest` words, whatever their scores: the probability of
    a beginning is that of all its continuations. A photo can have fewer than `best`, never none.
    The search for a photo stops early only when nothing in progress can still be among its `best`: log p never rises,
    and t never exceeds the limit, so no continuation of a caption with total s scores above s / longest^a.
    ValueError when `best` is not between 1 and the beam, when dropout is on, and when the model gives NaN.
    """
    beam, longest, power = settings.beam, settings.longest, settings.length_normalisation
    if not 1 <= best <= beam or longest < 1 or power < 0:
        raise ValueError(f"need 1 <= best <= beam, longest >= 1, length_normalisation >= 0: {best=}, {settings}")
    if getattr(captioner, "training", False):
        raise ValueError("the captioner is in training mode, where dropout is on: call eval() first")
    if len(annotations) == 0:
        return []
    captioner = with_context(captioner, settings)
    photos, device = len(annotations), annotations.device
    images = torch.arange(photos, device=device)  # (B',) that are still computed
    column = torch.arange(beam, device=device)
    state = captioner.start(annotations, mask)
    words = torch.full((photos,), NO_WORD, device=device)  # (B'·R,) previous words
    totals = torch.zeros((photos, 1), device=device)  # (B', R) log p so far; NEVER: an empty place
    places = torch.full((photos, 1), beam, device=device)  # (B', 1) places left to captions in progress
    returned = torch.full((photos, best), NEVER, device=device)  # (B', best) scores of the best that have ended
    history, ends, origins = History(), _Ends(), None
    for step in range(1, longest + 1):
        log_probs, state, look = captioner.step(state, words)  # (B'·R, K)
        totals, parents, words, of_words = _expand(totals, log_probs, beam, settings.suppress_unknown)  # (B', beam)
        history.add(words.flatten(), of_words.flatten(), parents.flatten(), look.weights, look.gate, origins)
        taken = (totals > NEVER) & (column < places)
        ended, live = taken & (words == END), taken & (words != END)
        scores = (totals / step**power).masked_fill(~ended, NEVER)
        ends.add(images, totals, scores, step, finished=True)
        returned = torch.cat([returned, scores], dim=1).topk(best).values
        places = places - ended.sum(dim=1, keepdim=True)
        wrong = totals.isnan().any()
        totals = totals.masked_fill(~live, NEVER)
        # What is in progress can still reach this; a photo goes on while that beats the worst caption to be returned.
        going = totals.max(dim=1).values / longest**power > returned[:, best - 1]  # (B',)
        totals = totals.masked_fill(~going.unsqueeze(1), NEVER)
        count, is_wrong = torch.stack([going.sum(), wrong]).tolist()  # the one wait for the device in a step
        if is_wrong:
            raise ValueError("the captioner gives log-probabilities that are not numbers")
        if count == 0 or step == longest:
            break
        rows, origins = parents, None
        if count <= CROWDED * len(images):
            kept = going.nonzero().squeeze(1)
            state, origins = state.select(parents.flatten()).keep(kept), (kept.unsqueeze(1) * beam + column).flatten()
            images, totals, places, words = images[kept], totals[kept], places[kept], words[kept]
            returned = returned[kept]
        else:
            state = state.select(rows.flatten())
        words = words.flatten()
    ends.add(images, totals, totals / longest**power, step, finished=False)
    return _captions(ends.best(photos, best), history, vocabulary, device)


def _expand(
    totals: Tensor, log_probs: Tensor, beam: int, suppress_unknown: bool
) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """The `beam` likeliest continuations of each photo's captions, likeliest first.

    From totals (B, R) and log p of the next words (B·R, K): their totals, parent rows (of B·R), words, and log p of
    the words, (B, beam) each. Where there are fewer continuations than that, the last ones have the total NEVER.
    """
    images, rows = totals.shape
    width = min(beam + suppress_unknown, log_probs.shape[1])
    log_probs, words = likeliest(log_probs, width)  # no caption has more than `beam` of the best continuations
    if suppress_unknown:
        log_probs = log_probs.masked_fill(words == UNKNOWN, NEVER)
    log_probs, words = log_probs.view(images, rows * width), words.view(images, rows * width)
    totals = (totals.unsqueeze(2) + log_probs.view(images, rows, width)).flatten(1)  # (B, R·width)
    totals, chosen = totals.topk(min(beam, rows * width))
    parents = torch.arange(images, device=totals.device).unsqueeze(1) * rows + chosen // width
    missing = beam - totals.shape[1]
    return (
        torch.nn.functional.pad(totals, (0, missing), value=NEVER),
        torch.cat([parents, parents[:, :1].expand(-1, missing)], dim=1),
        torch.nn.functional.pad(words.gather(1, chosen), (0, missing)),
        torch.nn.functional.pad(log_probs.gather(1, chosen), (0, missing)),
    )


def _captions(
    found: list[list[_Found]], history: History, vocabulary: Vocabulary, device: torch.device
) -> list[list[Caption]]:
    """What the search found, in words."""
    flat = [entry for entries in found for entry in entries]
    steps = torch.tensor([entry.step for entry in flat], device=device)
    rows = torch.tensor([entry.row for entry in flat], device=device)
    said = history.said(steps, rows)
    captions = iter(captions_of(said, [(entry.step, entry.total, entry.finished) for entry in flat], vocabulary))
    return [[next(captions) for _ in entries] for entries in found]
