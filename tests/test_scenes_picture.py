"""Drawn pictures: boxes fit the pixels, nothing is cut off, hidden or too small to see."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest
from PIL import Image

from attend.data.scenes.composition import compose
from attend.data.scenes.kinds import KINDS
from attend.data.scenes.picture import draw, draw_thing
from attend.data.scenes.scene import Scene, Thing

POSES = [(kind, "") for kind in KINDS] + [("bird", "flying")]
SIZE = 224


def _thing(kind: str, pose: str = "", flip: bool = False) -> Thing:
    scale = 0.5 / max(KINDS[kind].width, KINDS[kind].height)
    return Thing(kind, KINDS[kind].colours[0], 0.5, 0.8, scale, flip, pose)


def _opacity(thing: Thing, size: int = SIZE, seed: str = "") -> np.ndarray:
    """How much of each pixel of the picture a thing covers when it is drawn alone, (size, size), 0 to 1."""
    canvas = Image.new("RGBA", (size, size))
    tile, left, top = draw_thing(thing, size, Random(seed))
    canvas.paste(tile, (left, top))
    return np.asarray(canvas)[..., 3] / 255


def _around(mask: np.ndarray) -> tuple[int, int, int, int]:
    rows, columns = np.flatnonzero(mask.any(axis=1)), np.flatnonzero(mask.any(axis=0))
    return columns[0], rows[0], columns[-1] - columns[0] + 1, rows[-1] - rows[0] + 1


@pytest.mark.parametrize("flip", [False, True])
@pytest.mark.parametrize(("kind", "pose"), POSES)
def test_box_fits_the_changed_pixels(kind: str, pose: str, flip: bool) -> None:
    """The box against the pixels that differ between an empty night sky and the same sky with the thing (no shadow)."""
    thing = _thing(kind, pose, flip)
    standing_on_nothing = Scene("sea", "", (thing,), ())
    empty, _ = draw(Scene("sea", "", (), ()), SIZE, "seed")
    picture, (box,) = draw(standing_on_nothing, SIZE, "seed")
    change = np.abs(np.asarray(picture, float) - np.asarray(empty, float)).sum(axis=-1)
    change[round(0.8 * SIZE) + 3 :] = 0  # below the foot lies only the shadow
    found = _around(change > 90)
    if thing.airborne:
        assert found == pytest.approx(box, abs=1)
    else:  # a shadow may reach out at the sides too
        assert found[1] == pytest.approx(box[1], abs=1)
        assert found[0] <= box[0] + 1 and found[0] + found[2] >= box[0] + box[2] - 1


@pytest.mark.parametrize(("kind", "pose"), POSES)
def test_box_fits_the_thing_drawn_alone(kind: str, pose: str) -> None:
    thing = _thing(kind, pose)
    _, (box,) = draw(Scene("wall", "", (thing,), ()), SIZE, "seed")
    assert _around(_opacity(thing) > 0.3) == pytest.approx(box, abs=1)
    assert max(box[2:]) == pytest.approx(0.5 * SIZE, rel=0.08)
    filled = _opacity(thing)[box[1] : box[1] + box[3], box[0] : box[0] + box[2]].mean()
    assert filled > 0.2  # a box is not mostly air


def test_nothing_is_cut_hidden_or_tiny() -> None:
    for number in range(60):
        scene = compose(Random(f"pictures:{number}"), 8)
        alone = [_opacity(thing, seed=f"{index}") > 0.25 for index, thing in enumerate(scene.things)]
        _, boxes = draw(scene, SIZE, f"pictures:{number}")
        for index, (left, top, width, height) in enumerate(boxes):
            assert left > 0 and top > 0 and left + width < SIZE and top + height < SIZE
            assert min(width, height) >= 24 and max(width, height) >= 28
            covered = np.any(
                [alone[index] & other for other in alone[index + 1 :]] or [np.zeros((SIZE, SIZE), bool)], axis=0
            )
            assert covered.sum() <= 0.2 * alone[index].sum(), (number, scene)


def test_same_pixels_again_and_others_for_another_seed() -> None:
    scene = compose(Random("again"), 8)
    one, other, third = (draw(scene, 96, seed) for seed in ("a", "a", "b"))
    assert one[0].tobytes() == other[0].tobytes() and one[1] == other[1]
    assert one[0].tobytes() != third[0].tobytes()


@pytest.mark.parametrize("size", [64, 225, 500])
def test_any_size(size: int) -> None:
    scene = compose(Random("size"), 8)
    picture, boxes = draw(scene, size, "seed")
    _, usual = draw(scene, SIZE, "seed")
    assert picture.size == (size, size) and picture.mode == "RGB"
    for box, other in zip(boxes, usual, strict=True):
        assert np.array(box) / size == pytest.approx(np.array(other) / SIZE, abs=2.5 / min(size, SIZE))
