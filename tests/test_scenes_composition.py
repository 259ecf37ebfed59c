"""Scenes: each relation claimed holds between the boxes drawn; every kind, number and background comes up."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise
from random import Random

import pytest

from attend.data.scenes.backgrounds import BACKGROUNDS
from attend.data.scenes.composition import compose
from attend.data.scenes.kinds import KINDS, name_of
from attend.data.scenes.palette import COLOURS
from attend.data.scenes.picture import Box, draw
from attend.data.scenes.scene import Scene

SIZE = 128
MANY = [compose(Random(f"composition:{number}"), 8) for number in range(1500)]


def _holds(how: str, things: list[Box], others: list[Box]) -> bool:
    """The relation in pixels, written from what the words mean, not from how scenes are arranged."""
    right = [left + width for left, _, width, _ in things]
    foot = [top + height for _, top, _, height in things]
    if how == "row":
        middles = sorted(left + width / 2 for left, _, width, _ in things)
        gaps = [b - a for a, b in pairwise(middles)]
        return max(foot) - min(foot) <= 2 and max(gaps) - min(gaps) <= 4
    if how == "rows":
        half = len(things) // 2
        upper, lower = sorted(foot)[:half], sorted(foot)[half:]
        return upper[-1] - upper[0] <= 2 and lower[-1] - lower[0] <= 2 and lower[0] - upper[-1] >= 0.1 * SIZE
    if how == "scattered":
        return len(things) >= 2
    left_of_others = max(right) <= min(left for left, _, _, _ in others)
    if how == "left":
        return left_of_others
    if how == "next":
        (_, top, _, high), (_, other_top, _, other_high) = things[0], others[0]
        level = abs(top + high - other_top - other_high) <= 0.2 * SIZE
        return left_of_others and level and others[0][0] - right[0] <= 0.75 * SIZE
    if how == "between":
        first, last = sorted(others)
        return first[0] + first[2] <= things[0][0] and right[0] <= last[0]
    (left, top, width, height), bottom = others[0], others[0][1] + others[0][3]
    inside = all(left <= x + w / 2 <= left + width for x, _, w, _ in things)
    if how == "above":
        over = inside or len(things) > 1
        return over and max(foot) < top
    if how == "on":
        return (
            inside
            and all(top <= low <= bottom - 0.15 * height for low in foot)
            and min(t[1] for t in things) < top + height / 2
        )
    if how == "under":
        x, y, w, h = things[0]
        return (
            inside
            and y > top + 0.15 * height
            and y + h >= bottom - 0.25 * height
            and left <= x
            and x + w <= left + width
        )
    raise AssertionError(how)


def test_relations_hold_between_the_boxes() -> None:
    seen: Counter[str] = Counter()
    for number, scene in enumerate(MANY[:300]):
        _, boxes = draw(scene, SIZE, f"composition:{number}")
        for relation in scene.relations:
            sides = [[boxes[index] for index in side] for side in (relation.things, relation.others)]
            assert _holds(relation.how, *sides), (number, relation, scene, boxes)
            seen[relation.how] += 1
    assert set(seen) == {"row", "rows", "scattered", "left", "next", "between", "above", "on", "under"}
    assert min(seen.values()) >= 5


def test_everything_comes_up() -> None:
    kinds = Counter(thing.kind for scene in MANY for thing in scene.things)
    numbers = Counter(len(scene.things) for scene in MANY)
    backgrounds = Counter(scene.background for scene in MANY)
    assert set(kinds) == set(KINDS) and min(kinds.values()) >= 0.02 * kinds.total()
    assert set(numbers) == set(range(1, 9)) and min(numbers.values()) >= 5
    assert set(backgrounds) == set(BACKGROUNDS) and min(backgrounds.values()) >= 0.02 * len(MANY)
    every = {name_of(kind, colour) for kind, shape in KINDS.items() for colour in shape.colours}
    assert {thing.name for scene in MANY for thing in scene.things} == every
    assert {name.split()[0] for name in every} == set(COLOURS)


@pytest.mark.parametrize("limit", range(1, 9))
def test_limit(limit: int) -> None:
    numbers = Counter(len(compose(Random(f"limit:{number}"), limit).things) for number in range(300))
    assert max(numbers) == limit and min(numbers) == 1


def test_sizes_are_named_only_in_contrast() -> None:
    for scene in MANY:
        sized = [thing for thing in scene.things if thing.size]
        if sized:
            small, big = sorted(sized, key=lambda thing: thing.scale)
            assert (small.size, big.size) == ("small", "big") and small.kind == big.kind
            assert small.scale * 2 < big.scale


def test_things_stand_where_they_belong() -> None:
    def standing(scene: Scene) -> set[str]:
        return {thing.kind for thing in scene.things if not thing.airborne}

    for scene in MANY:
        if scene.background in ("lake", "sunset"):
            assert standing(scene) <= {"boat"}
        if scene.background == "sea":
            assert {thing.kind for thing in scene.things} == {"fish"}
        assert ("fish" in {thing.kind for thing in scene.things}) == (scene.background == "sea")
