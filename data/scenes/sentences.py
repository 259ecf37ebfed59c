"""Sentences about how things of a scene stand to one another. Every one is true of the scene it is made from."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import Protocol

from attend.data.scenes.phrases import by_kind, describe
from attend.data.scenes.scene import Relation, Scene, Thing
from attend.data.scenes.wording import AIRBORNE, DOING


class Say(Protocol):
    """Names things; the number is "exact", "loose" or "none" as for `describe`."""

    def __call__(self, things: Sequence[Thing], number: str = "exact") -> str: ...


def doing(things: Sequence[Thing], chance: Random) -> tuple[str, str]:
    """What the things do, as a description and as a verb that agrees with their number: ("sitting", "sits")."""
    verb = "is" if len(things) == 1 else "are"
    if len(by_kind(things)) > 1:
        return "", verb
    participle, one, several = chance.choice(AIRBORNE if things[0].pose == "flying" else DOING[things[0].kind])
    return participle, one if len(things) == 1 else several


def namer(scene: Scene, chance: Random) -> Say:
    """How one person names the things of this scene: colours nearly always, but not of everything every time.

    A colour is never left out where another thing of the kind would make the name unclear.
    """

    def say(things: Sequence[Thing], number: str = "exact") -> str:
        kinds = {thing.kind for thing in things}
        all_of_them = sum(thing.kind in kinds for thing in scene.things) == len(things)
        return describe(things, chance, not all_of_them or chance.random() < 0.93, number)

    return say


def relation(scene: Scene, about: Relation, chance: Random, say: Say, clause: bool = False) -> str:
    """One relation in words, from either side where it has two; with a verb if it must be a `clause`."""
    first = [scene.things[number] for number in about.things]
    second = [scene.things[number] for number in about.others]
    if not second:
        return chance.choice(_among(about.how, first, chance, say, clause))
    one, other = say(first, "exact"), say(second, "exact")
    participle, verb = doing(first, chance)
    be, be_back = ("is" if len(side) == 1 else "are" for side in (first, second))
    link = chance.choice(LINKS[about.how])
    back = chance.choice(BACK.get(about.how, ("",)))
    forms = [f"{one} {verb} {link} {other}", f"{one} {be} {participle} {link} {other}", f"{one} {be} {link} {other}"]
    if back:
        forms += [f"{other} {be_back} {back} {one}"]
    if clause:
        return chance.choice(forms)
    forms += [f"{one} {link} {other}"] * 2
    if participle:
        forms += [f"{one} {participle} {link} {other}"]
    if back:
        forms += [f"{other} {back} {one}"]
    if about.how in WITH:
        with_them = chance.choice(WITH[about.how]).format("it" if len(second) == 1 else "them")
        forms += [f"{other} with {one} {with_them}"]
    if about.how == "left":
        forms += [f"{one} on the left and {other} on the right"]
    if about.how == "next":
        forms += [f"{one} and {other} side by side", f"{one} and {other} next to each other"]
    return chance.choice(forms)


LINKS: dict[str, tuple[str, ...]] = {
    "left": ("to the left of", "left of"),
    "next": ("next to", "beside"),
    "above": ("above", "over"),
    "on": ("on", "on top of"),
    "under": ("under", "below"),
    "between": ("between",),
}
BACK: dict[str, tuple[str, ...]] = {
    "left": ("to the right of", "right of"),
    "next": ("next to", "beside"),
    "above": ("below", "under"),
}
"""The same relation said of the other side."""

WITH: dict[str, tuple[str, ...]] = {
    "next": ("next to {}", "beside {}"),
    "above": ("above {}", "over {}"),
    "on": ("on {}", "on top of {}"),
    "under": ("under {}",),
    "between": ("between {}",),
}
"""The same relation as something that the other side has: "a table with a cup on it"."""


def _among(how: str, things: Sequence[Thing], chance: Random, say: Say, clause: bool) -> list[str]:
    """Ways to say that several things form a row, two rows, or a group."""
    exact, loose, bare = say(things, "exact"), say(things, "loose"), say(things, "none")
    participle, verb = doing(things, chance)
    manner = {"row": chance.choice(["in a row", "in a line", "side by side"]), "rows": "in two rows"}.get(
        how, "together"
    )
    forms = [f"{exact} {verb} {manner}", f"{exact} are {participle} {manner}"]
    if clause:
        return forms
    forms += [f"{exact} {manner}", f"{exact} {participle} {manner}"]
    if how == "row":
        return [*forms, f"a row of {exact}", f"{loose} {manner}"]
    if how == "rows":
        return [*forms, f"two rows of {bare}"]
    if len(things) == 2:
        return [*forms, f"a pair of {bare}"] if "different" not in bare and " and " not in bare else forms
    return [*forms, f"a group of {exact}", f"{loose} {participle} {manner}"]
