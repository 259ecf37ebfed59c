"""The kinds of thing a picture can hold: what they are called, how large they are, which colours they come in."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from attend.data.scenes import animals, belongings, furniture, outdoors, vehicles
from attend.data.scenes.palette import Paint
from attend.data.scenes.pen import Pen

BRIGHT = ("red", "orange", "yellow", "green", "blue", "pink", "white")


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
    "house": Kind(outdoors.house, 104, 102, (*BRIGHT, "brown"), (("house", "houses"),), seat=(36, 64, 6)),
    "tree": Kind(
        outdoors.tree,
        84,
        114,
        ("green", "green", "orange", "red", "yellow", "pink"),
        (("tree", "trees"),),
        seat=(32, 56, 6),
        shelter=(0, 84, 78),
    ),
    "flower": Kind(
        outdoors.flower, 48, 80, ("red", "orange", "yellow", "blue", "pink", "white"), (("flower", "flowers"),)
    ),
    "kite": Kind(
        outdoors.kite, 58, 96, ("red", "orange", "yellow", "green", "pink", "white", "black"), (("kite", "kites"),)
    ),
    "car": Kind(vehicles.car, 104, 54, (*BRIGHT, "black"), (("car", "cars"),), seat=(38, 64, 4)),
    "boat": Kind(
        vehicles.boat,
        100,
        98,
        ("red", "orange", "yellow", "green", "pink", "brown", "black"),
        (("boat", "boats"), ("sailboat", "sailboats")),
    ),
    "bicycle": Kind(
        vehicles.bicycle,
        106,
        68,
        ("red", "orange", "yellow", "green", "blue", "pink", "white"),
        (("bicycle", "bicycles"), ("bike", "bikes")),
    ),
    "cat": Kind(animals.cat, 56, 66, ("orange", "brown", "white", "black"), (("cat", "cats"),)),
    "dog": Kind(animals.dog, 70, 60, ("orange", "brown", "white", "black"), (("dog", "dogs"),)),
    "bird": Kind(animals.bird, 60, 50, (*BRIGHT, "brown", "black"), (("bird", "birds"),)),
    "fish": Kind(
        animals.fish, 70, 46, ("red", "orange", "yellow", "green", "pink", "white", "black"), (("fish", "fish"),)
    ),
    "table": Kind(
        furniture.table, 108, 64, (*BRIGHT, "brown"), (("table", "tables"),), seat=(12, 96, 11), shelter=(16, 92, 30)
    ),
    "chair": Kind(
        furniture.chair,
        64,
        92,
        (*BRIGHT, "brown", "black"),
        (("chair", "chairs"),),
        seat=(25, 57, 51),
        shelter=(13, 41, 62),
    ),
    "lamp": Kind(furniture.lamp, 54, 84, BRIGHT, (("lamp", "lamps"),)),
    "cup": Kind(belongings.cup, 52, 44, (*BRIGHT, "black"), (("cup", "cups"), ("mug", "mugs"))),
    "ball": Kind(belongings.ball, 46, 46, BRIGHT, (("ball", "balls"),)),
    "umbrella": Kind(
        belongings.umbrella, 100, 98, (*BRIGHT, "black"), (("umbrella", "umbrellas"),), shelter=(6, 94, 54)
    ),
}

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
