"""The original files of Flickr8k and Flickr30k: captions in a token file or between bars, and lists of photos."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

from attend.data.items import Item
from attend.data.text import read_lines
from attend.errors import UserError

Captions = dict[str, dict[int, str]]
"""Photo → number of the caption → caption."""

HEADER = ("image_name", "comment_number", "comment")
_NUMBER = re.compile(r"\s*(\d+)\s*(\||\s)(.*)", re.DOTALL)


def read_flickr(tokens: Path, splits: Mapping[str, Path], photos: Path) -> list[Item]:
    """One item a photo, in the order of the token file, then of the split lists; captions ordered by their number.

    `splits` names the list of each split; a photo in none of them is in the split "none", one without captions has
    none. UserError: a malformed or repeated line, or a photo in two lists.
    """
    return flickr_items(read_tokens(tokens), read_split_lists(splits), photos)


def flickr_items(captions: Captions, split_of: Mapping[str, str], photos: Path) -> list[Item]:
    """One item for every photo that has a caption or a split."""
    return [
        Item(
            name,
            photos / name,
            split_of.get(name, "none"),
            tuple(text for _, text in sorted(captions.get(name, {}).items())),
        )
        for name in dict.fromkeys([*captions, *split_of])
    ]


def read_tokens(path: Path) -> Captions:
    """Lines `photo.jpg#0`, a tab, and the caption, which is text whatever it says. UserError names the line."""
    captions: Captions = {}
    for number, line in read_lines(path):
        key, tab, caption = line.partition("\t")
        name, mark, which = key.rpartition("#")
        if not (tab and mark and name and which.isdecimal()):
            raise UserError(f"{path}, line {number}, is not `photo.jpg#0`, a tab and a caption: mend the line")
        _add(captions, name, int(which), caption, f"{path}, line {number}, gives caption {key}")
    if not captions:
        raise UserError(f"{path} has no captions: get it again")
    return captions


def read_bars(path: Path) -> tuple[Captions, list[int]]:
    """Lines `photo.jpg| 0| caption` below the names of the columns; and the lines whose second bar is missing.

    Such a line is read all the same when a number and a space stand before its caption. Nothing is a quote here.
    UserError names a line that is anything else.
    """
    captions: Captions = {}
    without_bar: list[int] = []
    lines = read_lines(path)
    header = tuple(name.strip().lower() for name in lines[0][1].split("|")) if lines else ()
    if header != HEADER:
        raise UserError(f"{path} does not begin with the line {'|'.join(HEADER)}: name the columns so")
    for number, line in lines[1:]:
        name, bar, rest = line.partition("|")
        found = _NUMBER.fullmatch(rest)
        if not (bar and name.strip() and found):
            raise UserError(f"{path}, line {number}, is not `photo.jpg| 0| caption`: mend the line")
        if found[2] != "|":
            without_bar.append(number)
        told = f"{path}, line {number}, gives caption {found[1]} of {name.strip()}"
        _add(captions, name.strip(), int(found[1]), found[3].strip(), told)
    if not captions:
        raise UserError(f"{path} has no captions below its first line: get it again")
    return captions, without_bar


def read_split_lists(splits: Mapping[str, Path]) -> dict[str, str]:
    """Photo → split, of lists with a photo a line. UserError: a photo in two lists."""
    split_of: dict[str, str] = {}
    for split, path in splits.items():
        for number, line in read_lines(path):
            name = line.strip()
            if split_of.setdefault(name, split) != split:
                raise UserError(f"{path}, line {number}: {name} is already in {split_of[name]}: keep it in one split")
    return split_of


def _add(captions: Captions, name: str, which: int, caption: str, told: str) -> None:
    if which in captions.setdefault(name, {}):
        raise UserError(f"{told} a second time: keep one")
    captions[name][which] = caption
