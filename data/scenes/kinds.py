"""The kinds of thing a picture can hold: what they are called, how large they are, which colours they come in."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from attend.data.scenes import animals, belongings, furniture, outdoors, vehicles
from attend.data.scenes.palette import Paint
from attend.data.scenes.pen import Pen


@dataclass(frozen=True)
class Kind:
    """One kind of thing. Lengths are drawing units: a house is 104 wide, so sizes keep to one another.

    `names` are (singular, plural), the usual one first. `seat` is where something can stand on it: (left, right,
    height from the top). `shelter` is the free space below it, between the same ends, from `height` down to the ground.
    """

    draw: Callable[[Pen, Paint, str], None]
    width: float
    height: float
    colours: tuple[str, ...]
    names: tuple[tuple[str, str], ...]
    seat: tuple[float, float, float] | None = None
    shelter: tuple[float, float, float] | None = None


KINDS: dict[str, Kind] = {
    "house": Kind(
        outdoors.house, 104, 102, ("red", "yellow", "blue", "white"), (("house", "houses"),), seat=(36, 64, 6)
    ),
    "tree": Kind(
        outdoors.tree,
        84,
        114,
        ("green", "green", "orange", "pink"),
        (("tree", "trees"),),
        seat=(32, 56, 6),
        shelter=(0, 84, 78),
    ),
    "flower": Kind(outdoors.flower, 48, 80, ("red", "yellow", "blue", "white"), (("flower", "flowers"),)),
    "kite": Kind(outdoors.kite, 58, 96, ("red", "yellow", "green", "black"), (("kite", "kites"),)),
    "car": Kind(vehicles.car, 104, 54, ("red", "yellow", "blue", "black"), (("car", "cars"),), seat=(38, 64, 4)),
    "boat": Kind(
        vehicles.boat,
        100,
        98,
        ("red", "yellow", "green", "black"),
        (("boat", "boats"), ("sailboat", "sailboats")),
    ),
    "bicycle": Kind(vehicles.bicycle, 106, 68, ("red", "yellow", "blue"), (("bicycle", "bicycles"), ("bike", "bikes"))),
    "cat": Kind(animals.cat, 56, 66, ("orange", "white", "black"), (("cat", "cats"),)),
    "dog": Kind(animals.dog, 70, 60, ("brown", "white", "black"), (("dog", "dogs"),)),
    "bird": Kind(animals.bird, 60, 50, ("red", "yellow", "blue", "black"), (("bird", "birds"),)),
    "fish": Kind(animals.fish, 70, 46, ("orange", "green", "white", "black"), (("fish", "fish"),)),
    "table": Kind(
        furniture.table,
        108,
        64,
        ("red", "blue", "white"),
        (("table", "tables"),),
        seat=(12, 96, 11),
        shelter=(16, 92, 30),
    ),
    "chair": Kind(
        furniture.chair,
        64,
        92,
        ("red", "green", "white"),
        (("chair", "chairs"),),
        seat=(25, 57, 51),
        shelter=(13, 41, 62),
    ),
    "lamp": Kind(furniture.lamp, 54, 84, ("red", "green", "blue"), (("lamp", "lamps"),)),
    "cup": Kind(belongings.cup, 52, 44, ("red", "blue", "white", "black"), (("cup", "cups"), ("mug", "mugs"))),
    "ball": Kind(belongings.ball, 46, 46, ("red", "yellow", "blue"), (("ball", "balls"),)),
    "umbrella": Kind(
        belongings.umbrella,
        100,
        98,
        ("red", "yellow", "green", "black"),
        (("umbrella", "umbrellas"),),
        shelter=(6, 94, 54),
    ),
}
"""Each comes in a few colours that are easy to tell apart on it; all nine of palette.py are worn by some kind."""

CARRIES: dict[str, tuple[str, ...]] = {
    "table": ("cup", "cup", "lamp", "cat", "ball"),
    "chair": ("cat", "ball", "bird"),
    "car": ("cat", "bird"),
    "house": ("bird", "cat"),
    "tree": ("bird",),
}
"""What may stand on what."""

SHELTERS: dict[str, tuple[str, ...]] = {
    "table": ("cat", "dog", "ball"),
    "chair": ("ball",),
    "umbrella": ("cat", "dog", "ball", "chair"),
    "tree": ("cat", "dog", "ball", "flower"),
}
"""What may be under what."""


def name_of(kind: str, colour: str) -> str:
    """What a region is called: "red car"."""
    return f"{colour} {kind}"
