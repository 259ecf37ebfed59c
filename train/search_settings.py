"""How captions are searched for: the settings of validation, scores and `caption`."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from attend.errors import UserError

METHODS = ("beam", "diverse", "sample")


@dataclass(frozen=True)
class SearchSettings:
    """How captions are searched for, in validation and as the default of `bleu` and `caption`. Log-probabilities of
    what is found are always the model's own, whatever the method and the rules."""

    method: str = "beam"
    """`beam`: beam search, with a beam of 1 greedy. `diverse`: several beams that keep away from each other's words
    (arXiv 1610.02424). `sample`: words are drawn at random."""
    beam: int = 5
    """Captions kept in progress per photo; 1 is greedy. `diverse`: in each group. `required`: for each number of
    required words said."""
    length_normalisation: float = 0.0
    """Captions are ranked by log p / steps^this, the end word being a step; 0: by log p."""
    longest: int = 30
    """Steps of a caption at most, the end word being one; what has not ended by then is kept and counted."""
    shortest: int = 0
    """Words of a caption at least; it cannot end before."""
    suppress_unknown: bool = True
    """Never emit the unknown word."""
    no_repeat: int = 0
    """No run of this many words comes twice in a caption; 1: no word does. 0: anything may."""
    required: str = ""
    """Words that every caption must hold, with commas between them: `dog,ball`. A beam is kept for each number of them
    said (arXiv 1704.07138), so they come where they cost least. `beam` only."""
    forbidden: str = ""
    """Words that no caption may hold, with commas between them."""
    groups: int = 3
    """Of `diverse`: groups, each a beam of its own."""
    diversity: float = 0.5
    """Of `diverse`: what a word loses, in nats, for each caption of the groups before that says it at the same step.
    0: all groups find the same."""
    temperature: float = 1.0
    """Of `sample`: log-probabilities are divided by this before anything is drawn; below 1 likely words gain."""
    top_k: int = 0
    """Of `sample`: only the likeliest so many words are drawn; 0: all."""
    top_p: float = 1.0
    """Of `sample`: only the fewest likeliest words are drawn that together have this probability, after temperature and
    `top_k` (nucleus, arXiv 1904.09751); 1: all."""
    context: str = "expected"
    """Of hard attention: `expected`, Σ alpha_i a_i (authors' code); `argmax`, the likeliest place; `sample`, a place
    drawn from alpha. Validation, scores, captions and pictures all use it."""
    seed: int = 1
    """Seeds `method=sample` and `context=sample`: the same seed, the same captions of a photo, in whatever company."""


def without_effect(settings: SearchSettings) -> dict[str, str]:
    """The fields that change nothing beside the others, each with the setting it would need."""
    idle: dict[str, str] = {}
    if settings.method != "diverse":
        idle |= dict.fromkeys(("groups", "diversity"), "search.method=diverse")
    if settings.method != "sample":
        idle |= dict.fromkeys(("temperature", "top_k", "top_p"), "search.method=sample")
    else:
        idle |= dict.fromkeys(("beam", "length_normalisation"), "search.method=beam or diverse")
    if settings.method != "sample" and settings.context != "sample":
        idle["seed"] = "search.method=sample or search.context=sample"
    return idle


def refuse_idle(names: Iterable[str], settings: SearchSettings) -> None:
    """UserError names the first of `names`, fields that somebody asked for, that changes nothing in `settings`."""
    idle = without_effect(settings)
    for name in names:
        if name in idle:
            raise UserError(f"search.{name}: no effect without {idle[name]}, leave it out")


def check_search(settings: SearchSettings) -> None:
    """UserError names a value that means nothing, or what does not go together; numbers have their ranges elsewhere."""
    if settings.method not in METHODS:
        raise UserError(f"search.method={settings.method} is unknown: one of {', '.join(METHODS)}")
    if settings.required and settings.method != "beam":
        raise UserError(
            f"search.required={settings.required}: only search.method=beam can promise words, not {settings.method}"
        )
    if settings.shortest >= settings.longest:
        raise UserError(
            f"search.shortest={settings.shortest} words and the end do not fit into search.longest={settings.longest}"
        )
