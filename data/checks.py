"""What happens to the items of a dataset before any heavy work."""

from __future__ import annotations

from collections.abc import Sequence

from attend.data.items import Item, Problem, check_items
from attend.errors import UserError


def usable_items(items: Sequence[Item]) -> tuple[list[Item], list[Problem]]:
    """The items whose photo is on the disk, and one named problem for each of the others, which are to be skipped.

    UserError, with the full list: ids or splits that contradict each other, or no photo at all.
    """
    present, missing = [], []
    for item in items:
        if item.path.is_file():
            present.append(item)
        else:
            missing.append(
                Problem(item.image_id, f"has no photo at {item.path}: put it there, or take it off the list")
            )
    if not present:
        where = f", for instance {items[0].path}" if items else ""
        raise UserError(f"none of the {len(items)} photos is on the disk{where}: is DATA= or IMAGES= the right folder?")
    contradictions = check_items(present)
    if contradictions:
        lines = "".join(f"\n  {problem.where} {problem.what}" for problem in contradictions)
        raise UserError(f"the dataset contradicts itself in {len(contradictions)} places:{lines}")
    return present, missing
