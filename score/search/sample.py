"""Captions drawn at random, word by word, for any `Captioner`."""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor
from torch.nn.functional import pad

from attend.data.vocabulary import END, Vocabulary
from attend.score.search.caption import Caption, captions_of
from attend.score.search.context import with_context
from attend.score.search.rules import NEVER, make_rules, nothing_found
from attend.score.search.trace import Trace
from attend.train.config import SearchSettings
from attend.train.models.interface import NO_WORD, Captioner
from attend.train.models.place_choice import photo_numbers

WORDS = 1
"""Last part of the seeds of words; those of hard attention's places end with their step."""


def word_distribution(log_probs: Tensor, temperature: float = 1.0, top_k: int = 0, top_p: float = 1.0) -> Tensor:
    """What words are drawn from: log p (N, K) → probabilities (N, K) float64 that sum to 1.

    log p is divided by the temperature; then only the `top_k` likeliest words are left (0: all), and of these the
    fewest likeliest that have the probability `top_p` together. Of equally likely words the one with the smaller id is
    the likelier.
    """
    tempered = (log_probs.double() / temperature).softmax(dim=1)
    likeliest, words = tempered.sort(dim=1, descending=True, stable=True)
    if top_k:
        likeliest[:, top_k:] = 0
        likeliest = likeliest / likeliest.sum(dim=1, keepdim=True)
    if top_p < 1:
        before = pad(likeliest.cumsum(dim=1)[:, :-1], (1, 0))  # probability of the likelier words together
        likeliest = likeliest.masked_fill(before >= top_p, 0)
    kept = torch.zeros_like(likeliest).scatter_(1, words, likeliest)
    return kept / kept.sum(dim=1, keepdim=True)


def lots(annotations: Tensor, seed: int, draws: int, steps: int) -> np.ndarray:
    """Numbers between 0 and 1, (B·draws, steps): a row a caption, a number a word.

    They depend on the seed, the photo's annotations (B, L, D) and which of its draws it is, on nothing else.
    """
    rows = [
        np.random.default_rng([seed, photo, draw, WORDS]).random(steps)
        for photo in photo_numbers(annotations)
        for draw in range(draws)
    ]
    return np.stack(rows) if rows else np.zeros((0, steps))


def drawn_words(distribution: Tensor, lot: Tensor) -> Tensor:
    """The word (N,) where the running sum of probabilities (N, K) first exceeds its lot (N,), from 0 to below 1."""
    sums = distribution.cumsum(dim=1)
    words = torch.searchsorted(sums, (lot * sums[:, -1]).unsqueeze(1), right=True).squeeze(1)
    last = distribution.shape[1] - 1 - (distribution > 0).flip(1).int().argmax(dim=1)  # rounding must not go beyond
    return torch.minimum(words, last)


@torch.inference_mode()
def sample(
    captioner: Captioner,
    annotations: Tensor,
    mask: Tensor | None,
    vocabulary: Vocabulary,
    settings: SearchSettings,
    draws: int = 1,
) -> list[list[Caption]]:
    """`draws` captions of each photo in the order they are drawn, from annotations (B, L, D) and a mask (B, L).

    They are independent of each other, so two can be equal, and draw n is the same however many there are, alone or in
    a batch. Words are drawn from `word_distribution` of what the rules allow; the captions' log-probabilities are the
    model's own. UserError: the rules leave no word. ValueError when dropout is on, and when the model gives NaN.
    """
    if draws < 1 or settings.longest < 1:
        raise ValueError(f"need draws >= 1, longest >= 1: {draws=}, {settings}")
    if getattr(captioner, "training", False):
        raise ValueError("the captioner is in training mode, where dropout is on: call eval() first")
    rules, device, rows = make_rules(settings, vocabulary), annotations.device, len(annotations) * draws
    lot = torch.from_numpy(lots(annotations, settings.seed, draws, settings.longest)).to(device)
    captioner = with_context(captioner, settings)
    state = captioner.start(annotations, mask).select(
        torch.arange(len(annotations), device=device).repeat_interleave(draws)
    )
    trace, words = Trace.empty(rows, annotations.shape[1], device), torch.full((rows,), NO_WORD, device=device)
    length = torch.full((rows,), settings.longest, device=device)  # steps of each caption
    finished = torch.zeros(rows, dtype=torch.bool, device=device)
    for step in range(settings.longest):
        if bool(finished.all()):
            break
        log_probs, state, look = captioner.step(state, words)  # (rows, K)
        if bool(log_probs.isnan().any()):
            raise ValueError("the captioner gives log-probabilities that are not numbers")
        allowed = rules.allow(log_probs, trace.words)
        stuck = (allowed == NEVER).all(dim=1)
        if bool((stuck & ~finished).any()):
            raise nothing_found(settings)
        allowed = torch.where(stuck.unsqueeze(1), log_probs, allowed)  # of captions that have ended
        distribution = word_distribution(allowed, settings.temperature, settings.top_k, settings.top_p)
        words = drawn_words(distribution, lot[:, step])
        trace = trace.extend(words, log_probs.gather(1, words.unsqueeze(1)).squeeze(1), look.weights, look.gate)
        length = torch.where((words == END) & ~finished, step + 1, length)
        finished = finished | (words == END)
    return _by_photo(trace, length, finished, draws, vocabulary)


def _by_photo(
    trace: Trace, length: Tensor, finished: Tensor, draws: int, vocabulary: Vocabulary
) -> list[list[Caption]]:
    """Each row of a trace up to its own length (N,), as lists of `draws`."""
    captions: dict[int, Caption] = {}
    for steps, ended in {*zip(length.tolist(), finished.tolist(), strict=True)}:
        alike = ((length == steps) & (finished == ended)).nonzero().squeeze(1)
        own = trace.at(alike).until(steps)
        found = captions_of(own, own.log_probs.sum(dim=1).tolist(), ended, vocabulary)
        captions.update(zip(alike.tolist(), found, strict=True))
    in_order = [captions[row] for row in range(len(captions))]
    return [in_order[start : start + draws] for start in range(0, len(in_order), draws)]
