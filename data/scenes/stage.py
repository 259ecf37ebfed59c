"""The stage an arrangement works on: colours that show, heights to stand at, and how much fits side by side."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from random import Random

from attend.data.scenes.backgrounds import BACKGROUNDS, Background
from attend.data.scenes.kinds import KINDS
from attend.data.scenes.scene import Thing

EDGE = 0.03
"""Share of the picture kept free at each side."""

HIGHEST = 0.06
"""Nothing in the air reaches higher."""

SMALLEST = 0.0027
"""A drawing unit is never smaller: a ball is an eighth of the picture wide, more than half a cell of a 7 by 7 grid."""

PAVEMENT = ("house", "tree", "dog", "cat")
"""What stands on a street's pavement; the rest is on the road."""


@dataclass(frozen=True)
class Stage:
    """A background, the random numbers of this picture, and the most things it may hold."""

    background: str
    chance: Random
    limit: int

    @property
    def place(self) -> Background:
        return BACKGROUNDS[self.background]

    def colour(self, kind: str, air: bool = False, avoid: Sequence[str] = ()) -> str:
        """One the kind comes in and that shows against the background; not one to `avoid`, where that leaves any."""
        lost = self.place.lost_in_air if air else self.place.lost
        shown = [colour for colour in KINDS[kind].colours if colour not in lost]
        return self.chance.choice([colour for colour in shown if colour not in avoid] or shown)

    def colours(self, kind: str, count: int, air: bool = False) -> list[str]:
        """For `count` of a kind: mostly one for all, else two, else all different."""
        first = self.colour(kind, air)
        style = self.chance.random()
        if style < 0.7:
            return [first] * count
        if style < 0.92 or count > 4:
            second = self.colour(kind, air, [first])
            cut = self.chance.randint(1, count - 1)
            return [first] * cut + [second] * (count - cut)
        chosen = [first]
        while len(chosen) < count:
            chosen.append(self.colour(kind, air, chosen))
        return chosen

    def foot(self, kind: str, level: float) -> float:
        """Where a standing thing ends below, `level` 0 far to 1 near; on a street by what it is."""
        if self.background == "street":
            return 0.735 if kind in PAVEMENT else 0.87 + 0.04 * level
        return self.place.far + (self.place.near - self.place.far) * level

    def aloft(self, high: float) -> float:
        """Where something `high` ends below, anywhere in the air (or under water)."""
        return self.chance.uniform(HIGHEST + high, max(HIGHEST + high, self.place.lowest))

    def thing(
        self, kind: str, colour: str, x: float, foot: float, scale: float, air: bool = False, size: str = ""
    ) -> Thing:
        """A thing facing either way; flying if it is a bird in the air."""
        pose = "flying" if air and kind == "bird" else ""
        return Thing(kind, colour, x, foot, scale, self.chance.random() < 0.5, pose, size)

    def spread(
        self, kinds: Sequence[str], tallest: float, share: Sequence[float] | None = None
    ) -> tuple[float, list[float]]:
        """The scale at which the kinds fit side by side, none higher than `tallest`, and their middles, left to right.

        `share`: how large each is beside its usual size. What is left free is dealt out at random between them.
        """
        share = share or [1.0] * len(kinds)
        widths = [KINDS[kind].width * part for kind, part in zip(kinds, share, strict=True)]
        heights = [KINDS[kind].height * part for kind, part in zip(kinds, share, strict=True)]
        room = 1 - 2 * EDGE - 0.03 * (len(kinds) - 1)
        scale = min(room / sum(widths), tallest / max(heights), 0.62 / max(*widths, *heights)) * self.chance.uniform(
            0.9, 1
        )
        weights = [self.chance.uniform(0.3, 1) for _ in range(len(kinds) + 1)]
        free = room - scale * sum(widths)
        x, middles = EDGE, []
        for width, weight in zip(widths, weights, strict=False):
            x += free * weight / sum(weights)
            middles.append(x + width * scale / 2)
            x += width * scale + 0.03
        return scale, middles

    def fits(self, kind: str, count: int, high: float) -> bool:
        """Whether `count` of a kind, none higher than `high`, stand side by side and are still large enough."""
        room = 1 - 2 * EDGE - 0.03 * (count - 1)
        return min(room / (KINDS[kind].width * count), high / KINDS[kind].height) * 0.9 >= SMALLEST
