"""The original Flickr files: token file and split lists."""

from __future__ import annotations

from pathlib import Path

import pytest

from attend.data.flickr import read_bars, read_flickr
from attend.data.items import Item
from attend.data.karpathy import read_karpathy
from attend.errors import UserError

TOKENS = (
    "b.jpg#1\tA second one .\n"
    "b.jpg#0\tNA\n"
    "a.jpg#0\tnull\n"
    "a.jpg#1\tNaïve café ☕ 狗, 3½ m\n"
    "c.jpg.1#0\tTabs\tand # signs\u2028stay\n"
)


def files(folder: Path, encoding: str = "utf-8", end: str = "\n") -> tuple[Path, dict[str, Path]]:
    folder.mkdir(exist_ok=True)
    contents = {"tokens": TOKENS, "train": "a.jpg\n", "val": "b.jpg\n", "test": "d.jpg \n\n"}
    for name, text in contents.items():
        (folder / f"{name}.txt").write_bytes(text.replace("\n", end).encode(encoding))
    return folder / "tokens.txt", {split: folder / f"{split}.txt" for split in ("train", "val", "test")}


def test_captions_by_number_and_splits_by_list(tmp_path: Path) -> None:
    assert read_flickr(*files(tmp_path), tmp_path / "images") == [
        Item("b.jpg", tmp_path / "images/b.jpg", "val", ("NA", "A second one .")),
        Item("a.jpg", tmp_path / "images/a.jpg", "train", ("null", "Naïve café ☕ 狗, 3½ m")),
        Item("c.jpg.1", tmp_path / "images/c.jpg.1", "none", ("Tabs\tand # signs\u2028stay",)),
        Item("d.jpg", tmp_path / "images/d.jpg", "test", ()),
    ]


@pytest.mark.fault("a byte order mark or Windows line ends in Flickr's files", "the same items", "Captions and splits")
def test_byte_order_mark_and_windows_lines_change_nothing(tmp_path: Path) -> None:
    plain = read_flickr(*files(tmp_path / "plain"), tmp_path)
    assert read_flickr(*files(tmp_path / "windows", "utf-8-sig", "\r\n"), tmp_path) == plain


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("a.jpg A dog", r"tokens\.txt, line 6, is not"),
        ("a.jpg\tA dog", r"tokens\.txt, line 6, is not"),
        ("a.jpg#x\tA dog", r"tokens\.txt, line 6, is not"),
        ("a.jpg#1\tA dog", r"tokens\.txt, line 6, gives caption a\.jpg#1 a second time"),
    ],
)
@pytest.mark.fault(
    "a line of a token file without its number or tab, or one that is there twice",
    "refused, with file and line",
    "Captions and splits",
)
def test_malformed_line_is_named(tmp_path: Path, line: str, message: str) -> None:
    tokens, splits = files(tmp_path)
    tokens.write_text(TOKENS + line + "\n", encoding="utf-8")
    with pytest.raises(UserError, match=message):
        read_flickr(tokens, splits, tmp_path)


@pytest.mark.fault("a photo in two split lists", "refused, with file, line and both splits", "Captions and splits")
def test_photo_in_two_lists_is_named(tmp_path: Path) -> None:
    tokens, splits = files(tmp_path)
    splits["val"].write_text("b.jpg\na.jpg\n")
    with pytest.raises(UserError, match=r"val\.txt, line 2: a\.jpg is already in train"):
        read_flickr(tokens, splits, tmp_path)


@pytest.mark.fault(
    "a captions file in Latin-1", "refused, with the first line that is not UTF-8", "Captions and splits"
)
def test_latin_1_file_is_refused_by_line(tmp_path: Path) -> None:
    tokens, splits = files(tmp_path)
    tokens.write_bytes(b"a.jpg#0\tA dog\nb.jpg#0\tcaf\xe9\n")
    with pytest.raises(UserError, match=r"tokens\.txt, line 2, is not UTF-8"):
        read_flickr(tokens, splits, tmp_path)


BARS_HEAD = "image_name| comment_number| comment\n"


def test_bars_are_read_literally(tmp_path: Path) -> None:
    """Quotes are no quotes there, so one that is not closed swallows nothing."""
    table = tmp_path / "results.csv"
    lines = ('b.jpg| 1| " A | B', "b.jpg| 0| 5 dogs .", "a b.jpg|2|null", "c.jpg| 3   3 men .")
    table.write_bytes(("\ufeff" + BARS_HEAD + "\n".join(lines)).replace("\n", "\r\n").encode())
    assert read_bars(table) == (
        {"b.jpg": {1: '" A | B', 0: "5 dogs ."}, "a b.jpg": {2: "null"}, "c.jpg": {3: "3 men ."}},
        [5],
    )


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", r"results\.csv does not begin with the line image_name\|comment_number\|comment"),
        ("a.jpg| 0| A dog\n", r"results\.csv does not begin with the line"),
        (BARS_HEAD.replace("|", ","), r"results\.csv does not begin with the line"),
        (BARS_HEAD + "a.jpg| A dog\n", r"results\.csv, line 2, is not `photo\.jpg\| 0\| caption`"),
        (BARS_HEAD + "a.jpg, 0, A dog\n", r"results\.csv, line 2, is not"),
        (BARS_HEAD + "| 0| A dog\n", r"results\.csv, line 2, is not"),
        (BARS_HEAD + "a.jpg| 0| x\na.jpg| 0| y\n", r"results\.csv, line 3, gives caption 0 of a\.jpg a second time"),
    ],
)
def test_a_row_between_bars_that_is_malformed_is_named(tmp_path: Path, text: str, message: str) -> None:
    table = tmp_path / "results.csv"
    table.write_text(text)
    with pytest.raises(UserError, match=message):
        read_bars(table)


@pytest.mark.shared
def test_real_token_file_says_the_same_as_karpathy(shared: Path, tmp_path: Path) -> None:
    """Two publications of one dataset, read by two readers: the same photos, captions and splits."""
    folder = shared / "data/flickr8k"
    karpathy = {item.image_id: item for item in read_karpathy(folder / "dataset_flickr8k.json", folder / "images")}
    lists = {}
    for split in ("train", "val"):
        lists[split] = tmp_path / f"{split}.txt"
        names = sorted(item.image_id for item in karpathy.values() if item.split == split)
        lists[split].write_text("\r\n".join(names))
    items = read_flickr(folder / "Flickr8k.token.txt", lists, folder / "images")
    assert {item.image_id: item for item in items if item.split != "none"} == karpathy
    assert len(items) == 7000 + 91 + 1  # captioned photos of the splits, of none, and the one that does not exist
    assert [item.image_id for item in items if not item.path.is_file()] == ["2258277193_586949ec62.jpg.1"]
