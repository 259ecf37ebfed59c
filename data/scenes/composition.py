"""Composes scenes: a main kind, a background it belongs in, an arrangement that fits, everything from one seed."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from random import Random

from attend.data.scenes import arrangements, stacking
from attend.data.scenes.backgrounds import BACKGROUNDS
from attend.data.scenes.kinds import CARRIES, KINDS, SHELTERS
from attend.data.scenes.scene import Arranged, Scene
from attend.data.scenes.stage import Stage

Choice = tuple[float, Callable[[], Arranged]]
"""How often an arrangement is taken beside others, and the arrangement."""


def compose(chance: Random, limit: int) -> Scene:
    """One scene of 1 to `limit` things. Every kind is as often the main one as any other."""
    while True:
        kind = chance.choice(list(KINDS))
        background = chance.choice(_backgrounds(kind, limit))
        stage = Stage(background, chance, limit)
        choices = list(_choices(stage, kind))
        arrange = chance.choices([choice for _, choice in choices], [weight for weight, _ in choices])[0]
        things, relations = arrange()
        if arrangements.large_enough(things):
            weather = chance.choice(stage.place.weather)
            return Scene(background, weather, tuple(things), tuple(relations))


def _backgrounds(kind: str, limit: int) -> list[str]:
    """Where a kind can be: by itself, or on a thing that stands there."""
    carriers = (
        [carrier for carrier, carried in CARRIES.items() if kind in carried] if kind == "cup" and limit > 1 else []
    )
    return [
        name
        for name, place in BACKGROUNDS.items()
        if kind in place.ground or kind in place.air or any(carrier in place.ground for carrier in carriers)
    ]


def _choices(stage: Stage, kind: str) -> Iterator[Choice]:
    """Every arrangement that this kind can lead here."""
    if kind in stage.place.ground:
        yield from _standing(stage, kind)
    if kind in stage.place.air:
        yield from _alike(stage, kind, air=True)
        if stage.limit > 1:
            mates = [mate for mate in stage.place.air if mate != "kite" or kind == "kite"]
            yield 2, partial(arrangements.side_by_side, stage, [kind, stage.chance.choice(mates)], True)
            if stage.place.ground:
                count = stage.chance.choice([1, 1, 2, 3][: stage.limit])
                yield 4, partial(stacking.overhead, stage, stage.chance.choice(stage.place.ground), kind, count)
    if stage.limit > 1:
        yield from _stacked(stage, kind)


def _standing(stage: Stage, kind: str) -> Iterator[Choice]:
    """Arrangements on the ground."""
    chance, limit, ground = stage.chance, stage.limit, sorted(set(stage.place.ground))
    yield from _alike(stage, kind, air=False)
    others = [other for other in ground if other != kind]
    if limit > 1:
        mate = chance.choice([*others, *others, kind] if others else [kind])
        yield 4, partial(arrangements.side_by_side, stage, chance.sample([kind, mate], 2), False)
        if stage.place.air:
            count = chance.choice([1, 1, 2, 3][:limit])
            yield 2, partial(stacking.overhead, stage, kind, chance.choice(stage.place.air), count)
    if limit > 2 and others:
        pair = chance.sample(others, 2) if len(others) > 1 and chance.random() < 0.4 else [chance.choice(others)] * 2
        yield 2, partial(arrangements.between, stage, kind, pair)
        yield 4, partial(arrangements.gathering, stage, _groups(stage, kind, others))


def _groups(stage: Stage, kind: str, others: list[str]) -> list[tuple[str, int]]:
    """Two kinds with three to five things in all, or three kinds with one of each, in any order."""
    chance = stage.chance
    if len(others) > 1 and chance.random() < 0.35:
        groups = [(each, 1) for each in (kind, *chance.sample(others, 2))]
    else:
        total = chance.choice([total for total in (3, 3, 4, 4, 5) if total <= stage.limit])
        first = chance.randint(1, total - 1)
        groups = [(kind, first), (chance.choice(others), total - first)]
    return chance.sample(groups, len(groups))


def _alike(stage: Stage, kind: str, air: bool) -> Iterator[Choice]:
    """Arrangements of one kind only."""
    chance, limit = stage.chance, stage.limit
    yield 4, partial(arrangements.alone, stage, kind, air)
    if limit > 1:
        yield 1.5, partial(arrangements.big_and_small, stage, kind, air)
        few = [count for count in (2, 3, 4, 5, 6, 7, 8) if count <= limit and stage.fits(kind, (count + 1) // 2, 0.22)]
        if few and stage.background not in ("street", "shelf"):
            yield 5, partial(arrangements.scattered, stage, kind, chance.choice(few), air)
    lines = [count for count in (3, 4, 5) if count <= limit and stage.fits(kind, count, 0.5)]
    if lines:
        yield 2, partial(arrangements.row, stage, kind, chance.choice(lines), air)
    double = [count for count in (3, 4) if 2 * count <= limit and stage.fits(kind, count, 0.2)]
    if double and stage.background not in ("street", "shelf"):
        yield 3, partial(arrangements.rows, stage, kind, chance.choice(double), air)


def _stacked(stage: Stage, kind: str) -> Iterator[Choice]:
    """One thing on or under another, the kind being either."""
    chance, ground = stage.chance, stage.place.ground
    for carrier, carried in CARRIES.items():
        if carrier not in ground or not (kind == carrier or (kind in carried and kind != "table")):
            continue
        top = chance.choice(carried) if kind == carrier else kind
        most = min(3, stage.limit - 1) if top == "cup" else 1
        yield 3, partial(stacking.perched, stage, carrier, top, chance.randint(1, most))
    for roof, guests in SHELTERS.items():
        if roof in ground and (kind == roof or kind in guests):
            yield 1.5, partial(stacking.sheltered, stage, roof, chance.choice(guests) if kind == roof else kind)
