"""What is looked at before any heavy work: do the items agree, are their photos there."""

from __future__ import annotations

import os
import stat
from collections.abc import Mapping, Sequence
from pathlib import Path

from attend.data.items import Item, contradictions
from attend.data.photo_file import photo_stat
from attend.data.photo_names import near_names
from attend.errors import UserError
from attend.extract.opening import PhotoError, unreadable


def refuse_contradictions(items: Sequence[Item]) -> None:
    """UserError: no items at all, or items that contradict each other (one id twice, unknown splits)."""
    if not items:
        raise UserError("the dataset has no photos: look at its captions file and folder")
    found = contradictions(items)
    if found:
        raise UserError(found)


def stat_photos(items: Sequence[Item]) -> dict[str, os.stat_result | PhotoError]:
    """Of every image the state of its photo's file, or why there is none."""
    states = {item.image_id: _stat(item.path) for item in items}
    near = near_names(state.path for state in states.values() if isinstance(state, PhotoError))
    return {image_id: _but_for_its_name(state, near) for image_id, state in states.items()}


def _but_for_its_name(state: os.stat_result | PhotoError, near: Mapping[Path, Path]) -> os.stat_result | PhotoError:
    """The same, or the photo that was probably meant."""
    if isinstance(state, PhotoError) and state.path in near:
        return PhotoError(
            state.path,
            f"does not exist, but {near[state.path].relative_to(state.path.parent)} does: make the names agree",
        )
    return state


def _stat(path: Path) -> os.stat_result | PhotoError:
    try:
        state = photo_stat(path)
    except OSError as error:
        return unreadable(path, error)
    except ValueError:  # a name that no file can have
        return unreadable(path, FileNotFoundError())
    return unreadable(path, IsADirectoryError()) if stat.S_ISDIR(state.st_mode) else state
