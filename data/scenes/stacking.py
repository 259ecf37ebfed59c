"""Arrangements one above the other: flying over, standing on, sheltering under."""

from __future__ import annotations

from attend.data.scenes.kinds import KINDS
from attend.data.scenes.scene import Arranged, Relation
from attend.data.scenes.stage import Stage


def overhead(stage: Stage, low: str, high: str, count: int) -> Arranged:
    """One standing thing with `count` flying ones above it."""
    chance = stage.chance
    foot = stage.foot(low, chance.uniform(0.6, 1))
    scale = min(0.46 / KINDS[low].height, 0.62 / KINDS[low].width) * chance.uniform(0.86, 1)
    half = KINDS[low].width * scale / 2
    standing = stage.thing(low, stage.colour(low), chance.uniform(half + 0.08, 0.92 - half), foot, scale)
    free = standing.top - 0.07
    higher, middles = stage.spread([high] * count, min(free * 0.96, 0.36))
    colours = [stage.colour(high, True)] * count
    if count == 1:
        reach = KINDS[high].width * higher / 2
        middles = [min(max(standing.x + chance.uniform(-0.12, 0.12), reach + 0.04), 0.96 - reach)]
    tall = KINDS[high].height * higher
    flying = [
        stage.thing(high, colour, x, 0.04 + tall + chance.uniform(0, free - tall), higher, air=True)
        for colour, x in zip(colours, middles, strict=True)
    ]
    return [standing, *flying], [Relation("above", tuple(range(1, count + 1)), (0,))]


def perched(stage: Stage, support: str, top: str, count: int) -> Arranged:
    """`count` things of one kind on another thing."""
    chance, below, above = stage.chance, KINDS[support], KINDS[top]
    assert below.seat is not None
    left, right, height = below.seat
    share = min(1.0, (1.45 if count == 1 else 0.94) * (right - left) / (above.width * count))
    foot = stage.foot(support, chance.uniform(0.5, 1))
    tall = below.height - height + above.height * share
    scale = min((foot - 0.05) / tall, 0.7 / max(below.width, below.height)) * chance.uniform(0.92, 1)
    half = below.width * scale / 2
    carrier = stage.thing(support, stage.colour(support), chance.uniform(half + 0.06, 0.94 - half), foot, scale)
    seat = carrier.top + height * scale
    colours = stage.colours(top, count) if count > 1 else [stage.colour(top, avoid=[carrier.colour])]
    step = (right - left) / count
    if count == 1 and support == "table":
        places = [chance.uniform(left + above.width / 2, right - above.width / 2)]
    else:
        places = [left + step * (number + 0.5) for number in range(count)]
    things = [carrier]
    for place, colour in zip(places, colours, strict=True):
        inward = (place - below.width / 2) * scale
        things.append(stage.thing(top, colour, carrier.x + (-inward if carrier.flip else inward), seat, scale * share))
    return things, [Relation("on", tuple(range(1, count + 1)), (0,))]


def sheltered(stage: Stage, support: str, under: str) -> Arranged:
    """One thing under another that stands over it."""
    chance, above, below = stage.chance, KINDS[support], KINDS[under]
    assert above.shelter is not None
    left, right, height = above.shelter
    foot = stage.foot(support, chance.uniform(0.7, 1))
    scale = min((foot - 0.06) / above.height, 0.88 / above.width)
    half = above.width * scale / 2
    roof = stage.thing(support, stage.colour(support), chance.uniform(half + 0.04, 0.96 - half), foot, scale)
    pole = support in ("tree", "umbrella")
    free = (right - left) * (0.45 if pole else 0.9)
    share = min((above.height - height) * 0.9 / below.height, free / below.width)
    side = chance.choice([-1, 1]) * (right - left) * 0.23 if pole else 0.0
    inward = ((left + right - above.width) / 2 + side) * scale
    x = roof.x + (-inward if roof.flip else inward)
    lift = 0.012 if support in ("table", "chair") else -0.008  # a little behind, or before, the foot of what covers it
    thing = stage.thing(under, stage.colour(under, avoid=[roof.colour]), x, foot - lift, scale * share)
    return [roof, thing], [Relation("under", (1,), (0,))]
