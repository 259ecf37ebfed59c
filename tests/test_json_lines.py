"""Own photos with captions as JSON lines."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from attend.data.folder import read_folder
from attend.data.items import Item, Region
from attend.errors import UserError

DOG = {"name": "dog", "box": [1, 2.5, 30, 4]}


def lines(path: Path, *objects: object) -> Path:
    path.write_text("\n\n".join(json.dumps(value) for value in objects) + "\n", encoding="utf-8-sig")
    return path


def test_every_field(tmp_path: Path) -> None:
    path = lines(
        tmp_path / "c.jsonl",
        {
            "image": "sub/é b.JPG",
            "captions": ["null", "Naïve café ☕ 狗", "two\nlines"],
            "split": "val",
            "boxes": [DOG],
        },
        {"image": "a.jpg", "caption": "A dog", "split": "train", "width": 640},
        {"image": "a.jpg", "caption": "A cat", "split": "train", "boxes": [DOG, DOG]},
        {"image": "c.jpg", "split": "test"},
    )
    dog = Region("dog", (1.0, 2.5, 30.0, 4.0))
    assert read_folder(tmp_path, path) == [
        Item("sub/é b.JPG", tmp_path / "sub/é b.JPG", "val", ("null", "Naïve café ☕ 狗", "two\nlines"), (dog,)),
        Item("a.jpg", tmp_path / "a.jpg", "train", ("A dog", "A cat"), (dog,)),
        Item("c.jpg", tmp_path / "c.jpg", "test", ()),
    ]


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ('{"image": "a.jpg", "capt', r"c\.jsonl, line 3, is not JSON \(.*\): write one object a line"),
        ('["a.jpg", "x"]', r"c\.jsonl, line 3, is not an object"),
        ('{"file_name": "a.jpg"}', r'c\.jsonl, line 3, has no "image": name a file'),
        ('{"image": "a.jpg", "caption": null}', r"line 3: a caption is no text"),
        ('{"image": "a.jpg", "captions": "x"}', r"line 3: a caption is no text"),
        ('{"image": "a.jpg", "caption": "x", "captions": ["y"]}', r'line 3, has "caption" and "captions": keep one'),
        (r'{"image": "a.jpg", "caption": "half \ud83d"}', r"line 3: 'half \\\\ud83d' is not Unicode: write whole char"),
        ('{"image": "a.jpg", "split": 1}', r'line 3: "split" is no text'),
        ('{"image": "a.jpg", "split": "dev"}', r"line 3: unknown split 'dev'"),
        ('{"image": "a.jpg", "boxes": [[1, 2, 3, 4]]}', r'line 3: a box is malformed: write {"name": "dog", "box"'),
        ('{"image": "a.jpg", "boxes": [{"name": "dog", "box": [1, 2, 0, 4]}]}', r"line 3: a box is malformed"),
        ('{"image": "b.jpg"}', r"c\.jsonl: 1 photos have no split, b\.jpg: give all one, or none"),
    ],
)
@pytest.mark.fault("a mistake in JSON lines", "refused, the line is named", "Captions and splits")
def test_mistakes_are_named_by_line(tmp_path: Path, line: str, message: str) -> None:
    path = tmp_path / "c.jsonl"
    path.write_text('{"image": "a.jpg", "caption": "x", "split": "train"}\n\n' + line)
    with pytest.raises(UserError, match=message):
        read_folder(tmp_path, path)


def test_a_file_of_no_lines_is_named(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"c\.jsonl has no rows"):
        read_folder(tmp_path, lines(tmp_path / "c.jsonl"))
