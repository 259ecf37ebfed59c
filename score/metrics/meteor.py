"""METEOR 1.5 for English: the aligner is pycocoevalcap's jar, the score is computed here from what it counts.

pycocoevalcap's own `Meteor` waits for ever after an error, reads numbers by the locale, does not find its paraphrases
in a folder with a space in its name, and takes `|||` in a reference for the start of another. The jar is called here
with the same options; the scores are equal, a test compares them.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path

import numpy as np

from attend.errors import UserError
from attend.score.metrics.java import java, java_environment
from attend.score.metrics.line_process import ProcessError, line_process
from attend.score.metrics.measured import Measured, TokenisedSet
from attend.score.metrics.tokens import LOCALE, QUICK_START

NAME = "METEOR"
JAR, PARAPHRASES = "meteor-1.5.jar", "data/paraphrase-en.gz"
MEMORY = "-Xmx2G"
SECONDS = 300.0
"""Longest wait for an answer. The first one comes after the paraphrases are read: about 8 s of a core's time."""

ALPHA, BETA, GAMMA, DELTA = 0.85, 0.20, 0.60, 0.75
WEIGHTS = np.array([1.0, 0.6, 0.8, 0.6])
"""Of exact, stem, synonym and paraphrase matches; with the four numbers above, METEOR 1.5's parameters for English."""
COUNTS = 23
_UNSAFE = re.compile(r"\|\|\||[\x00-\x1f\x7f\x85\u2028\u2029]")


def meteor(sets: Sequence[TokenisedSet]) -> list[list[Measured]]:
    """METEOR of each set, 0 to 100: one process for all of them. ProcessError or UserError when it cannot be had."""
    lines = [
        score_line(caption, each.references[image_id]) for each in sets for image_id, caption in each.captions.items()
    ]
    answers = [_parse(answer) for answer in _answers(lines)]
    counts = without_whole_chunks(np.array(answers).reshape(-1, COUNTS))  # (all images, 23)
    ends = np.cumsum([len(each.captions) for each in sets])[:-1]
    return [[Measured(NAME, combine(part), part, combine)] for part in np.split(counts, ends)]


def score_line(caption: str, references: Sequence[str]) -> str:
    """The jar's question about one image. What would be read as a separator becomes a space."""
    fields = [*references, caption]
    return " ||| ".join(["SCORE", *(re.sub("  +", " ", _UNSAFE.sub(" ", field)).strip(" ") for field in fields)])


def combine(counts: np.ndarray) -> np.ndarray:
    """METEOR, 0 to 100, from counts of one image or sums over images, (..., 23) -> (...).

    F = P R / (alpha P + (1 - alpha) R) of weighted matches, a content word counting delta, a function word 1 - delta;
    lowered by gamma (chunks / matches)^beta.
    """
    length, reference_length, function, reference_function = (counts[..., column] for column in range(4))
    matches = counts[..., 4:20].reshape(*counts.shape[:-1], 4, 4)  # module, (content, its reference, function, its ...)
    weighted = np.einsum("m,...mk->...k", WEIGHTS, matches)
    precision = _share(weighted[..., 0], weighted[..., 2], length, function)
    recall = _share(weighted[..., 1], weighted[..., 3], reference_length, reference_function)
    fmean = _divide(precision * recall, ALPHA * precision + (1 - ALPHA) * recall)
    chunks, matched, reference_matched = counts[..., 20], counts[..., 21], counts[..., 22]
    return 100 * fmean * (1 - GAMMA * _divide(chunks, (matched + reference_matched) / 2) ** BETA)


def without_whole_chunks(counts: np.ndarray) -> np.ndarray:
    """Counts of images, (N, 23), where a caption that matches a reference from end to end has no chunk, not one.

    So METEOR treats it, in its own score (no penalty) and in the sum over images.
    """
    whole = (counts[:, 20] == 1) & (counts[:, 21] == counts[:, 0]) & (counts[:, 22] == counts[:, 1])
    return np.where(whole[:, None] & (np.arange(COUNTS) == 20), 0.0, counts)


def _share(content: np.ndarray, function: np.ndarray, words: np.ndarray, function_words: np.ndarray) -> np.ndarray:
    """Weighted matches as a share of the words they could be."""
    possible = DELTA * (words - function_words) + (1 - DELTA) * function_words
    return _divide(DELTA * content + (1 - DELTA) * function, possible)


def _divide(above: np.ndarray, below: np.ndarray) -> np.ndarray:
    """0 where `below` is 0."""
    return np.divide(above, below, out=np.zeros(np.shape(below)), where=np.asarray(below) > 0)


def _answers(lines: Sequence[str]) -> list[str]:
    folder = meteor_folder()
    options = ("-", "-", "-stdio", "-l", "en", "-norm", "-a", PARAPHRASES)
    command = [str(java()), *LOCALE, *QUICK_START, MEMORY, "-jar", JAR, *options]
    with line_process(NAME, command, java_environment(), folder) as process:
        return process.exchange(lines, SECONDS)


def _parse(answer: str) -> list[float]:
    try:
        numbers = [float(word) for word in answer.split()]
    except ValueError:
        numbers = []
    if len(numbers) != COUNTS:
        raise ProcessError(f"{NAME} answered {answer[:80]!r}, not {COUNTS} numbers")
    return numbers


def meteor_folder() -> Path:
    """The folder of the jar and its paraphrases in pycocoevalcap. UserError where they are missing."""
    package = find_spec("pycocoevalcap")
    for place in list(package.submodule_search_locations or []) if package else []:
        folder = Path(place) / "meteor"
        if (folder / JAR).is_file() and (folder / PARAPHRASES).is_file():
            return folder
    raise UserError(f"{JAR} and {PARAPHRASES} are not in pycocoevalcap: pip install --force-reinstall pycocoevalcap")
