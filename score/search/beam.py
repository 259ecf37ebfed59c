"""Beam search over a batch of photos, for any `Captioner`.

A beam of k is k places for captions of one photo. A caption that ends keeps its place and is set apart; the places
left go on, so the beam narrows as captions end, and a beam of 1 is greedy search.  # arctic: live_k, dead_k
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

from attend.data.vocabulary import END, UNKNOWN, Vocabulary
from attend.score.search.caption import Caption, captions_of
from attend.score.search.context import with_context
from attend.score.search.likeliest import likeliest
from attend.score.search.trace import Trace
from attend.train.config import SearchSettings
from attend.train.models.interface import NO_WORD, Captioner

NEVER = float("-inf")


@dataclass(frozen=True)
class _Found:
    """Captions that left the search at one step: (N,) photo, total log-probability and score, with their trace."""

    images: Tensor
    totals: Tensor
    scores: Tensor
    trace: Trace
    finished: bool

    @classmethod
    def of(cls, images: Tensor, which: Tensor, totals: Tensor, scores: Tensor, trace: Trace, finished: bool) -> _Found:
        """The captions that `which` (B, beam) marks; `images` (B,), the trace has B·beam rows."""
        owners = images.unsqueeze(1).expand_as(which)[which]
        return cls(owners, totals[which], scores[which], trace.at(which.flatten()), finished)


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
    captioner = with_context(captioner, settings)
    device, images = annotations.device, torch.arange(len(annotations), device=annotations.device)
    state = captioner.start(annotations, mask)
    trace = Trace.empty(len(annotations), annotations.shape[1], device)
    words = torch.full((len(annotations),), NO_WORD, device=device)  # (B·R,) previous words
    totals = torch.zeros((len(annotations), 1), device=device)  # (B, R) log p so far; NEVER: an empty place
    places = torch.full((len(annotations),), beam, device=device)  # (B,) places left to captions in progress
    ended_scores = torch.full((len(annotations), beam), NEVER, device=device)
    found: list[_Found] = []
    for step in range(1, longest + 1):
        if len(images) == 0:
            break
        log_probs, state, look = captioner.step(state, words)  # (B·R, K)
        totals, parents, candidates = _expand(totals, log_probs, beam, settings.suppress_unknown)  # (B, beam) each
        if bool(totals.isnan().any()):
            raise ValueError("the captioner gives log-probabilities that are not numbers")
        rows = parents.flatten()  # of the B·R before this step
        words = candidates.flatten()
        trace = trace.at(rows).extend(words, log_probs[rows, words], look.weights[rows], look.gate[rows])
        taken = (totals > NEVER) & (torch.arange(beam, device=device) < places.unsqueeze(1))
        ended, live = taken & (candidates == END), taken & (candidates != END)
        scores = totals / step**power
        found.append(_Found.of(images, ended, totals, scores, trace, finished=True))
        ended_scores = torch.cat([ended_scores, scores.masked_fill(~ended, NEVER)], dim=1).topk(beam).values
        places = places - ended.sum(dim=1)
        totals = totals.masked_fill(~live, NEVER)
        # What is in progress can still reach this; a photo goes on while that beats the worst caption to be returned.
        going = (totals.max(dim=1).values / longest**power > ended_scores[:, best - 1]).nonzero().squeeze(1)  # (B',)
        state = state.select(rows)
        if len(going) < len(images):  # else nothing is left out, and nothing copied
            state, kept_rows = (
                state.keep(going),
                (going.unsqueeze(1) * beam + torch.arange(beam, device=device)).flatten(),
            )
            words, trace = words[kept_rows], trace.at(kept_rows)
            images, totals, places, ended_scores = images[going], totals[going], places[going], ended_scores[going]
    found.append(_Found.of(images, totals > NEVER, totals, totals / longest**power, trace, finished=False))
    return _best_of(found, len(annotations), vocabulary, best)


def _expand(totals: Tensor, log_probs: Tensor, beam: int, suppress_unknown: bool) -> tuple[Tensor, Tensor, Tensor]:
    """The `beam` likeliest continuations of each photo's captions, likeliest first.

    From totals (B, R) and log p of the next words (B·R, K): their totals, parent rows (of B·R) and words, (B, beam)
    each. Where there are fewer continuations than that, the last ones have the total NEVER.
    """
    images, rows = totals.shape
    width = min(beam + suppress_unknown, log_probs.shape[1])
    log_probs, words = likeliest(log_probs, width)  # no caption has more than `beam` of the best continuations
    if suppress_unknown:
        log_probs = log_probs.masked_fill(words == UNKNOWN, NEVER)
    continued = (totals.unsqueeze(2) + log_probs.view(images, rows, width)).flatten(1)  # (B, R·width)
    totals, chosen = continued.topk(min(beam, rows * width))
    words = words.view(images, rows * width).gather(1, chosen)
    parents = torch.arange(images, device=totals.device).unsqueeze(1) * rows + chosen // width
    missing = beam - totals.shape[1]
    return (
        torch.nn.functional.pad(totals, (0, missing), value=NEVER),
        torch.cat([parents, parents[:, :1].expand(-1, missing)], dim=1),
        torch.nn.functional.pad(words, (0, missing)),
    )


def _best_of(found: list[_Found], images: int, vocabulary: Vocabulary, best: int) -> list[list[Caption]]:
    """The captions of each photo: finished before cut ones, then by score."""
    ranked: list[list[tuple[bool, float, Caption]]] = [[] for _ in range(images)]
    for group in found:
        captions = captions_of(group.trace, group.totals.tolist(), group.finished, vocabulary)
        for image, score, caption in zip(group.images.tolist(), group.scores.tolist(), captions, strict=True):
            ranked[image].append((group.finished, score, caption))
    for captions_and_scores in ranked:
        captions_and_scores.sort(key=lambda entry: entry[:2], reverse=True)
    return [[caption for _, _, caption in entries[:best]] for entries in ranked]
