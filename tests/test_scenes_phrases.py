"""Noun phrases by hand: articles, number words, plurals, colours joined."""

from __future__ import annotations

from random import Random

import pytest

from attend.data.scenes.phrases import article, describe, listed
from attend.data.scenes.scene import Thing


def _things(*looks: str) -> list[Thing]:
    """ "big red car" or "red car" → things that look so."""
    parts = [look.split() for look in looks]
    return [Thing(p[-1], p[-2], 0.5, 0.5, 0.003, size=p[0] if len(p) == 3 else "") for p in parts]


def _said(things: list[Thing], **how: object) -> set[str]:
    """Everything that is ever said of these things."""
    return {describe(things, Random(seed), **how) for seed in range(200)}  # type: ignore[arg-type]


@pytest.mark.parametrize(("phrase", "whole"), [("red car", "a red car"), ("orange cat", "an orange cat")])
def test_article(phrase: str, whole: str) -> None:
    assert article(phrase) == whole


def test_listed() -> None:
    assert listed(["a cat"]) == "a cat"
    assert listed(["a cat", "a dog"]) == "a cat and a dog"
    assert listed(["a cat", "a dog", "a car"]) == "a cat, a dog and a car"


def test_what_is_said() -> None:
    assert _said(_things("red car")) == {"a red car"}
    assert _said(_things("red umbrella"), colour=False) == {"an umbrella"}
    assert _said(_things("blue fish", "blue fish")) == {"two blue fish"}
    assert _said(_things("red bicycle")) == {"a red bicycle", "a red bike"}
    assert _said(_things("red car", "blue house")) == {"a red car and a blue house"}
    assert _said(_things("red car", "blue car")) == {"a red car and a blue car"}
    assert _said(_things("big red car", "small blue car"), colour=False) == {
        f"a {big} car and a {small} car" for big in ("big", "large") for small in ("small", "little")
    }
    assert _said(_things("red ball", "red ball", "white ball")) == {
        "two red balls and a white ball",
        "three balls",
        "three balls of different colours",
    }


def test_people_do_not_always_count() -> None:
    five = _things(*["red ball"] * 5)
    assert _said(five, number="loose") == {"some red balls", "several red balls", "a group of red balls"}
    assert _said(five[:3], number="loose") == {"some red balls", "a few red balls"}
    assert _said(five[:2], number="loose") == {"two red balls"}
    assert _said(five, number="none") == {"red balls"}
