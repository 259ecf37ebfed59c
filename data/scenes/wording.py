"""What people say of where things are and what they do there: word lists only, one for each background and kind."""

from __future__ import annotations

ON_GROUND: dict[str, tuple[str, ...]] = {
    "meadow": ("on the grass", "on the green grass", "in a meadow", "in a field"),
    "beach": ("on the beach", "on a beach", "on the sand", "by the sea"),
    "street": ("on the street", "in the street", "in a street", "on a street"),
    "room": ("in a room", "on the floor", "on a wooden floor", "inside a room"),
    "wall": ("in front of a wall", "by a wall", "against a plain wall"),
    "shelf": ("on a shelf", "on a wooden shelf", "on the shelf"),
    "night": ("at night", "in the dark", "under the stars", "under a starry sky"),
    "snow": ("in the snow", "in the white snow", "on the snow"),
    "lake": ("on the water", "on a lake", "on a blue lake", "on the lake"),
    "sunset": ("on the sea", "on the water", "on the sea at sunset", "at sunset"),
}
"""Where something stands or floats that nothing else carries."""

IN_AIR: dict[str, tuple[str, ...]] = {
    "meadow": ("in the sky", "in the air", "in the blue sky", "above a meadow", "over the grass"),
    "beach": ("in the sky", "in the blue sky", "above the beach", "over a beach", "over the sea"),
    "street": ("in the sky", "in the air", "above the street", "over a street"),
    "night": ("in the night sky", "at night", "under the stars", "in the dark sky"),
    "snow": ("in the sky", "over the snow", "in the air", "above the snow"),
    "lake": ("in the sky", "in the blue sky", "above a lake", "over the water", "over a lake"),
    "sunset": ("at sunset", "over the sea", "in the evening sky", "above the sea at sunset"),
    "sea": ("in the sea", "under water", "in the blue water", "in the deep sea"),
}
"""Where something flies, or swims under water."""

SETTING: dict[str, tuple[str, ...]] = {
    "meadow": ("in a meadow", "in a field", "in a green meadow", "in the country"),
    "beach": ("at the beach", "by the sea", "on a beach", "at the seaside"),
    "street": ("on a street", "in the street", "in town"),
    "room": ("in a room", "indoors", "in a room with a wooden floor"),
    "wall": ("in front of a wall", "by a plain wall", "near a wall"),
    "shelf": ("on a shelf", "on a wooden shelf"),
    "night": ("at night", "in the dark", "under a starry sky", "under the stars"),
    "snow": ("in the snow", "in winter", "on a snowy day", "in the falling snow"),
    "lake": ("on a lake", "at a lake", "on the lake"),
    "sunset": ("at sunset", "in the evening", "at the sea"),
    "sea": ("in the sea", "under water", "in the blue sea"),
}
"""Where the whole picture is set, when anything in it stands or floats."""

WEATHER: dict[str, tuple[str, ...]] = {
    "sun": ("on a sunny day", "in the sun"),
    "clouds": ("on a cloudy day", "under white clouds"),
    "moon": ("in the moonlight", "under the moon"),
}

Doing = tuple[str, str, str]
"""What follows one thing or several as a description, after one, after several: "sitting", "sits", "sit"."""

_STANDING: Doing = ("standing", "stands", "stand")
_SITTING: Doing = ("sitting", "sits", "sit")
_FLYING: Doing = ("flying", "flies", "fly")
_SWIMMING: Doing = ("swimming", "swims", "swim")

DOING: dict[str, tuple[Doing, ...]] = {
    "house": (_STANDING,),
    "tree": (_STANDING, ("growing", "grows", "grow")),
    "flower": (("growing", "grows", "grow"), ("blooming", "blooms", "bloom")),
    "kite": (_FLYING,),
    "car": (("parked", "is parked", "are parked"), _STANDING),
    "boat": (("sailing", "sails", "sail"), ("floating", "floats", "float")),
    "bicycle": (_STANDING, ("parked", "is parked", "are parked")),
    "cat": (_SITTING,),
    "dog": (_STANDING,),
    "bird": (_STANDING,),
    "fish": (_SWIMMING,),
    "table": (_STANDING,),
    "chair": (_STANDING,),
    "lamp": (_STANDING,),
    "cup": (_STANDING,),
    "ball": (("lying", "lies", "lie"),),
    "umbrella": (_STANDING,),
}
AIRBORNE: tuple[Doing, ...] = (_FLYING,)
