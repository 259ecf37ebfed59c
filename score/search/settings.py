"""The search a command was asked for: the run's own settings, with what was overridden."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import fields, replace
from typing import Any

from attend.errors import UserError
from attend.settings import read_settings
from attend.train.config import SearchSettings, TrainConfig
from attend.train.ranges import check_ranges
from attend.train.search_settings import check_search, refuse_idle, without_effect

ALWAYS_TOLD = ("beam", "length_normalisation")


def search_settings(
    settings: SearchSettings, words: Iterable[str], beam: int | None, length_normalisation: float | None
) -> SearchSettings:
    """`settings` changed by words like `search.longest=20`, then by what is not None. UserError: not of the search."""
    values = read_settings(words)
    changes = values.pop("search", {})
    if values:
        raise UserError(f"--set {', '.join(values)}: only settings of the search can be changed after training")
    options: dict[str, Any] = {"beam": beam, "length_normalisation": length_normalisation}
    changes |= {name: value for name, value in options.items() if value is not None}
    settings = replace(settings, **changes)
    check_ranges(TrainConfig(search=settings))
    check_search(settings)
    refuse_idle(changes, settings)
    return settings


def told(search: Mapping[str, Any]) -> str:
    """A search, as `scores-SPLIT.json` has it, in words: beam 5, length normalisation 0.7, and whatever is not as by
    default. Settings without effect are not told."""
    settings, plain = SearchSettings(**search), SearchSettings()
    idle = without_effect(settings)
    names = [field.name for field in fields(settings) if field.name not in idle]
    values = {name: getattr(settings, name) for name in names}
    return ", ".join(
        f"{name.replace('_', ' ')} {value}"
        for name, value in values.items()
        if name in ALWAYS_TOLD or value != getattr(plain, name)
    )
