"""Noun phrases for things of a scene: articles, number words, plurals, and how many of them people bother to count."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

from attend.data.scenes.kinds import KINDS
from attend.data.scenes.scene import Thing

NUMBERS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight")
SIZES = {"big": ("big", "large"), "small": ("small", "little")}


def article(phrase: str) -> str:
    """ "an orange cat", "a red umbrella"."""
    return f"an {phrase}" if phrase[0] in "aeiou" else f"a {phrase}"


def listed(phrases: Sequence[str]) -> str:
    """ "a cat", "a cat and a dog", "a cat, a dog and a ball"."""
    return phrases[0] if len(phrases) == 1 else f"{', '.join(phrases[:-1])} and {phrases[-1]}"


def by_kind(things: Sequence[Thing]) -> list[list[Thing]]:
    """The things of each kind together, kinds in the order they first come."""
    kinds = dict.fromkeys(thing.kind for thing in things)
    return [[thing for thing in things if thing.kind == kind] for kind in kinds]


def describe(things: Sequence[Thing], chance: Random, colour: bool = True, number: str = "exact") -> str:
    """All the things in words, kind by kind: "two red cars and a house".

    `colour`: whether colours are named. `number`: "exact" counts, "loose" says "some" or "several" where there are
    more than two, "none" gives bare plurals.
    """
    return listed([_one_kind(alike, chance, colour, number) for alike in by_kind(things)])


def _one_kind(things: Sequence[Thing], chance: Random, colour: bool, number: str) -> str:
    looks = list(dict.fromkeys((thing.size, thing.colour if colour else "") for thing in things))
    singular, plural = chance.choice(KINDS[things[0].kind].names)
    if len(looks) > 2 or (len(looks) == 2 and len(things) > 2 and chance.random() < 0.2):
        crowd = f"{_count(len(things), chance, number)}{plural}"
        return f"{crowd} of different colours" if chance.random() < 0.6 else crowd
    parts = []
    for size, hue in looks:
        count = sum(thing.size == size and hue in ("", thing.colour) for thing in things)
        words = [chance.choice(SIZES[size])] if size else []
        words += [hue] if hue else []
        if count == 1:
            parts.append(article(" ".join([*words, singular])))
        else:
            parts.append(_count(count, chance, number) + " ".join([*words, plural]))
    return listed(parts)


def _count(count: int, chance: Random, number: str) -> str:
    """What stands before a plural, with its blank."""
    if number == "none":
        return ""
    if number == "exact" or count == 2:
        return f"{NUMBERS[count]} "
    words = ["some"]
    words += ["a few"] if count < 5 else ["several", "a group of"]
    return f"{chance.choice(words)} "
