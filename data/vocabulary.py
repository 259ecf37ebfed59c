"""Words and their ids: 0 ends a caption, 1 stands for every word that is not in the vocabulary."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from attend.data.atomic import write_atomically
from attend.data.words import tokenise
from attend.errors import UserError

END, UNKNOWN = 0, 1
SPECIAL = ("<end>", "<unknown>")
"""How ids 0 and 1 are shown. Words never hold `<` or `>`, so no real word is mistaken for one of them."""


@dataclass(frozen=True)
class Vocabulary:
    """`words[id]` is the word of an id. `words` begins with SPECIAL; its length is the paper's K."""

    words: tuple[str, ...]

    def __post_init__(self) -> None:
        if self.words[:2] != SPECIAL:
            raise ValueError(f"a vocabulary begins with {SPECIAL}, not with {self.words[:2]}")
        if len(set(self.words)) != len(self.words):
            raise ValueError("a vocabulary holds a word twice")

    @classmethod
    def build(cls, captions: Iterable[str], size: int = 10_000, min_count: int = 1) -> Vocabulary:
        """The commonest words of the raw text of the training captions, at most `size` ids including the special two.

        Ordered by count, then by the word itself, so the order of the captions does not matter. UserError: captions of
        which no word is left.
        """
        counts = Counter(word for caption in captions for word in tokenise(caption))
        frequent = [word for word, count in counts.items() if count >= min_count]
        frequent.sort(key=lambda word: (-counts[word], word))
        words = frequent[: size - len(SPECIAL)]
        if counts and not words:
            raise UserError(
                f"words.min_count={min_count} and words.size={size} leave none of the {len(counts)} words of the "
                "training captions: lower the first or raise the second"
            )
        return cls((*SPECIAL, *words))

    def __len__(self) -> int:
        return len(self.words)

    @cached_property
    def _ids(self) -> dict[str, int]:
        return {word: number for number, word in enumerate(self.words) if number > UNKNOWN}

    def encode(self, words: Sequence[str]) -> list[int]:
        """The ids of words, without an end."""
        return [self._ids.get(word, UNKNOWN) for word in words]

    def decode(self, ids: Iterable[int]) -> list[str]:
        """The words of ids, up to the first end."""
        words = []
        for number in ids:
            if number == END:
                break
            words.append(self.words[number])
        return words

    @property
    def hash(self) -> str:
        """sha256 of all the words in order: two runs with equal hashes mean the same by every id."""
        return hashlib.sha256(json.dumps(self.words).encode()).hexdigest()

    def save(self, path: Path) -> None:
        """Write the words as a JSON list."""
        write_atomically(path, (json.dumps(self.words, ensure_ascii=False, indent=0) + "\n").encode())

    @classmethod
    def load(cls, path: Path) -> Vocabulary:
        """Read what `save` wrote."""
        try:
            return cls(tuple(json.loads(path.read_text(encoding="utf-8"))))
        except FileNotFoundError as error:
            raise UserError(f"{path} is not there: the vocabulary is written when training starts") from error
        except (ValueError, TypeError) as error:
            raise UserError(f"{path} is not a vocabulary ({error}): restore it from the run it belongs to") from error
