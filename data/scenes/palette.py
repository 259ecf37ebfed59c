"""The colours: nine that captions name, each as the four tones a drawing needs, and the neutrals nobody names."""

from __future__ import annotations

from dataclasses import dataclass
from random import Random

Rgb = tuple[int, int, int]

COLOURS: dict[str, Rgb] = {
    "red": (222, 44, 44),
    "orange": (246, 124, 16),
    "yellow": (253, 220, 44),
    "green": (58, 160, 66),
    "blue": (44, 104, 214),
    "pink": (250, 112, 190),
    "brown": (134, 84, 48),
    "white": (246, 246, 242),
    "black": (52, 50, 58),
}

CREAM: Rgb = (250, 240, 214)
GLASS: Rgb = (178, 220, 238)
GOLD: Rgb = (246, 196, 60)
LEAF: Rgb = (88, 158, 70)
METAL: Rgb = (176, 182, 190)
SLATE: Rgb = (104, 96, 110)
TYRE: Rgb = (56, 54, 60)
WOOD: Rgb = (150, 100, 62)
INK: Rgb = (58, 44, 52)


def mix(one: Rgb, other: Rgb, share: float) -> Rgb:
    """`share` of `other` in `one`, 0 to 1."""
    red, green, blue = (round(a + (b - a) * share) for a, b in zip(one, other, strict=True))
    return red, green, blue


def lighter(colour: Rgb, share: float = 0.35) -> Rgb:
    """Towards a warm white."""
    return mix(colour, (255, 252, 244), share)


def darker(colour: Rgb, share: float = 0.3) -> Rgb:
    """Shade as painters mix it: what is grey turns cool, what is colourful turns warm and stays colourful."""
    vivid = (max(colour) - min(colour)) / max(1, max(colour))
    cool, warm = (0.8, 0.78, 0.66), (0.5, 1.05, 0.95)
    losses = (share * (c + (w - c) * vivid) for c, w in zip(cool, warm, strict=True))
    red, green, blue = (round(value * max(0.0, 1 - loss)) for value, loss in zip(colour, losses, strict=True))
    return red, green, blue


@dataclass(frozen=True)
class Paint:
    """A named colour as a thing wears it: `base` for its faces, `light` and `dark` beside it, `ink` for its outline."""

    name: str
    base: Rgb

    @property
    def light(self) -> Rgb:
        return lighter(self.base)

    @property
    def dark(self) -> Rgb:
        return darker(self.base, 0.14 if self.name == "white" else 0.28)

    @property
    def ink(self) -> Rgb:
        return mix(self.base, INK, 0.72)

    @property
    def trim(self) -> Rgb:
        """What shows up on `base`: cream, or a pale brown where the thing itself is white or yellow."""
        return mix(self.base, WOOD, 0.3) if self.name in ("white", "yellow") else CREAM


def paint(name: str, chance: Random) -> Paint:
    """The named colour, a little lighter or darker on every thing (at most 10 of 255): no two tins are alike."""
    shift = chance.randint(-8, 8)
    red, green, blue = (min(255, max(0, value + shift + chance.randint(-2, 2))) for value in COLOURS[name])
    return Paint(name, (red, green, blue))
