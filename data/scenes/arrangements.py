"""Arrangements beside one another, or of one thing alone: things in drawing order, and the relations among them."""

from __future__ import annotations

from collections.abc import Sequence

from attend.data.scenes.kinds import KINDS
from attend.data.scenes.scene import Arranged, Relation, Thing
from attend.data.scenes.stage import HIGHEST, SMALLEST, Stage


def alone(stage: Stage, kind: str, air: bool) -> Arranged:
    """One thing, large."""
    chance, shape = stage.chance, KINDS[kind]
    foot = stage.place.lowest if air else stage.foot(kind, chance.random())
    scale = min(chance.uniform(0.44, 0.68) / max(shape.width, shape.height), (foot - 0.07) / shape.height)
    if air:
        foot = stage.aloft(shape.height * scale)
    half = shape.width * scale / 2
    thing = stage.thing(kind, stage.colour(kind, air), chance.uniform(half + 0.05, 0.95 - half), foot, scale, air)
    return [thing], []


def side_by_side(stage: Stage, kinds: Sequence[str], air: bool) -> Arranged:
    """Two things, the first to the left of the second; two of a kind have different colours."""
    scale, middles = stage.spread(kinds, 0.56 if air else 0.6)
    level = stage.chance.uniform(0.2, 0.8)
    things: list[Thing] = []
    for kind, x in zip(kinds, middles, strict=True):
        avoid = [thing.colour for thing in things if thing.kind == kind]
        foot = stage.aloft(KINDS[kind].height * scale) if air else stage.foot(kind, level)
        things.append(stage.thing(kind, stage.colour(kind, air, avoid), x, foot, scale, air))
    if air:
        return things, [Relation("left", (0,), (1,))]
    return things, [Relation(how, (0,), (1,)) for how in stage.chance.sample(["left", "next"], 2)]


def big_and_small(stage: Stage, kind: str, air: bool) -> Arranged:
    """Two of a kind, one less than half as long as the other."""
    sizes = stage.chance.choice([("big", "small"), ("small", "big")])
    share = [1.0 if size == "big" else 0.46 for size in sizes]
    scale, middles = stage.spread([kind, kind], 0.58, share)
    first = stage.colour(kind, air)
    colours = [first, first if stage.chance.random() < 0.4 else stage.colour(kind, air, [first])]
    foot = stage.aloft(KINDS[kind].height * scale) if air else stage.foot(kind, stage.chance.uniform(0.4, 1))
    things = [
        stage.thing(kind, colour, x, foot, scale * part, air, size)
        for colour, x, part, size in zip(colours, middles, share, sizes, strict=True)
    ]
    return things, [Relation(how, (0,), (1,)) for how in stage.chance.sample(["left", "next"], 2)]


def between(stage: Stage, middle: str, sides: Sequence[str]) -> Arranged:
    """One thing between two others; two of a kind have one colour."""
    kinds = [sides[0], middle, sides[1]]
    scale, middles = stage.spread(kinds, 0.56)
    level = stage.chance.uniform(0.3, 0.9)
    first = stage.colour(sides[0])
    last = first if sides[0] == sides[1] else stage.colour(sides[1])
    colours = [first, stage.colour(middle, avoid=[first]), last]
    things = [
        stage.thing(kind, colour, x, stage.foot(kind, level), scale)
        for kind, colour, x in zip(kinds, colours, middles, strict=True)
    ]
    return things, [Relation("between", (1,), (0, 2))]


def row(stage: Stage, kind: str, count: int, air: bool) -> Arranged:
    """Three to five of a kind in a row."""
    scale, middles = stage.spread([kind] * count, 0.5)
    gaps = (middles[-1] - middles[0]) / (count - 1)
    foot = stage.aloft(KINDS[kind].height * scale) if air else stage.foot(kind, stage.chance.uniform(0.2, 0.9))
    colours = stage.colours(kind, count, air)
    things = [
        stage.thing(kind, colour, middles[0] + gaps * number, foot, scale, air) for number, colour in enumerate(colours)
    ]
    flip = things[0].flip
    things = [Thing(t.kind, t.colour, t.x, t.foot, t.scale, flip, t.pose) for t in things]
    return things, [Relation("row", tuple(range(count)))]


def rows(stage: Stage, kind: str, columns: int, air: bool) -> Arranged:
    """Two rows of a kind, one behind (or above) the other."""
    lower = stage.place.lowest if air else stage.place.near
    upper = lower - 0.32 if air else stage.place.far - 0.06
    scale, middles = stage.spread([kind] * columns, min(lower - upper - 0.02, upper - HIGHEST))
    gaps = (middles[-1] - middles[0]) / (columns - 1)
    colour = stage.colour(kind, air)
    things = [
        stage.thing(kind, colour, middles[0] + gaps * number, foot, scale, air)
        for foot in (upper, lower)
        for number in range(columns)
    ]
    return things, [Relation("rows", tuple(range(2 * columns)))]


def scattered(stage: Stage, kind: str, count: int, air: bool) -> Arranged:
    """Two to eight of a kind, here and there."""
    chance, shape = stage.chance, KINDS[kind]
    lines = 1 if count < 3 else 2
    columns = -(-count // lines)
    if air:
        high = (stage.place.lowest - HIGHEST) / lines
        feet = [HIGHEST + high * (line + 1) for line in range(lines)]
    else:
        feet = [stage.place.far - 0.03, stage.place.near][-lines:]
        high = min(0.3 if lines == 2 else 0.5, feet[-1] - feet[0] - 0.02 if lines == 2 else 0.5)
    wide = 0.94 / columns
    scale = min(high * 0.94 / shape.height, wide * 0.9 / shape.width, 0.4 / max(shape.width, shape.height))
    cells = [(line, column) for line in range(lines) for column in range(columns)]
    kept = sorted(chance.sample(cells, count))
    colours = stage.colours(kind, count, air)
    chance.shuffle(colours)
    spare_x, spare_y = wide - shape.width * scale, max(0.0, high - shape.height * scale) if air else 0.02
    things = []
    for (line, column), colour in zip(kept, colours, strict=True):
        x = 0.03 + wide * (column + 0.5) + chance.uniform(-0.5, 0.5) * spare_x
        things.append(stage.thing(kind, colour, x, feet[line] - chance.uniform(0, 1) * spare_y, scale, air))
    return things, [Relation("scattered", tuple(range(count)))]


def gathering(stage: Stage, groups: Sequence[tuple[str, int]]) -> Arranged:
    """Several kinds beside one another, each kind together and in one colour."""
    kinds = [kind for kind, count in groups for _ in range(count)]
    colours = [colour for kind, count in groups for colour in [stage.colour(kind)] * count]
    scale, middles = stage.spread(kinds, 0.5)
    level = stage.chance.uniform(0.3, 0.8)
    things = [
        stage.thing(
            kind, colour, x, stage.foot(kind, min(1.0, max(0.0, level + stage.chance.uniform(-0.15, 0.15)))), scale
        )
        for kind, colour, x in zip(kinds, colours, middles, strict=True)
    ]
    if len(groups) != 2:
        return things, []
    cut = groups[0][1]
    return things, [Relation("left", tuple(range(cut)), tuple(range(cut, len(things))))]


def large_enough(things: Sequence[Thing]) -> bool:
    """Whether everything can still be told apart."""
    return all(thing.scale >= SMALLEST * 0.85 or min(thing.width, thing.height) > 0.15 for thing in things)
