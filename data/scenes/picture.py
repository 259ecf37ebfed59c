"""Draws a scene: background, shadows, things. The boxes come from the pixels drawn, not from the plan."""

from __future__ import annotations

from random import Random

from PIL import Image, ImageDraw, ImageFilter, ImageOps

from attend.data.scenes.backgrounds import BACKGROUNDS, FLOATING
from attend.data.scenes.kinds import KINDS
from attend.data.scenes.palette import paint
from attend.data.scenes.pen import MARGIN, Pen
from attend.data.scenes.scene import Scene, Thing

Box = tuple[int, int, int, int]
"""Left, top, width, height, in pixels of the picture."""

VISIBLE = 64
"""A pixel belongs to a thing from this opacity on, of 255: less is the softened edge."""

LINE = 0.0062
"""Outlines, as a share of the picture's side; thinner on what is small."""


def draw(scene: Scene, size: int, seed: str) -> tuple[Image.Image, list[Box]]:
    """The scene at `size` by `size` pixels, RGB, and the box of every thing in it.

    `seed` settles what the scene leaves open: the lie of the hills, the mixing of a colour.
    """
    place = BACKGROUNDS[scene.background]
    pen = Pen(100, 100, size / 100, size * LINE * 1.1, margin=0, finer=2)
    place.paint(pen, Random(f"{seed}:background"), scene.weather)
    picture = pen.picture().convert("RGB").crop((0, 0, size, size))
    _shadows(picture, scene, size)
    boxes = []
    for number, thing in enumerate(scene.things):
        tile, left, top = draw_thing(thing, size, Random(f"{seed}:{number}"))
        picture.paste(tile, (left, top), tile)
        boxes.append(_box(tile, left, top, size))
    return picture, boxes


def draw_thing(thing: Thing, size: int, chance: Random) -> tuple[Image.Image, int, int]:
    """One thing alone on a clear RGBA tile, and where the tile's corner goes in a picture of `size` pixels."""
    kind = KINDS[thing.kind]
    line = size * LINE * min(1.0, 0.55 + max(thing.width, thing.height))
    pen = Pen(kind.width, kind.height, thing.scale * size, line)
    kind.draw(pen, paint(thing.colour, chance), thing.pose)
    tile = pen.picture()
    if thing.flip:
        tile = ImageOps.mirror(tile)
    return tile, round((thing.x - thing.width / 2) * size) - MARGIN, round(thing.top * size) - MARGIN


def _box(tile: Image.Image, left: int, top: int, size: int) -> Box:
    """The smallest box round the tile's visible pixels that lie in the picture."""
    found = tile.getchannel("A").point([255 if value >= VISIBLE else 0 for value in range(256)]).getbbox()
    if found is None:
        raise ValueError("nothing of a thing is visible")
    west, north = max(0, left + found[0]), max(0, top + found[1])
    east, south = min(size, left + found[2]), min(size, top + found[3])
    return west, north, east - west, south - north


def _shadows(picture: Image.Image, scene: Scene, size: int) -> None:
    """Soft shadows under what stands, ripples of darker water under what floats, nothing under what flies."""
    lifted = {number for relation in scene.relations if relation.how == "on" for number in relation.things}
    mask = Image.new("L", (size, size))
    brush = ImageDraw.Draw(mask)
    floating = scene.background in FLOATING
    for number, thing in enumerate(scene.things):
        if number in lifted or thing.airborne:
            continue
        x, y = thing.x * size, (thing.foot - 0.006) * size
        wide, high = thing.width * size * (0.46 if floating else 0.48), max(2.0, thing.width * size * 0.07)
        shift = 0 if floating else wide * 0.12
        brush.ellipse((x - wide + shift, y - high, x + wide + shift, y + high), fill=110)
    soft = mask.filter(ImageFilter.GaussianBlur(size * 0.008))
    picture.paste((30, 58, 96) if floating else (46, 36, 58), (0, 0), soft)
