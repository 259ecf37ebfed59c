"""The reference captions of a split, PTB-tokenised once and used as often as captions are scored."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from attend.score.metrics.tokens import ptb_tokenise


@dataclass(frozen=True)
class References:
    """Tokenised references by image id, in the order given. All captions of a photo are references, whole."""

    tokens: dict[str, tuple[str, ...]]
    skipped: tuple[str, ...]
    """Images without a reference: they cannot be scored, so they are named and counted, not scored 0."""
    empty: int
    """References without a word (blank, or punctuation only): left out, since a length of 0 would void the penalty."""
    foreign: int
    """References with letters that English does not have: the tokeniser is made for English."""

    @property
    def counts(self) -> tuple[int, int, int]:
        """Fewest references of an image, most, and all together."""
        numbers = [len(references) for references in self.tokens.values()]
        return (min(numbers), max(numbers), sum(numbers)) if numbers else (0, 0, 0)


def tokenise_references(captions: Mapping[str, Sequence[str]]) -> References:
    """References from the raw captions of each image."""
    ids = [image_id for image_id, group in captions.items() for _ in group]
    found: dict[str, list[str]] = {image_id: [] for image_id in captions}
    empty = 0
    texts = [text for group in captions.values() for text in group]
    for image_id, tokens in zip(ids, ptb_tokenise(texts), strict=True):
        if tokens:
            found[image_id].append(tokens)
        else:
            empty += 1
    return References(
        tokens={image_id: tuple(tokens) for image_id, tokens in found.items() if tokens},
        skipped=tuple(image_id for image_id, tokens in found.items() if not tokens),
        empty=empty,
        foreign=sum(any(sign.isalpha() and not sign.isascii() for sign in text) for text in texts),
    )
