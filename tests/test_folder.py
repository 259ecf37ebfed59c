"""Own photos with a table of captions."""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import pytest

from attend.data.folder import hash_splits, left_out, read_folder
from attend.errors import UserError

ROWS = [
    ("b.jpg", "NA"),
    ("sub/a b.png", 'He said "hi", then left'),
    ("b.jpg", "Naïve café ☕ 狗, 3½ m"),
    ("c.jpg", ""),
    ("b.jpg", "two\nlines"),
]


def table(path: Path, rows: Sequence[tuple[str, ...]], header: tuple[str, ...] = ("image", "caption")) -> Path:
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, delimiter="\t" if path.suffix == ".tsv" else ",")
        writer.writerows([header, *rows])
    return path


@pytest.mark.parametrize("name", ["captions.csv", "captions.tsv", "captions.TSV"])
@pytest.mark.fault(
    "captions that say NA, hold quotes, commas, line breaks or other scripts", "text, unchanged", "Captions and splits"
)
def test_captions_are_grouped_by_photo(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, delimiter="\t" if name.lower().endswith("tsv") else ",")
        writer.writerows([("image", "caption"), *ROWS])
    items = read_folder(tmp_path / "photos", path)
    assert [(item.image_id, item.captions) for item in items] == [
        ("b.jpg", ("NA", "Naïve café ☕ 狗, 3½ m", "two\nlines")),
        ("sub/a b.png", ('He said "hi", then left',)),
        ("c.jpg", ()),
    ]
    assert [item.path for item in items] == [tmp_path / "photos" / item.image_id for item in items]


@pytest.mark.fault("a captions table saved by a spreadsheet on Windows", "the same items", "Captions and splits")
def test_byte_order_mark_and_windows_lines_change_nothing(tmp_path: Path) -> None:
    plain = table(tmp_path / "plain.csv", ROWS[:4])
    text = plain.read_bytes().decode().replace("\r\n", "\n")
    (tmp_path / "unix.csv").write_bytes(text.encode())
    (tmp_path / "windows.csv").write_bytes(text.replace("\n", "\r\n").encode("utf-8-sig"))
    expected = read_folder(tmp_path, plain)
    assert read_folder(tmp_path, tmp_path / "unix.csv") == expected
    assert read_folder(tmp_path, tmp_path / "windows.csv") == expected


def test_columns_by_name_in_any_order(tmp_path: Path) -> None:
    rows = [("train", "a dog", "1", "a.jpg"), ("val", "a cat", "2", "b.jpg"), ("train", "dog", "3", "a.jpg")]
    items = read_folder(tmp_path, table(tmp_path / "t.csv", rows, ("Split", "Caption", "number", " image ")))
    assert [(item.image_id, item.split, item.captions) for item in items] == [
        ("a.jpg", "train", ("a dog", "dog")),
        ("b.jpg", "val", ("a cat",)),
    ]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("image,text\na.jpg,x\n", r"t\.csv has no column 'caption'"),
        ("", r"t\.csv has no column 'image'"),
        ("image,caption\n", r"t\.csv has no rows"),
        ("image,caption\na.jpg,a dog, a cat\n", r"t\.csv, line 2: 3 columns, not 2"),
        ("image,caption\n\na.jpg,ok\n,x\n", r"t\.csv, line 4: the image is empty"),
        ('image,caption\na.jpg,"x"y\n', r"t\.csv, line 2: .*quote"),
        ('image,caption\na.jpg,"x\n', r"t\.csv, line 2: .*quote"),
        ("image,caption,split\na.jpg,x,dev\n", r"t\.csv, line 2: unknown split 'dev': one of train"),
        ("image,caption,split\na.jpg,x,val\na.jpg,y,test\n", r"t\.csv, line 3: a\.jpg is in val and in test"),
        ("image,caption,caption\na.jpg,x,y\n", r"t\.csv has a column twice"),
    ],
)
def test_mistakes_are_named_by_line(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "t.csv"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(UserError, match=message):
        read_folder(tmp_path, path)


@pytest.mark.fault(
    "photos that no row of the table mentions", "found and counted; hidden files are not photos", "Captions and splits"
)
def test_photos_without_a_row_are_found(tmp_path: Path) -> None:
    photos = tmp_path / "photos"
    names = ("a.jpg", "sub/b.PNG", "z.webp", "sub/deep/c.jpeg", "notes.txt", ".hidden.jpg", ".cache/d.jpg")
    for name in names:
        (photos / name).parent.mkdir(parents=True, exist_ok=True)
        (photos / name).write_bytes(b"photo")
    items = read_folder(photos, table(tmp_path / "t.csv", [("./a.jpg", "x"), ("absent.jpg", "x")]))
    assert left_out(photos, items) == ["sub/b.PNG", "sub/deep/c.jpeg", "z.webp"]
    assert left_out(photos, read_folder(photos, table(tmp_path / "t.csv", [(name, "x") for name in names]))) == []


@pytest.mark.fault("photos added to a set without splits", "the old ones keep their splits", "Captions and splits")
def test_splits_follow_the_hash_of_the_id_alone() -> None:
    ids = [f"photo{number}.jpg" for number in range(5000)]
    splits = hash_splits(ids)
    assert splits == hash_splits(ids[::-1])
    shares = Counter(splits.values())
    assert 400 < shares["val"] < 600 and 400 < shares["test"] < 600
    assert set(hash_splits(ids[:4000]).items()) <= set(splits.items())  # new photos leave the old ones where they are


@pytest.mark.fault("three photos of one's own", "every split has one", "Installation and own data")
def test_small_sets_have_every_split() -> None:
    for first in range(0, 3000, 30):
        for size in (3, 4, 10, 30):
            splits = hash_splits([f"{number}.jpg" for number in range(first, first + size)])
            assert set(splits.values()) == {"train", "val", "test"}
    assert hash_splits(["a", "b"]) == {"a": "train", "b": "train"}


def test_known_split_of_a_known_id() -> None:
    """The rule is fixed for ever: another one would mix the train photos of old runs with new val photos."""
    from hashlib import sha256

    ids = [f"{number}.jpg" for number in range(100)]
    for name, split in hash_splits(ids).items():
        share = int(sha256(name.encode()).hexdigest()[:8], 16) / 2**32
        assert split == ("val" if share < 0.1 else "test" if share < 0.2 else "train")
