"""Kinds of things: drawn in the colour they are named by, and told apart by their shapes."""

from __future__ import annotations

from itertools import combinations
from random import Random

import numpy as np
import pytest
from PIL import Image

from attend.data.scenes.kinds import CARRIES, KINDS, SHELTERS
from attend.data.scenes.palette import COLOURS
from attend.data.scenes.picture import draw_thing
from attend.data.scenes.scene import Thing


def _drawn(kind: str, colour: str) -> np.ndarray:
    """One thing alone, RGBA, (height, width, 4), about 90 pixels long."""
    scale = 0.4 / max(KINDS[kind].width, KINDS[kind].height)
    tile, _, _ = draw_thing(Thing(kind, colour, 0.5, 0.5, scale), 224, Random(0))
    return np.asarray(tile).astype(float)


@pytest.mark.parametrize(
    ("kind", "colour"), [(k, c) for k, shape in KINDS.items() for c in dict.fromkeys(shape.colours)]
)
def test_a_thing_has_the_colour_of_its_name(kind: str, colour: str) -> None:
    """The pixels that change between this colour and any other are nearer to this one, lit or shaded."""
    mine = _drawn(kind, colour)
    for other in KINDS[kind].colours:
        if other == colour:
            continue
        theirs = _drawn(kind, other)
        changed = (np.abs(mine - theirs)[..., :3].sum(axis=-1) > 60) & (mine[..., 3] > 250)
        assert changed.sum() > 0.12 * (mine[..., 3] > 250).sum()
        middle = np.median(mine[changed][:, :3], axis=0)
        to_mine, to_other = (np.abs(middle - COLOURS[name]).sum() for name in (colour, other))
        assert to_mine < to_other


def _shape(kind: str) -> np.ndarray:
    """Outline and inside of a kind as light and dark, 32 by 32, stretched to fill the square."""
    tile = Image.fromarray(_drawn(kind, KINDS[kind].colours[0]).astype(np.uint8), "RGBA")
    return np.asarray(tile.crop(tile.getbbox()).getchannel("A").resize((32, 32)), float) / 255


def test_shapes_differ() -> None:
    """Silhouettes, all stretched to one size, share less than nine tenths of their area."""
    shapes = {kind: _shape(kind) for kind in KINDS}
    for one, other in combinations(KINDS, 2):
        both = np.minimum(shapes[one], shapes[other]).sum()
        assert both / np.maximum(shapes[one], shapes[other]).sum() < 0.9, (one, other)


def test_enough_kinds_and_colours_and_no_name_twice() -> None:
    names = [word for shape in KINDS.values() for pair in shape.names for word in set(pair)]
    assert len(KINDS) >= 10 and len(COLOURS) >= 8
    assert len(names) == len(set(names))
    assert all(set(shape.colours) <= set(COLOURS) for shape in KINDS.values())


def test_carriers_have_seats_and_roofs_have_shelter() -> None:
    assert all(KINDS[kind].seat for kind in CARRIES)
    assert all(KINDS[kind].shelter for kind in SHELTERS)
