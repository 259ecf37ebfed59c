"""A caption on its photo: for every word how sure, how open the gate, where the model looked and what lies there."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any

import numpy as np

from attend.extract.framing import Box, Framing
from attend.score.attended import SHARE, attended_places
from attend.score.search.caption import Caption


@dataclass(frozen=True, eq=False)
class SeenCaption(Caption):
    """A caption of T words that knows its photo. `words`, `probabilities` (T,) and `gates` (T,) are `Caption`'s."""

    grid: tuple[int, int]
    """Rows and columns of places."""
    framing: Framing
    """Width and height of the upright photo, and the part of it that the grid lies over (`framing.seen`)."""

    @property
    def maps(self) -> np.ndarray:
        """Where the model looked at each word, (T, rows, columns); each map sums to 1."""
        return self.attention.reshape(-1, *self.grid)

    def boxes(self, share: float = SHARE) -> list[Box]:
        """For each word the box, in pixels of the upright photo, of the region that `attended_places` finds."""
        return [self.framing.places(self.grid, *attended_places(one, share)) for one in self.maps]


def on_photo(caption: Caption, grid: tuple[int, int], framing: Framing) -> SeenCaption:
    """A caption with attention (T, L) over a grid of L places, and the framing of its photo."""
    own: dict[str, Any] = {field.name: getattr(caption, field.name) for field in fields(Caption)}
    return SeenCaption(**own, grid=grid, framing=framing)
