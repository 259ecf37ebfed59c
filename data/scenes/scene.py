"""What a picture shows, before a line is drawn: things in their places and how they stand to one another.

Lengths are shares of the picture's side, so one scene can be drawn at any size.
"""

from __future__ import annotations

from dataclasses import dataclass

from attend.data.scenes.kinds import KINDS, name_of


@dataclass(frozen=True)
class Thing:
    """One thing. `x` is its middle, `foot` where it ends below, `scale` the picture's share a drawing unit takes.

    `flip` turns it to the left, `pose` is "flying" or "", `size` is "big" or "small" only beside one of another size.
    """

    kind: str
    colour: str
    x: float
    foot: float
    scale: float
    flip: bool = False
    pose: str = ""
    size: str = ""

    @property
    def width(self) -> float:
        return KINDS[self.kind].width * self.scale

    @property
    def height(self) -> float:
        return KINDS[self.kind].height * self.scale

    @property
    def top(self) -> float:
        return self.foot - self.height

    @property
    def airborne(self) -> bool:
        """Whether it flies, or swims under water."""
        return self.pose == "flying" or self.kind in ("kite", "fish")

    @property
    def name(self) -> str:
        return name_of(self.kind, self.colour)


@dataclass(frozen=True)
class Relation:
    """`things` (numbers into the scene's list) are `how` to the `others`.

    left, next, above, on, under: to the others; between: two others; row, rows, scattered: among themselves.
    """

    how: str
    things: tuple[int, ...]
    others: tuple[int, ...] = ()


@dataclass(frozen=True)
class Scene:
    """One picture: a background with its weather, things in the order they are drawn, relations, the main one first."""

    background: str
    weather: str
    things: tuple[Thing, ...]
    relations: tuple[Relation, ...]


Arranged = tuple[list[Thing], list[Relation]]
"""What an arrangement makes: things in the order they are drawn, and the relations among them."""
