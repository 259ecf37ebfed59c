"""Where the captioner looks at test time: what `search.context` asks for."""

from __future__ import annotations

from typing import Protocol, cast, runtime_checkable

from attend.errors import UserError
from attend.train.config import SearchSettings
from attend.train.models.interface import Captioner


@runtime_checkable
class ChoosesPlaces(Protocol):
    """A captioner whose context can be another than the expected one."""

    def looking(self, context: str, seed: int) -> Captioner:
        """The same captioner with `expected`, `argmax` or `sample` as its context; UserError: none of these."""
        ...


def with_context(captioner: Captioner, settings: SearchSettings) -> Captioner:
    """The captioner as the settings want it to look. UserError when it has no places to choose."""
    if settings.context == "expected":
        return captioner
    if not isinstance(captioner, ChoosesPlaces):
        raise UserError(f"search.context={settings.context}: no effect on this run, only VARIANT=hard chooses places")
    return cast(ChoosesPlaces, captioner).looking(settings.context, settings.seed)
