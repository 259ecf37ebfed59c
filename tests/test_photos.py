"""Finding photos in files and folders, and captioning them with every one accounted for."""

from __future__ import annotations

from pathlib import Path

import pytest

from attend.errors import UserError
from attend.score import photos
from attend.score.captioner import load_captioner
from attend.score.photos import caption_photos, find_photos
from tests.tiny_encoder import drawn_photo, tiny_encoder
from tests.tiny_run import NAME


@pytest.mark.fault("notes and hidden files in a folder of photos", "passed over and counted", "Captions and pictures")
def test_photos_below_a_folder_in_order_and_what_is_none(tmp_path: Path) -> None:
    for name in ("b.jpg", "a.PNG", "deep/er/c.webp", "d.heic", "captions.csv", ".hidden.png", ".cache/e.png", "notes"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_bytes(b"x")
    found, others = find_photos([tmp_path])
    assert [path.relative_to(tmp_path).as_posix() for path in found] == ["a.PNG", "b.jpg", "d.heic", "deep/er/c.webp"]
    assert [path.name for path in others] == ["captions.csv", "notes"]


def test_a_file_given_by_name_is_a_photo_whatever_it_is_called(tmp_path: Path) -> None:
    (tmp_path / "photo.dat").write_bytes(b"x")
    assert find_photos([tmp_path / "photo.dat"]) == ([tmp_path / "photo.dat"], [])


@pytest.mark.fault("a folder without a photo, or no such folder", "refused by name", "Captions and pictures")
def test_nothing_to_caption_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="absent: no such photo or folder"):
        find_photos([tmp_path / "absent"])
    (tmp_path / "a.txt").touch()
    with pytest.raises(UserError, match=r"no photo there \(1 other files\)"):
        find_photos([tmp_path])


@pytest.mark.fault(
    "an unreadable photo in a batch to caption", "costs itself; the others keep their captions", "Captions and pictures"
)
def test_a_bad_photo_costs_itself_alone(photo_run: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tiny_encoder(monkeypatch)
    monkeypatch.setattr(photos, "PHOTOS_AT_ONCE", 2)
    captioner = load_captioner(photo_run / "runs" / NAME)
    good = [photo_run / "photos" / f"photo {number}.png" for number in range(4)]
    frames = [drawn_photo(number).convert("P") for number in range(2)]
    frames[0].save(tmp_path / "moving.gif", save_all=True, append_images=frames[1:])
    (tmp_path / "bad.jpg").write_bytes(b"no photo")
    paths = [
        tmp_path / "bad.jpg",
        good[0],
        tmp_path / "bad.jpg",
        tmp_path / "bad.jpg",
        *good[1:],
        tmp_path / "moving.gif",
    ]
    results = list(caption_photos(captioner, paths))
    assert [result.path for result in results] == paths
    assert [result.caption is None for result in results] == [True, False, True, True] + [False] * 4
    assert [result.problem is not None for result in results] == [True, False, True, True] + [False] * 4
    assert [result.animated for result in results] == [False] * 7 + [True]
    texts = [result.caption.text for result in results if result.caption][:4]
    assert texts == [caption.text for caption in captioner.caption(good)]
