"""BLEU-1 to 4 with and without the brevity penalty: counts and penalised score from pycocoevalcap's `BleuScorer`."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np
from pycocoevalcap.bleu.bleu_scorer import BleuScorer

from attend.score.metrics.measured import Measured, TokenisedSet

ORDERS = 4
SCALE = 100.0
TINY, SMALL = 1e-15, 1e-9
"""pycocoevalcap's guards against 0/0 in a precision, `(correct + TINY) / (guessed + SMALL)`."""


@dataclass(frozen=True)
class Bleu:
    """Corpus BLEU of one set of captions. Scores are 0 to 100; position n - 1 of a tuple holds BLEU-n.

    `with_penalty[n] = penalty * without_penalty[n]`, and `penalty = min(1, exp(1 - 1 / ratio))`, where `ratio` is the
    number of words in the captions over that in the references (for each caption the reference closest in length, the
    shorter of two). Without the penalty short captions score better, so neither number stands alone.
    """

    with_penalty: tuple[float, ...]
    without_penalty: tuple[float, ...]
    penalty: float
    ratio: float
    caption_words: int
    reference_words: int
    by_image: dict[str, float] = field(repr=False)
    """Sentence BLEU-4 of each image, penalised. 0.01 or less: no four words in a row are right."""
    counts: np.ndarray = field(repr=False, compare=False)
    """(N, 10) of each image: right n-grams for n = 1 to 4, all n-grams, words, words of the closest reference."""


def corpus_bleu(captions: Mapping[str, str], references: Mapping[str, Sequence[str]]) -> Bleu:
    """BLEU of one tokenised caption an image against all its tokenised references; both map image ids to text.

    ValueError unless both name the same images, at least one, each with references that have words.
    """
    if captions.keys() != references.keys():
        raise ValueError("captions and references name different images")
    if not captions or not all(group and all(group) for group in references.values()):
        raise ValueError("BLEU needs at least one image, and for each at least one reference, none without words")
    scorer = BleuScorer(n=ORDERS)
    for image_id, caption in captions.items():
        scorer += (caption, list(references[image_id]))
    penalised, by_image = scorer.compute_score(option="closest")
    caption_words = sum(counts["testlen"] for counts in scorer.ctest)
    reference_words = scorer.reflen(option="closest")
    return Bleu(
        with_penalty=tuple(SCALE * score for score in penalised),
        without_penalty=tuple(SCALE * score for score in _geometric_means(scorer)),
        penalty=_penalty(caption_words, reference_words),
        ratio=caption_words / reference_words,
        caption_words=caption_words,
        reference_words=reference_words,
        by_image={image_id: SCALE * score for image_id, score in zip(captions, by_image[ORDERS - 1], strict=True)},
        counts=np.array([_counts(counts) for counts in scorer.ctest], dtype=float),
    )


def bleu_metrics(sets: Sequence[TokenisedSet]) -> list[list[Measured]]:
    """BLEU-1 to 4 of each set with the brevity penalty, then without. A resample has the penalty of its own lengths."""
    return [
        [
            Measured(f"BLEU-{n}{kind}", combine(counts), counts, combine)
            for kind, penalised in (("", True), (" without penalty", False))
            for n in range(1, ORDERS + 1)
            for combine in [partial(bleu_of_counts, order=n, penalised=penalised)]
        ]
        for counts in (corpus_bleu(each.captions, each.references).counts for each in sets)
    ]


def bleu_of_counts(counts: np.ndarray, order: int, penalised: bool) -> np.ndarray:
    """BLEU-`order`, 0 to 100, from counts of one image or sums over images, (..., 10) -> (...)."""
    precisions = (counts[..., :order] + TINY) / (counts[..., ORDERS : ORDERS + order] + SMALL)
    score = SCALE * np.prod(precisions, axis=-1) ** (1 / order)
    if not penalised:
        return score
    ratio = (counts[..., -2] + TINY) / (counts[..., -1] + SMALL)
    with np.errstate(over="ignore"):  # no word at all: exp(-infinity) is the 0 that is meant
        return score * np.exp(np.minimum(0.0, 1 - 1 / ratio))


def _counts(one: Mapping[str, Any]) -> list[int]:
    """What `BleuScorer` counted in one caption."""
    words = one["testlen"]
    closest = min((abs(length - words), length) for length in one["reflen"])[1]
    return [*one["correct"], *one["guess"], words, closest]


def _penalty(caption_words: int, reference_words: int) -> float:
    """`min(1, exp(1 - r/c))`; 0 for captions without a word."""
    if caption_words == 0:
        return 0.0
    return min(1.0, math.exp(1 - reference_words / caption_words))


def _geometric_means(scorer: BleuScorer) -> list[float]:
    """BLEU without its penalty: `(p_1 ... p_n) ** (1/n)` for n = 1 to 4, p the corpus's clipped n-gram precisions."""
    means, product = [], 1.0
    for order in range(ORDERS):
        correct = sum(counts["correct"][order] for counts in scorer.ctest)
        guessed = sum(counts["guess"][order] for counts in scorer.ctest)
        product *= (correct + TINY) / (guessed + SMALL)
        means.append(product ** (1 / (order + 1)))
    return means
