"""The original files of Flickr8k: a token file of captions, and one list of photos a split."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from attend.data.items import Item
from attend.data.text import read_lines
from attend.errors import UserError


def read_flickr(tokens: Path, splits: Mapping[str, Path], photos: Path) -> list[Item]:
    """One item a photo, in the order of the token file, then of the split lists; captions ordered by their number.

    A line of `tokens` is `photo.jpg#0`, a tab, and the caption, which is text whatever it says. `splits` names the list
    of each split; a photo in none of them is in the split "none", one without captions has none.
    UserError: a malformed or repeated line, or a photo in two lists.
    """
    captions = _read_captions(tokens)
    split_of: dict[str, str] = {}
    for split, path in splits.items():
        for number, line in read_lines(path):
            name = line.strip()
            if split_of.setdefault(name, split) != split:
                raise UserError(f"{path}, line {number}: {name} is already in {split_of[name]}: keep it in one split")
    names = dict.fromkeys([*captions, *split_of])
    return [
        Item(
            name,
            photos / name,
            split_of.get(name, "none"),
            tuple(text for _, text in sorted(captions.get(name, {}).items())),
        )
        for name in names
    ]


def _read_captions(tokens: Path) -> dict[str, dict[int, str]]:
    """Photo → number of the caption → caption."""
    captions: dict[str, dict[int, str]] = {}
    for number, line in read_lines(tokens):
        key, tab, caption = line.partition("\t")
        name, mark, which = key.rpartition("#")
        if not (tab and mark and which.isdecimal()):
            raise UserError(f"{tokens}, line {number}, is not `photo.jpg#0`, a tab and a caption: mend the line")
        if int(which) in captions.setdefault(name, {}):
            raise UserError(f"{tokens}, line {number}, gives caption {key} a second time: keep one")
        captions[name][int(which)] = caption
    return captions
