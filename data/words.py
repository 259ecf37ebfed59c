"""A caption as words, and words as a caption again."""

from __future__ import annotations

import re
import string
import unicodedata
from collections.abc import Sequence

INSIDE = "-'"
"""Marks kept between two letters, as the scorers' Penn Treebank tokeniser keeps them: `t-shirt`, `don't`."""

_CLITIC = re.compile(r"(?:(?<=\w)|(?<!\S))'s\b")
"""A possessive: behind a word, or on its own as in captions that were tokenised before."""


def tokenise(caption: str) -> list[str]:
    """The words of a caption: lower case, punctuation dropped, every other sign of any script kept.

    A possessive is a word of its own ("the dog's ball" → the, dog, 's, ball), so that captions made of these words
    agree with references tokenised by the scorers.
    """
    text = unicodedata.normalize("NFC", caption).lower().replace("’", "'")
    words = (_strip(chunk) for chunk in _CLITIC.sub(" 's ", text).split())
    return [word for part in words for word in part]


def join(words: Sequence[str]) -> str:
    """Words as one line of text; a possessive goes back to the word it belongs to."""
    return re.sub(r"(?<=\w) (?='s(?: |$))", "", " ".join(words))


def _strip(chunk: str) -> list[str]:
    """The words in a stretch without spaces: punctuation parts them, except one mark of INSIDE between two letters."""
    if chunk == "'s":
        return [chunk]
    kept = "".join(
        sign if not _is_punctuation(sign) or _is_inside(chunk, place) else " " for place, sign in enumerate(chunk)
    )
    return kept.split()


def _is_inside(chunk: str, place: int) -> bool:
    return (
        chunk[place] in INSIDE
        and 0 < place < len(chunk) - 1
        and chunk[place - 1].isalnum()
        and chunk[place + 1].isalnum()
    )


def _is_punctuation(sign: str) -> bool:
    return sign in string.punctuation or unicodedata.category(sign).startswith("P")
