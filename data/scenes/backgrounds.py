"""The backgrounds: who paints them, what may stand or fly there, and in which colours it would be lost."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from random import Random

from attend.data.scenes import interiors, landscapes, waters
from attend.data.scenes.pen import Pen


@dataclass(frozen=True)
class Background:
    """Where a picture is set.

    `ground`: kinds that stand (or float) in it; `air`: kinds that fly (or swim under water) in it. `far` and `near`:
    heights, as shares of the picture from the top, between which things stand; `lowest`: down to where things fly.
    `lost`: colours of standing things that would not show; `lost_in_air` of flying ones. `weather`: one is drawn.
    """

    paint: Callable[[Pen, Random, str], None]
    ground: tuple[str, ...]
    air: tuple[str, ...] = ()
    far: float = 0.72
    near: float = 0.93
    lowest: float = 0.66
    lost: tuple[str, ...] = ()
    lost_in_air: tuple[str, ...] = ()
    weather: tuple[str, ...] = ("",)


_DAY = ("sun", "clouds", "")

BACKGROUNDS: dict[str, Background] = {
    "meadow": Background(
        landscapes.meadow,
        (
            "house",
            "tree",
            "flower",
            "flower",
            "cat",
            "dog",
            "ball",
            "umbrella",
            "bicycle",
            "bird",
            "chair",
            "table",
            "car",
        ),
        ("bird", "kite"),
        lost_in_air=("blue", "white"),
        weather=_DAY,
    ),
    "beach": Background(
        waters.beach,
        ("umbrella", "ball", "chair", "dog", "bird", "bicycle", "table"),
        ("bird", "kite"),
        far=0.76,
        lost=("yellow", "white"),
        lost_in_air=("blue", "white"),
        weather=_DAY,
    ),
    "street": Background(
        landscapes.street,
        ("car", "bicycle", "house", "tree", "dog", "cat"),
        ("bird", "kite"),
        far=0.74,
        near=0.9,
        lost_in_air=("blue", "white"),
        weather=_DAY,
    ),
    "room": Background(
        interiors.room, ("chair", "table", "lamp", "cat", "dog", "ball", "umbrella"), far=0.8, lost=("orange",)
    ),
    "wall": Background(
        interiors.wall, ("bicycle", "chair", "lamp", "umbrella", "cat", "dog", "ball", "table"), far=0.84, near=0.94
    ),
    "shelf": Background(interiors.shelf, ("cup", "cup", "ball", "lamp", "cat"), far=0.81, near=0.825),
    "night": Background(
        landscapes.night,
        ("house", "tree", "car", "cat", "dog", "bicycle"),
        ("bird",),
        lost=("black", "green", "brown"),
        lost_in_air=("black", "blue", "brown"),
        weather=("moon", ""),
    ),
    "snow": Background(
        landscapes.snow,
        ("house", "tree", "dog", "cat", "car", "bird"),
        ("bird", "kite"),
        lost=("white",),
        lost_in_air=("white",),
    ),
    "lake": Background(
        waters.lake, ("boat",), ("bird", "kite"), lost=("blue",), lost_in_air=("blue", "white"), weather=_DAY
    ),
    "sunset": Background(
        waters.sunset, ("boat",), ("bird",), lost=("brown",), lost_in_air=("orange", "pink", "yellow")
    ),
    "sea": Background(waters.sea, (), ("fish",), lowest=0.9, lost_in_air=("blue",)),
}

FLOATING = ("lake", "sunset")
"""Backgrounds whose ground is water: what is there floats."""
