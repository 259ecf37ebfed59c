"""The search a command was asked for: the run's own settings, with what was overridden."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from attend.errors import UserError
from attend.settings import read_settings
from attend.train.config import SearchSettings


def search_settings(
    settings: SearchSettings, words: Iterable[str], beam: int | None, length_normalisation: float | None
) -> SearchSettings:
    """`settings` changed by words like `search.longest=20`, then by what is not None. UserError: not of the search."""
    values = read_settings(words)
    changes = values.pop("search", {})
    if values:
        raise UserError(f"--set {', '.join(values)}: only settings of the search can be changed after training")
    options: dict[str, Any] = {"beam": beam, "length_normalisation": length_normalisation}
    if "seed" in changes and changes.get("context", settings.context) != "sample":
        raise UserError("search.seed: no effect without search.context=sample, leave it out")
    settings = replace(settings, **changes | {name: value for name, value in options.items() if value is not None})
    if settings.beam < 1 or settings.longest < 1 or settings.length_normalisation < 0 or settings.seed < 0:
        raise UserError(
            f"search: beam and longest must be at least 1, length_normalisation, seed at least 0: {settings}"
        )
    return settings
