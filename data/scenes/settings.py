"""What can be chosen about the embedded dataset."""

from __future__ import annotations

from dataclasses import dataclass

from attend.errors import UserError

MOST_THINGS = 8
SMALLEST_SIDE = 64


@dataclass(frozen=True)
class ScenesSettings:
    """Settings of `scenes`. A picture depends on `seed`, its number, `size` and `max_objects`, never on `images`."""

    images: int = 1800
    """Pictures in all splits. More of them leave the first ones as they are."""

    seed: int = 1
    """Settles every picture together with the picture's number."""

    size: int = 224
    """Side of the square pictures in pixels."""

    max_objects: int = 8
    """Most things in one picture, 1 to 8."""

    val_share: float = 0.1
    """Share of the pictures in the val split, dealt out evenly over the numbers."""

    test_share: float = 0.1
    """Share of the pictures in the test split; what is in neither is in train."""

    def check(self) -> None:
        """Raise UserError that names the first setting out of its range."""
        ranges = {
            "images": self.images >= 1,
            "size": self.size >= SMALLEST_SIDE,
            "max_objects": 1 <= self.max_objects <= MOST_THINGS,
            "val_share": 0 <= self.val_share <= 1,
            "test_share": 0 <= self.test_share <= 1 - self.val_share,
        }
        wanted = {
            "images": "at least 1",
            "size": f"at least {SMALLEST_SIDE}",
            "max_objects": f"1 to {MOST_THINGS}",
            "val_share": "0 to 1",
            "test_share": "0 to 1 less val_share",
        }
        for name, right in ranges.items():
            if not right:
                raise UserError(f"scenes.{name}={getattr(self, name)} is out of range: {wanted[name]}")

    def split(self, number: int) -> str:
        """The split of picture `number`: multiples of the golden ratio, modulo 1, fill every share evenly."""
        place = number * 2654435769 % 2**32 / 2**32  # 2**32 / golden ratio
        if place < self.val_share:
            return "val"
        return "test" if place < self.val_share + self.test_share else "train"
