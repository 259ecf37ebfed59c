"""What captions are like apart from any reference: how long, how varied, how many of them are new."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from attend.data.words import tokenise


@dataclass(frozen=True)
class Diversity:
    """Figures of one caption an image, on PTB tokens; novelty on the words training uses."""

    words_mean: float
    words_deviation: float
    words_least: int
    words_most: int
    vocabulary: int
    """Different words."""
    distinct_1: float
    """Different words over all words."""
    distinct_2: float
    """Different pairs of neighbouring words over all pairs."""
    distinct_captions: float
    """Different captions over all captions."""
    novel: float | None
    """Share of the captions that are no training caption, word for word; None where these are not known."""

    def to_record(self) -> dict[str, Any]:
        """Plain data."""
        return asdict(self)

    def lines(self) -> list[str]:
        """For a terminal."""
        novel = "" if self.novel is None else f", {self.novel:.1%} of the captions are not in the training captions"
        return [
            f"words a caption {self.words_mean:.2f} ± {self.words_deviation:.2f} ({self.words_least} to "
            f"{self.words_most}), {self.vocabulary} different words",
            f"distinct-1 {self.distinct_1:.4f}, distinct-2 {self.distinct_2:.4f}, "
            f"{self.distinct_captions:.1%} of the captions differ{novel}",
        ]


def diversity(tokens: Mapping[str, str], novel: float | None) -> Diversity:
    """Figures of tokenised captions, at least one."""
    captions = [text.split() for text in tokens.values()]
    lengths = np.array([len(words) for words in captions])
    singles = [word for words in captions for word in words]
    pairs = [pair for words in captions for pair in pairwise(words)]
    return Diversity(
        words_mean=float(lengths.mean()),
        words_deviation=float(lengths.std()),
        words_least=int(lengths.min()),
        words_most=int(lengths.max()),
        vocabulary=len(set(singles)),
        distinct_1=_share(len(set(singles)), len(singles)),
        distinct_2=_share(len(set(pairs)), len(pairs)),
        distinct_captions=_share(len(set(tokens.values())), len(tokens)),
        novel=novel,
    )


def novel_captions(captions: Mapping[str, str], training: Iterable[str]) -> set[str]:
    """Ids of the captions (raw text) that are no training caption, both as the words that training uses."""
    known = {" ".join(tokenise(text)) for text in training}
    return {image_id for image_id, text in captions.items() if " ".join(tokenise(text)) not in known}


def _share(part: int, whole: int) -> float:
    return part / whole if whole else 0.0
