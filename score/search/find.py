"""The captions of photos by whichever method the settings name."""

from __future__ import annotations

from torch import Tensor

from attend.data.vocabulary import Vocabulary
from attend.errors import UserError
from attend.score.search.beam import beam_search
from attend.score.search.caption import Caption
from attend.score.search.rules import nothing_found
from attend.score.search.sample import sample
from attend.train.config import SearchSettings
from attend.train.models.interface import Captioner
from attend.train.search_settings import check_search


def find_captions(
    captioner: Captioner,
    annotations: Tensor,
    mask: Tensor | None,
    vocabulary: Vocabulary,
    settings: SearchSettings,
    best: int = 1,
) -> list[list[Caption]]:
    """The `best` captions of each photo by `settings.method`, at least one: see `beam_search` and `sample`.

    UserError: settings that do not go together, more captions than the search has, rules that no caption obeys.
    """
    check_search(settings)
    check_best(settings, best)
    search = sample if settings.method == "sample" else beam_search
    found = search(captioner, annotations, mask, vocabulary, settings, best)
    if not all(found):
        raise nothing_found(settings)
    return found


def check_best(settings: SearchSettings, best: int) -> None:
    """UserError when a search cannot have that many captions."""
    groups = settings.groups if settings.method == "diverse" else 1
    most = most_captions(settings)
    if best < 1:
        raise UserError(f"{best} captions a photo: ask for at least 1")
    if most is not None and best > most:
        of = f" in {groups} groups" if groups > 1 else ""
        raise UserError(f"{best} captions a photo: search.beam={settings.beam}{of} has {most}, widen it")


def most_captions(settings: SearchSettings) -> int | None:
    """Captions a photo that a search can have; None: as many as are drawn."""
    if settings.method == "sample":
        return None
    return settings.beam * (settings.groups if settings.method == "diverse" else 1)
