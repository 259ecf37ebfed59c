"""Beam search over a batch of photos, for any `Captioner`.

A beam of k is k places for captions of one photo. A caption that ends keeps its place and is set apart; the places
left go on, so the beam narrows as captions end, and a beam of 1 is greedy search.  # arctic: live_k, dead_k
A photo can have several beams, its lanes (lanes.py): for words that must come, and for captions that differ.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from itertools import zip_longest

import torch
from torch import Tensor

from attend.data.vocabulary import END, Vocabulary
from attend.score.search.caption import Caption, captions_of
from attend.score.search.context import with_context
from attend.score.search.lanes import Groups, Lanes, Required, by_lane
from attend.score.search.rules import NEVER, make_rules
from attend.score.search.trace import Trace
from attend.train.config import SearchSettings
from attend.train.models.interface import NO_WORD, Captioner


@dataclass(frozen=True)
class _Found:
    """Captions that left the search at one step: (N,) photo, lane, log-probability and score, with their trace."""

    images: Tensor
    lanes: Tensor
    totals: Tensor
    scores: Tensor
    trace: Trace
    finished: bool

    @classmethod
    def of(cls, images: Tensor, which: Tensor, totals: Tensor, scores: Tensor, trace: Trace, finished: bool) -> _Found:
        """The captions that `which` (B, P, W) marks; `images` (B,), the trace has B·P·W rows."""
        photos, lanes, _ = which.nonzero(as_tuple=True)
        return cls(images[photos], lanes, totals[which], scores[which], trace.at(which.flatten()), finished)


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
    a beginning is that of all its continuations. Of several groups the best of each come first, then the second of
    each, and no caption comes twice. A photo can have fewer than `best`, and none where no caption obeys the rules.
    The search for a photo stops early only when nothing in progress can still be among its `best`: log p never rises,
    and t never exceeds the limit, so no continuation of a caption with total s scores above s / longest^a.
    ValueError when `best` is not between 1 and the beam, when dropout is on, and when the model gives NaN.
    """
    width, longest, power = settings.beam, settings.longest, settings.length_normalisation
    rules = make_rules(settings, vocabulary)
    lanes: Lanes = Required(rules.required)
    if settings.method == "diverse":
        lanes = Groups(settings.groups, settings.diversity)
    if not 1 <= best <= width * (lanes.count - lanes.first_result) or longest < 1 or power < 0:
        raise ValueError(f"need 1 <= best <= beam, longest >= 1, length_normalisation >= 0: {best=}, {settings}")
    if getattr(captioner, "training", False):
        raise ValueError("the captioner is in training mode, where dropout is on: call eval() first")
    captioner = with_context(captioner, settings)
    device, images = annotations.device, torch.arange(len(annotations), device=annotations.device)
    state = captioner.start(annotations, mask)
    trace = Trace.empty(len(annotations), annotations.shape[1], device)
    words = torch.full((len(annotations),), NO_WORD, device=device)  # (B·P·R,) previous words; R = 1, P = 1 at first
    guides = totals = lanes.start(len(annotations), torch.zeros((), device=device))  # (B, P, R) NEVER: an empty place
    places = torch.full((len(annotations), lanes.count), width, device=device)  # (B, P) left to captions in progress
    ended_scores = torch.full((len(annotations), lanes.count, width), NEVER, device=device)
    found: list[_Found] = []
    for step in range(1, longest + 1):
        if len(images) == 0:
            break
        log_probs, state, look = captioner.step(state, words)  # (B·P·R, K)
        own = len(words) // len(images)  # rows of a photo: P·R, at first 1
        allowed = by_lane(rules.allow(log_probs, trace.words), guides)
        following = lanes.go_on(guides, allowed, by_lane(trace.words, guides), places, width)
        rows = torch.arange(len(images), device=device).view(-1, 1, 1) * own + following.parents % own
        rows, words = rows.flatten(), following.words.flatten()  # (B·P·W,) of the rows before this step
        guides = following.guides
        if bool(guides.isnan().any()):
            raise ValueError("the captioner gives log-probabilities that are not numbers")
        there = guides > NEVER
        said = log_probs[rows, words]  # (B·P·W,)
        totals = totals.flatten(1).gather(1, following.parents.flatten(1)).view_as(guides) + said.view_as(guides)
        totals = totals.masked_fill(~there, NEVER)  # (B, P, W) log p so far
        trace = trace.at(rows).extend(words, said, look.weights[rows], look.gate[rows])
        taken = there & (torch.arange(width, device=device) < places.unsqueeze(2))
        ended, live = taken & (following.words == END), taken & (following.words != END)
        scores = totals / step**power
        found.append(_Found.of(images, ended, totals, scores, trace, finished=True))
        ended_scores = torch.cat([ended_scores, scores.masked_fill(~ended, NEVER)], dim=2).topk(width, dim=2).values
        places = places - ended.sum(dim=2)
        guides, totals = guides.masked_fill(~live, NEVER), totals.masked_fill(~live, NEVER)
        # What is in progress can still reach totals / longest^a; a photo goes on while that can change its results.
        going = lanes.still_open(totals / longest**power, ended_scores, best).nonzero().squeeze(1)  # (B',)
        state = state.select(rows)
        if len(going) < len(images):  # else nothing is left out, and nothing copied
            state, kept_rows = state.keep(going), torch.arange(len(rows), device=device).view(len(images), -1)[going]
            words, trace = words[kept_rows.flatten()], trace.at(kept_rows.flatten())
            images, guides, totals, places = images[going], guides[going], totals[going], places[going]
            ended_scores = ended_scores[going]
    cut = totals > NEVER
    cut[:, : lanes.first_result] = False
    found.append(_Found.of(images, cut, totals, totals / longest**power, trace, finished=False))
    return _best_of(found, len(annotations), vocabulary, best)


def _best_of(found: list[_Found], images: int, vocabulary: Vocabulary, best: int) -> list[list[Caption]]:
    """The captions of each photo: of each lane finished before cut ones, then by score; the lanes' best, their seconds
    and so on, no caption twice."""
    lanes: list[dict[int, list[_Ranked]]] = [defaultdict(list) for _ in range(images)]
    for group in found:
        captions = captions_of(group.trace, group.totals.tolist(), group.finished, vocabulary)
        rows = zip(group.images.tolist(), group.lanes.tolist(), group.scores.tolist(), captions, strict=True)
        for image, lane, score, caption in rows:
            lanes[image][lane].append((caption.finished, score, caption))
    return [_merged(list(of_photo.values()))[:best] for of_photo in lanes]


def _merged(lanes: list[list[_Ranked]]) -> list[Caption]:
    """The captions of one photo's lanes in the order of `_best_of`."""
    ranked = [sorted(lane, key=_rank, reverse=True) for lane in lanes]
    unique: dict[tuple[int, ...], Caption] = {}
    for of_each in zip_longest(*ranked):
        for _, _, caption in sorted((entry for entry in of_each if entry), key=_rank, reverse=True):
            unique.setdefault((*caption.ids, int(caption.finished)), caption)
    return list(unique.values())


_Ranked = tuple[bool, float, Caption]
"""Finished, score, caption."""


def _rank(entry: _Ranked) -> tuple[bool, float]:
    return entry[:2]
