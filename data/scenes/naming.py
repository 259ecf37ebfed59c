"""Judges a caption by what it names: is such a thing in the picture, and does it have the colour it is given?

A colour counts only where it is attached to its noun: "a red car", "two big red cars", "red and blue cars",
"a red, a green and a blue car". What is not a thing of kinds.py is no name: "the blue sky" says nothing of a thing.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from attend.data.items import Item, Region
from attend.data.scenes.kinds import KINDS, name_of
from attend.data.scenes.palette import COLOURS
from attend.data.scenes.phrases import NUMBERS, SIZES
from attend.errors import UserError

_NOUNS = {word: kind for kind, shape in KINDS.items() for names in shape.names for word in names}
_PLURALS = {plural for shape in KINDS.values() for singular, plural in shape.names if plural != singular}
_SIZES = {word for words in SIZES.values() for word in words}
_LIMITS = {"a", "an", "the", *NUMBERS[1:]}
"""Words that begin a noun phrase."""


@dataclass(frozen=True)
class Mention:
    """One thing named: its kind, the colour attached to it ("" for none), the number word before it, if plural."""

    kind: str
    colour: str
    number: str
    plural: bool

    @property
    def name(self) -> str:
        return name_of(self.kind, self.colour) if self.colour else self.kind


@dataclass(frozen=True)
class Verdict:
    """`thing`: a thing of the picture is named. `colour`: one is named with a colour that this kind has there.

    `wrong`: what is named and is not there, a kind ("cat") or a kind with a colour it does not have ("blue car").
    """

    thing: bool
    colour: bool
    wrong: tuple[str, ...]


@dataclass(frozen=True)
class NamingAccuracy:
    """Verdicts over captions. Shares are of `pictures`, 0 to 1; `wrong_names` counts every wrong name.

    `thing`: a right thing is named. `colour`: a right thing in its right colour. `faultless`: that, and no wrong name.
    """

    pictures: int
    thing: float
    colour: float
    faultless: float
    wrong_names: int


def mentions(caption: str) -> list[Mention]:
    """Every thing the caption names, in order; two colours joined before one noun are two mentions."""
    tokens = re.findall(r"[^\W\d_]+|,", caption.lower())
    found: list[Mention] = []
    for place, token in enumerate(tokens):
        if token in _NOUNS:
            colours, number = _attached(tokens[:place])
            found += [Mention(_NOUNS[token], colour, number, token in _PLURALS) for colour in colours or [""]]
    return found


def _attached(before: Sequence[str]) -> tuple[list[str], str]:
    """The colours attached to the noun that follows these words, first to last, and the number word that begins it.

    Read backwards: sizes and colours; a comma, "and" or article only while a further colour stands right before it.
    """
    colours: list[str] = []
    number = ""
    place = len(before) - 1
    while place >= 0:
        word = before[place]
        if word in COLOURS:
            colours.insert(0, word)
        elif word in NUMBERS[1:] and not number:
            number = word
        elif word not in _SIZES:
            joined = place
            while joined >= 0 and before[joined] in {*_LIMITS, "and", ","}:
                joined -= 1
            crossed = before[joined + 1 : place + 1]
            if not (colours and joined >= 0 and before[joined] in COLOURS and {"and", ","} & {*crossed}):
                break
            place = joined
            continue
        place -= 1
    return colours, number


def judge(caption: str, regions: Iterable[Region]) -> Verdict:
    """Hold what a caption names against the picture's regions, whose names are like "red car"."""
    present = {region.name for region in regions}
    kinds = {name.split()[-1] for name in present}
    named = mentions(caption)
    wrong = [m.name for m in named if (m.name not in present if m.colour else m.kind not in kinds)]
    return Verdict(
        thing=any(mention.kind in kinds for mention in named),
        colour=any(mention.colour and mention.name in present for mention in named),
        wrong=tuple(wrong),
    )


def naming_accuracy(captions: Mapping[str, str], items: Sequence[Item]) -> NamingAccuracy:
    """Judge one caption a picture, `captions` by image id, over exactly these items.

    Raises UserError if there is no item, an item without a caption or regions, or a caption without an item.
    """
    known = {item.image_id for item in items}
    faults = [f"picture {item.image_id} has no caption" for item in items if item.image_id not in captions]
    faults += [f"picture {item.image_id} has no named regions" for item in items if not item.regions]
    faults += [f"caption {image_id} belongs to no picture" for image_id in captions if image_id not in known]
    if faults or not items:
        reason = faults[0] if faults else "there is no picture"
        raise UserError(f"cannot judge the names: {reason} ({len(faults)} such): caption exactly the pictures judged")
    verdicts = [judge(captions[item.image_id], item.regions) for item in items]
    return NamingAccuracy(
        pictures=len(items),
        thing=sum(verdict.thing for verdict in verdicts) / len(items),
        colour=sum(verdict.colour for verdict in verdicts) / len(items),
        faultless=sum(verdict.colour and not verdict.wrong for verdict in verdicts) / len(items),
        wrong_names=sum(len(verdict.wrong) for verdict in verdicts),
    )
