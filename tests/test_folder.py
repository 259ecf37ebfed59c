"""Own photos with a table of captions."""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import pytest

from attend.data.folder import left_out, read_folder
from attend.data.hash_splits import hash_splits
from attend.data.items import Item
from attend.errors import UserError
from tests.readers import read

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
        (
            "image,text\na.jpg,x\n",
            r"t\.csv has no column 'caption' in its first line \(image, text\): name the columns",
        ),
        ("a.jpg,A dog\n", r"t\.csv has no column 'image' in its first line \(a\.jpg, a dog\)"),
        ("image;caption\na.jpg;x\n", r"t\.csv is separated by semicolons: save it with commas, or as \.tsv with tabs"),
        ('"image"\t"caption"\na.jpg\tx\n', r"t\.csv is separated by tabs: save it with commas"),
        ("image|caption\na.jpg|x\n", r"t\.csv is separated by bars"),
        ("", r"t\.csv has no column 'image'"),
        ("image,caption\n", r"t\.csv has no rows"),
        ("image,caption\na.jpg,a dog, a cat\n", r't\.csv, line 2: 3 columns, not 2: quote a text with commas as "…"$'),
        ("image,caption\na.jpg\n", r"t\.csv, line 2: 1 columns, not 2: give every column a text or leave it empty$"),
        ("image,caption\n\na.jpg,ok\n,x\n", r"t\.csv, line 4: the image is empty"),
        ('image,caption\na.jpg,"x"y\n', r"t\.csv, line 2: .*quote"),
        ('image,caption\na.jpg,"x\n', r"t\.csv, line 2: .*quote"),
        ('image,caption\na.jpg,"x\nb.jpg,y\nc.jpg,z\n', r"t\.csv, the row of line 2, up to line 4: .*: quote the text"),
        ("image,caption,split\na.jpg,x,dev\n", r"t\.csv, line 2: unknown split 'dev': one of train"),
        ("image,caption,split\na.jpg,x,val\nb.jpg,x,\n", r"t\.csv, line 3: unknown split ''"),
        ("image,caption\na.jpg,x\nb.jpg,x\0y\n", r"t\.csv, line 3, has a NUL byte"),
        ("image,caption,split\na.jpg,x,val\n./a.jpg,y,test\n", r"t\.csv, line 3: a\.jpg is in val and in test"),
        ("image,caption,split\na.jpg,x,val\na.jpg,y,test\n", r"t\.csv, line 3: a\.jpg is in val and in test"),
        ("image,caption,caption\na.jpg,x,y\n", r"t\.csv has a column twice"),
    ],
)
def test_mistakes_are_named_by_line(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "t.csv"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(UserError, match=message):
        read_folder(tmp_path, path)


@pytest.mark.fault("the empty rows and columns that spreadsheets leave", "passed over", "Captions and splits")
def test_empty_rows_and_columns_without_a_name_are_passed_over(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("image,caption,,\na.jpg,a dog,,\n,,,\n  \nb.jpg,a cat,seen,\n,,,\n")
    found = [(item.image_id, item.captions) for item in read_folder(tmp_path, path)]
    assert found == [("a.jpg", ("a dog",)), ("b.jpg", ("a cat",))]


@pytest.mark.fault("a caption of 200,000 characters in a table", "read whole", "Captions and splits")
def test_a_very_long_caption_is_read_whole(tmp_path: Path) -> None:
    (item,) = read_folder(tmp_path, table(tmp_path / "t.csv", [("a.jpg", "x" * 200_000)]))
    assert item.captions == ("x" * 200_000,)


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


@pytest.mark.fault("a table with the wrong separator", "refused, the separator is named", "Installation and own data")
def test_a_tsv_with_commas_is_named(tmp_path: Path) -> None:
    path = tmp_path / "t.tsv"
    path.write_text("image,caption\na.jpg,x\n")
    with pytest.raises(UserError, match=r"t\.tsv is separated by commas: save it with tabs"):
        read_folder(tmp_path, path)


def test_one_photo_has_one_id_however_its_path_is_written(tmp_path: Path) -> None:
    photos = tmp_path / "my photos"
    names = ("sub/a.jpg", "./sub//a.jpg", "sub/b/../a.jpg", str(photos / "sub/a.jpg"))
    (item,) = read_folder(photos, table(tmp_path / "t.csv", [(name, name) for name in names]))
    assert (item.image_id, item.path, item.captions) == ("sub/a.jpg", photos / "sub/a.jpg", names)


def own(folder: Path, names: Sequence[str]) -> Path:
    """A folder of files that pass for photos."""
    photos = folder / "own photos"
    for name in names:
        (photos / name).parent.mkdir(parents=True, exist_ok=True)
        (photos / name).write_bytes(b"photo")
    return photos


NAMES = ("B.JPG", "sub folder/é ☕.png", "z.webp")


def test_without_captions_every_photo_is_there_for_its_features(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    photos = own(tmp_path, (*NAMES, "clip.mp4", ".hidden.jpg"))
    items = read("folder", tmp_path / "datasets/folder", photos)
    assert items == [Item(name, photos / name, "none", ()) for name in NAMES]
    elsewhere = f"captions.csv or captions.tsv or captions.jsonl in {tmp_path / 'datasets/folder'}"
    assert capsys.readouterr().err.splitlines() == [
        f"no captions in {photos}, nor {elsewhere}: CAPTIONS= names a file of them",
        f"1 files in {photos} are no photos by their endings and are left out: clip.mp4",
        "3 photos have no caption and get features only: B.JPG, sub folder/é ☕.png, z.webp",
    ]


@pytest.mark.fault("a folder without photos", "refused", "Installation and own data")
def test_a_folder_of_no_photos_is_refused(tmp_path: Path) -> None:
    photos = own(tmp_path, ("clip.mp4",))
    with pytest.raises(UserError, match=r"no photos in .*own photos: name your photos with IMAGES=folder"):
        read("folder", tmp_path, photos)


def test_a_text_beside_each_photo(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    photos = own(tmp_path, (*NAMES, "without.jpg"))
    texts = {
        "B": "NA\n\nA dog, a cat\n",
        "sub folder/é ☕": "\ufeffNaïve café ☕ 狗\r\ntwo\r\n",
        "z": "\n",
        "notes": "x\n",
    }
    for name, text in texts.items():
        (photos / f"{name}.txt").write_bytes(text.encode())
    items = read("folder", tmp_path, photos)
    assert [(item.image_id, item.captions) for item in items] == [
        ("B.JPG", ("NA", "A dog, a cat")),
        ("sub folder/é ☕.png", ("Naïve café ☕ 狗", "two")),
        ("z.webp", ()),
    ]
    assert {item.split for item in items} == {"train", "val", "test"}
    told = capsys.readouterr()
    assert told.err.splitlines() == [
        f"1 text files in {photos} have no photo of the same name beside them: notes.txt",
        f"1 photos in {photos} have no text beside them and are left out: without.jpg",
        "1 photos have no caption and get features only: z.webp",
    ]
    assert told.out.startswith(f"{photos} has no splits: photos are split by the hash of the photo's name, about 80 %")


@pytest.mark.fault("a text that could belong to two photos", "refused by name", "Installation and own data")
def test_a_text_that_could_be_of_two_photos_is_named(tmp_path: Path) -> None:
    photos = own(tmp_path, ("a.jpg", "a.png", "a.txt"))
    with pytest.raises(UserError, match=r"a\.txt could be of a\.jpg, a\.png: rename all but one of them"):
        read("folder", tmp_path, photos)


@pytest.mark.fault(
    "two kinds of captions in one folder", "refused unless CAPTIONS= names one", "Installation and own data"
)
def test_two_kinds_of_captions_are_refused_unless_one_is_named(tmp_path: Path) -> None:
    photos = own(tmp_path, ("a.jpg",))
    (photos / "a.txt").write_text("From the text\n")
    csv_file = table(tmp_path / "captions.csv", [("a.jpg", "From the table")])
    lines = photos / "captions.jsonl"
    lines.write_text('{"image": "a.jpg", "caption": "From the lines"}\n')
    with pytest.raises(UserError) as refusal:
        read("folder", tmp_path, photos)
    kinds = f"{csv_file} and in {lines} and in {photos / 'a.txt'}"
    assert str(refusal.value) == f"captions are in {kinds}: name one file with CAPTIONS=, or move the others away"
    assert read("folder", tmp_path, photos, csv_file)[0].captions == ("From the table",)
    assert read("folder", tmp_path, photos, lines)[0].captions == ("From the lines",)


def test_data_may_be_the_folder_of_photos_itself(tmp_path: Path) -> None:
    photos = own(tmp_path, NAMES)
    table(photos / "captions.tsv", [("z.webp", "A dog", "val")], ("image", "caption", "split"))
    assert read("folder", photos) == [Item("z.webp", photos / "z.webp", "val", ("A dog",))]


@pytest.mark.fault("rows that come twice and empty captions", "left out and counted", "Captions and splits")
def test_rows_that_come_twice_and_captions_that_are_empty_are_counted(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    photos = own(tmp_path, ("a.jpg", "b.jpg"))
    rows = [
        ("a.jpg", "A dog"),
        ("b.jpg", ""),
        ("a.jpg", "A dog"),
        ("b.jpg", " "),
        ("a.jpg", "A cat"),
        ("b.jpg", "A cat"),
    ]
    path = table(tmp_path / "captions.csv", rows)
    assert [item.captions for item in read("folder", tmp_path, photos)] == [("A dog", "A cat"), ("A cat",)]
    assert capsys.readouterr().err.splitlines() == [
        f"{path}: 1 captions that their photo has already are left out: a.jpg",
        "2 empty captions are left out, of b.jpg",
    ]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("image,caption\na.jpg,x\n".encode("utf-16"), r"t\.csv is UTF-16: save the file as UTF-8"),
        ("image,caption\na.jpg,x\n".encode("utf-16-le"), r"t\.csv, line 1, has a NUL byte: .*UTF-16"),
        ("image,caption\na.jpg,x\nb.jpg,café\n".encode("cp1252"), r"t\.csv, line 3, is not UTF-8: save the file as"),
    ],
)
@pytest.mark.fault(
    "captions in another encoding, or with NUL bytes", "refused, the line is named", "Captions and splits"
)
def test_other_encodings_are_named(tmp_path: Path, content: bytes, message: str) -> None:
    path = tmp_path / "t.csv"
    path.write_bytes(content)
    with pytest.raises(UserError, match=message):
        read_folder(tmp_path, path)
