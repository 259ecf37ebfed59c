"""What is looked at before any heavy work: do the items agree, are their photos there."""

from __future__ import annotations

from collections.abc import Sequence

from attend.data.items import Item, Problem, check_items
from attend.errors import UserError
from attend.extract.images import PhotoError


def check_photos(items: Sequence[Item]) -> tuple[list[Item], list[Problem]]:
    """The items whose photo is there, and a problem for each whose photo is not.

    UserError: no items at all, no photo of any, or items that contradict each other (one id twice, unknown splits).
    """
    if not items:
        raise UserError("the dataset has no photos: look at its captions file and folder")
    present = [item for item in items if item.path.is_file()]
    gone = "does not exist: restore it or take it out of the captions"
    if not present:
        one = items[0].path
        raise UserError(f"none of the {len(items)} photos is there, {one} for one: is DATA or IMAGES the right folder?")
    absent = [PhotoError(item.path, gone).problem() for item in items if not item.path.is_file()]
    contradictions = check_items(present)
    if contradictions:
        first, others = contradictions[0], len(contradictions) - 1
        raise UserError(f"{first.where} {first.what}" + (f" (and {others} more like it)" if others else ""))
    return present, absent
