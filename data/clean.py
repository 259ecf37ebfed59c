"""What holds for the items of every dataset, whoever read them."""

from __future__ import annotations

from dataclasses import replace

from attend.data.items import Item
from attend.data.listing import some
from attend.data.sources import Reading
from attend.data.text import half_character
from attend.errors import UserError


def clean(reading: Reading) -> Reading:
    """The same without blank captions, which are counted, as photos without captions are.

    UserError: a name or a caption that holds half a character, which no file in UTF-8 can hold.
    """
    for item in reading.items:
        _check_characters(item)
    items = [replace(item, captions=tuple(filter(str.strip, item.captions))) for item in reading.items]
    notes = list(reading.notes)
    blank = {old.image_id: len(old.captions) - len(new.captions) for old, new in zip(reading.items, items, strict=True)}
    named = [image_id for image_id, count in blank.items() if count]
    if named:
        notes.append(f"{sum(blank.values()):,} empty captions are left out, of {some(named)}")
    without = [item.image_id for item in items if not item.captions]
    if without:
        notes.append(f"{len(without):,} photos have no caption and get features only: {some(without)}")
    return Reading(items, tuple(notes), reading.facts)


def _check_characters(item: Item) -> None:
    for text in (item.image_id, *item.captions):
        shown = half_character(text)
        if shown:
            raise UserError(f"{item.path.parent}: {shown!r} is not Unicode: rename the photo, or mend the caption")
