"""The embedded dataset on disk: the same bytes on every run, the first pictures whatever their number."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest
from PIL import Image

from attend.data.items import Item, check_items
from attend.data.scenes import reader
from attend.data.scenes.palette import COLOURS
from attend.data.scenes.reader import read_scenes
from attend.data.scenes.settings import ScenesSettings
from attend.errors import UserError

FEW = ScenesSettings(images=24)


def _bytes(items: list[Item]) -> list[bytes]:
    return [item.path.read_bytes() for item in items]


def _known(items: list[Item]) -> list[tuple[object, ...]]:
    return [(item.image_id, item.split, item.captions, item.regions) for item in items]


@pytest.fixture(scope="module")
def few(tmp_path_factory: pytest.TempPathFactory) -> list[Item]:
    return read_scenes(tmp_path_factory.mktemp("few"), FEW)


def test_items_are_whole(few: list[Item]) -> None:
    assert check_items(few) == []
    assert [item.image_id for item in few] == [f"{number:06d}" for number in range(1, 25)]
    for item in few:
        assert len(set(item.captions)) == 5
        assert 1 <= len(item.regions) <= 8
        with Image.open(item.path) as picture:
            assert (picture.size, picture.mode, picture.format) == ((224, 224), "RGB", "PNG")
        for region in item.regions:
            left, top, width, height = region.box
            assert left >= 0 and top >= 0 and left + width <= 224 and top + height <= 224
            assert region.name.split()[0] in COLOURS


def test_same_bytes_in_another_folder(few: list[Item], tmp_path: Path) -> None:
    again = read_scenes(tmp_path / "with a blank", FEW)
    assert _bytes(again) == _bytes(few)
    assert _known(again) == _known(few)


def test_more_pictures_leave_the_first_as_they_are(few: list[Item], tmp_path: Path) -> None:
    fewer = read_scenes(tmp_path, ScenesSettings(images=10))
    drawn = [item.path.stat().st_mtime_ns for item in fewer]
    more = read_scenes(tmp_path, FEW)
    assert [item.path.stat().st_mtime_ns for item in more[:10]] == drawn
    assert _bytes(more) == _bytes(few)
    assert _known(more) == _known(few)


def test_fewer_pictures_draw_nothing(few: list[Item], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reader, "draw", None)
    fewer = read_scenes(few[0].path.parents[1], ScenesSettings(images=7))
    assert _known(fewer) == _known(few[:7])


def test_other_seed_other_pictures(few: list[Item], tmp_path: Path) -> None:
    other = read_scenes(tmp_path, ScenesSettings(images=24, seed=2))
    assert not set(_bytes(other)) & set(_bytes(few))
    assert sum(a.captions == b.captions for a, b in zip(other, few, strict=True)) == 0


def test_changed_settings_draw_again_and_say_why(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    read_scenes(tmp_path, ScenesSettings(images=2))
    larger = read_scenes(tmp_path, ScenesSettings(images=2, size=96))
    assert "size 224 -> 96" in capsys.readouterr().err
    for item in larger:
        with Image.open(item.path) as picture:
            assert picture.size == (96, 96)


def test_one_scene_at_any_size(few: list[Item], tmp_path: Path) -> None:
    larger = read_scenes(tmp_path, ScenesSettings(images=6, size=448))
    for large, small in zip(larger, few, strict=False):
        assert large.captions == small.captions
        for one, other in zip(large.regions, small.regions, strict=True):
            assert one.name == other.name
            assert one.box == pytest.approx([2 * length for length in other.box], abs=5)


@pytest.mark.fault("a drawn picture that is damaged or lost", "drawn again, the same", "Installation and own data")
def test_damaged_or_lost_pictures_are_drawn_again(few: list[Item], tmp_path: Path) -> None:
    items = read_scenes(tmp_path, ScenesSettings(images=4))
    items[1].path.write_bytes(items[1].path.read_bytes()[:-1])
    items[2].path.unlink()
    assert _bytes(read_scenes(tmp_path, ScenesSettings(images=4))) == _bytes(few[:4])


def test_a_stop_half_way_is_carried_on(few: list[Item], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    draw, calls = reader.draw, Counter[str]()

    def stops(*arguments: object) -> object:
        calls["draw"] += 1
        if calls["draw"] == 9:
            raise KeyboardInterrupt
        return draw(*arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(reader, "draw", stops)
    with pytest.raises(KeyboardInterrupt):
        read_scenes(tmp_path, FEW)
    items = read_scenes(tmp_path, FEW)
    assert _bytes(items) == _bytes(few)
    assert sorted(path.name for path in tmp_path.rglob("*") if path.is_file() and path.suffix != ".png") == [
        "scenes.json"
    ]


@pytest.mark.fault(
    "one's own files where the scenes would be drawn", "not written over; refused", "Installation and own data"
)
def test_strange_pictures_are_not_written_over(tmp_path: Path) -> None:
    (tmp_path / "images").mkdir()
    (tmp_path / "images" / "000001.png").write_bytes(b"holiday")
    with pytest.raises(UserError, match="choose another DATA="):
        read_scenes(tmp_path, FEW)
    assert (tmp_path / "images" / "000001.png").read_bytes() == b"holiday"


@pytest.mark.parametrize("content", ["", "[]", '{"made_with": {}, "pictures": {"000001": {}}}'])
def test_unreadable_truth_is_named(tmp_path: Path, content: str) -> None:
    (tmp_path / "scenes.json").write_text(content)
    with pytest.raises(UserError, match=r"scenes\.json cannot be read"):
        read_scenes(tmp_path, FEW)


def test_truth_file_tells_what_was_drawn(few: list[Item]) -> None:
    truth = json.loads((few[0].path.parents[1] / "scenes.json").read_text())
    assert truth["made_with"]["seed"] == 1 and truth["made_with"]["generator"] >= 1
    for item in few:
        picture = truth["pictures"][item.image_id]
        assert [thing["name"] for thing in picture["things"]] == [region.name for region in item.regions]
        assert tuple(picture["captions"]) == item.captions


def test_at_most_max_objects(tmp_path: Path) -> None:
    for most in (1, 2, 3):
        items = read_scenes(tmp_path / str(most), ScenesSettings(images=30, size=64, max_objects=most))
        assert max(len(item.regions) for item in items) == most
