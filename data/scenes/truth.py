"""scenes.json: what every picture shows, with the settings it was drawn under and the hash of its bytes."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from attend.data.atomic import write_atomically
from attend.data.scenes.picture import Box
from attend.data.scenes.scene import Relation, Scene
from attend.data.scenes.settings import ScenesSettings
from attend.errors import UserError

GENERATOR = 2
"""Raised whenever the same settings give other pictures or captions than before."""

NAME = "scenes.json"


@dataclass(frozen=True)
class Drawn:
    """One thing of a picture, as drawn: its name, what the name is made of, and its box in pixels."""

    name: str
    kind: str
    colour: str
    size: str
    box: Box


@dataclass(frozen=True)
class PictureTruth:
    """One picture: hash of the file, where it is set, the things in drawing order, their relations, the captions."""

    sha256: str
    background: str
    weather: str
    things: tuple[Drawn, ...]
    relations: tuple[Relation, ...]
    captions: tuple[str, ...]


@dataclass
class Truth:
    """The file's content: what was drawn with (`made_with`), and the pictures by image id."""

    made_with: dict[str, int]
    pictures: dict[str, PictureTruth] = field(default_factory=dict)

    def save(self, folder: Path) -> None:
        """Write scenes.json whole or not at all."""
        pictures = {image_id: asdict(self.pictures[image_id]) for image_id in sorted(self.pictures)}
        lines = [
            f"{json.dumps(image_id)}: {json.dumps(picture, sort_keys=True)}" for image_id, picture in pictures.items()
        ]
        text = f'{{"made_with": {json.dumps(self.made_with)},\n"pictures": {{\n' + ",\n".join(lines) + "\n}}\n"
        write_atomically(folder / NAME, text.encode())


def made_with(settings: ScenesSettings) -> dict[str, int]:
    """What settles a picture beside its number: these agree, or the picture is drawn again."""
    chosen = {"seed": settings.seed, "size": settings.size, "max_objects": settings.max_objects}
    return {"generator": GENERATOR, **chosen}


def load(folder: Path) -> Truth | None:
    """scenes.json of a folder, or None where there is none. Raises UserError if it cannot be read."""
    path = folder / NAME
    if not path.exists():
        return None
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
        pictures = {image_id: _picture(entry) for image_id, entry in content["pictures"].items()}
        return Truth(dict(content["made_with"]), pictures)
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise UserError(f"{path} cannot be read ({error}): delete {folder} and the pictures are drawn again") from error


def record(scene: Scene, boxes: list[Box], captions: tuple[str, ...], sha256: str) -> PictureTruth:
    """What is kept of a drawn scene."""
    things = tuple(
        Drawn(thing.name, thing.kind, thing.colour, thing.size, box)
        for thing, box in zip(scene.things, boxes, strict=True)
    )
    return PictureTruth(sha256, scene.background, scene.weather, things, scene.relations, captions)


def _picture(entry: dict[str, Any]) -> PictureTruth:
    things = tuple(Drawn(**{**thing, "box": tuple(thing["box"])}) for thing in entry["things"])
    relations = tuple(Relation(r["how"], tuple(r["things"]), tuple(r["others"])) for r in entry["relations"])
    return PictureTruth(**{**entry, "things": things, "relations": relations, "captions": tuple(entry["captions"])})
