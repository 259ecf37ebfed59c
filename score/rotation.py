"""People scored like a captioner: one caption of each image against the others, each taking its turn."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from attend.errors import UserError
from attend.score.metrics.measured import TokenisedSet

References = Mapping[str, Sequence[str]]


def rotated(references: References) -> References:
    """The images that can be rotated, those with two captions or more. UserError when there is none."""
    enough = {image_id: texts for image_id, texts in references.items() if len(texts) > 1}
    if not enough:
        raise UserError("no image has two reference captions: people cannot be scored against each other")
    return enough


def human_sets(references: References) -> list[TokenisedSet]:
    """As many sets as the fewest captions of an image: in set k its caption k stands against all its others."""
    return [
        TokenisedSet({image_id: texts[turn] for image_id, texts in references.items()}, _without(references, turn))
        for turn in range(_turns(references))
    ]


def model_sets(captions: Mapping[str, str], references: References) -> list[TokenisedSet]:
    """The same captions against the references of each of `human_sets`, so that the two can be compared."""
    kept = {image_id: captions[image_id] for image_id in references}
    return [TokenisedSet(kept, _without(references, turn)) for turn in range(_turns(references))]


def _turns(references: References) -> int:
    return min(len(texts) for texts in references.values())


def _without(references: References, turn: int) -> dict[str, tuple[str, ...]]:
    return {image_id: (*texts[:turn], *texts[turn + 1 :]) for image_id, texts in references.items()}
