"""What a caption may and must say: words that never come, runs that do not come twice, words it must hold."""

from __future__ import annotations

import difflib
from dataclasses import dataclass

import torch
from torch import Tensor

from attend.data.vocabulary import END, UNKNOWN, Vocabulary
from attend.data.words import tokenise
from attend.errors import UserError
from attend.train.config import SearchSettings

NEVER = float("-inf")


@dataclass(frozen=True)
class Rules:
    """Word ids that are `never` said, ids that are `required`, words before the end at least, length of runs that do
    not come twice (0: any may)."""

    never: tuple[int, ...]
    required: tuple[int, ...]
    shortest: int
    no_repeat: int

    def allow(self, log_probs: Tensor, said: Tensor) -> Tensor:
        """Log-probabilities (N, K) with NEVER where captions that have said the words (N, t) may not go on so."""
        if self.never:
            log_probs = log_probs.index_fill(1, torch.tensor(self.never, device=log_probs.device), NEVER)
        if said.shape[1] < self.shortest:
            log_probs = log_probs.index_fill(1, torch.tensor([END], device=log_probs.device), NEVER)
        if 0 < self.no_repeat <= said.shape[1]:
            log_probs = log_probs.masked_fill(_repeating(said, self.no_repeat, log_probs.shape[1]), NEVER)
        return log_probs


def _repeating(said: Tensor, run: int, words: int) -> Tensor:
    """Which of `words` words (N, K) would end a run of that many words a second time, after the words (N, t >= run)."""
    runs = said.unfold(1, run, 1)  # (N, t - run + 1, run)
    last = said[:, said.shape[1] - run + 1 :].unsqueeze(1)  # (N, 1, run - 1)
    again = (runs[:, :, :-1] == last).all(dim=2)  # (N, t - run + 1)
    counts = torch.zeros((len(said), words), dtype=torch.int64, device=said.device)
    return counts.scatter_add_(1, runs[:, :, -1], again.long()) > 0


def make_rules(settings: SearchSettings, vocabulary: Vocabulary) -> Rules:
    """The rules of a search. UserError: a word the vocabulary does not have, one both required and forbidden, or more
    required words than a caption can hold."""
    required = _word_ids("required", settings.required, vocabulary)
    forbidden = _word_ids("forbidden", settings.forbidden, vocabulary)
    if both := [vocabulary.words[number] for number in required if number in forbidden]:
        raise UserError(f"search.required and search.forbidden both have {', '.join(both)}: leave it out of one")
    if len(required) >= settings.longest:
        raise UserError(
            f"search.required: {len(required)} words and the end do not fit into search.longest={settings.longest}"
        )
    never = (UNKNOWN, *forbidden) if settings.suppress_unknown else forbidden
    return Rules(never, required, settings.shortest, settings.no_repeat)


def _word_ids(name: str, text: str, vocabulary: Vocabulary) -> tuple[int, ...]:
    """The ids of words with commas between them, each once, as captions are tokenised."""
    words = list(dict.fromkeys(word for part in text.split(",") for word in tokenise(part)))
    if text and not words:
        raise UserError(f"search.{name}={text}: there is no word in it")
    for word, number in zip(words, vocabulary.encode(words), strict=True):
        if number == UNKNOWN:
            near = difflib.get_close_matches(word, vocabulary.words[UNKNOWN + 1 :], n=3)
            hint = f": did you mean {', '.join(near)}?" if near else ""
            raise UserError(
                f"search.{name}: {word} is not among the {len(vocabulary) - 2:,} words this captioner knows{hint}"
            )
    return tuple(vocabulary.encode(words))


def nothing_found(settings: SearchSettings) -> UserError:
    """What to say when no caption obeys the rules."""
    plain = SearchSettings()
    names = ("required", "forbidden", "shortest", "no_repeat", "suppress_unknown", "longest")
    said = [
        f"search.{name}={getattr(settings, name)}"
        for name in names
        if getattr(settings, name) != getattr(plain, name) or name == "longest"
    ]
    wider = "" if settings.method == "sample" else ", or widen search.beam"
    return UserError(f"no caption was found that obeys {', '.join(said)}: loosen one{wider}")
