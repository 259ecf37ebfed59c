"""Things that stand where photos are expected, and names that are awkward: as the commands meet them."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest
from PIL import Image

from attend.extract.images import Preprocessing, read_photo
from tests.command_line import Done, attend, finish, start
from tests.tiny_attend import register
from tests.tiny_encoder import drawn_items, drawn_photo
from tests.tiny_run import NAME

PIPE = "cannot be read (it is a pipe or a device): restore or replace it"


@pytest.fixture(autouse=True)
def tiny(monkeypatch: pytest.MonkeyPatch) -> None:
    register(monkeypatch)


def caption(photo_run: Path, *words: object) -> Done:
    return attend("caption", "--run", NAME, "--out", photo_run, *words)


def features(folder: Path, *words: object) -> Done:
    items = sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*.png"))
    table = folder.parent / "captions.csv"
    table.write_text("\n".join(["image,caption", *(f'"{name}",a photo' for name in items)]), encoding="utf-8")
    source = ("--dataset", "folder", "--images", folder, "--captions", table, "--out", folder.parent / "out")
    return attend("features", *source, "--encoder", "tiny", "--weights", "random:1", "--precision", "float32", *words)


@pytest.mark.fault("a pipe or a device where a photo is expected", "named and counted, no freeze, exit 1", "Photos")
def test_a_pipe_among_the_photos(tmp_path: Path) -> None:
    drawn_items(tmp_path / "photos", 3)
    os.mkfifo(tmp_path / "photos" / "pipe.png")
    (tmp_path / "photos" / "zero.png").symlink_to("/dev/zero")
    done = features(tmp_path / "photos")
    assert done.code == 1
    pipe, zero = (f"{tmp_path / 'photos' / name} {PIPE}" for name in ("pipe.png", "zero.png"))
    assert done.err.splitlines()[:2] == [pipe, zero]
    assert done.err.splitlines()[-1] == "photos without features: 2; run the same again to retry them"
    assert done.out.splitlines()[-1].endswith(f"3 photos in {tmp_path / 'out' / 'features' / 'folder' / 'tiny'}")


@pytest.mark.fault(
    "a photo's name that holds a line break or steers the terminal", "told in one line, written out", "Photos"
)
def test_a_name_that_steers_the_terminal(tmp_path: Path, photo_run: Path) -> None:
    drawn_items(tmp_path / "photos", 1)
    bad = tmp_path / "photos" / "ev\x1b[2Jil\n.png"
    bad.write_bytes(b"")
    shown = rf"{tmp_path}/photos/ev\x1b[2Jil\n.png is empty: restore or replace it"
    done = features(tmp_path / "photos")
    assert (done.code, done.err.splitlines()[-1]) == (1, shown)
    told = caption(photo_run, "--images", tmp_path / "photos")
    assert (told.code, told.err.splitlines()[:1]) == (1, [f"no caption: {shown}"])
    stopped = features(tmp_path / "photos", "--on-error", "stop")
    assert (stopped.code, stopped.err.splitlines()[-1]) == (2, f"attend: {shown}; ON_ERROR=skip goes on without it")


@pytest.mark.fault("captioning a pipe or a device", "named and counted, no freeze, exit 1", "Captions and pictures")
def test_a_device_to_caption(photo_run: Path) -> None:
    done = caption(photo_run, "--images", "/dev/zero")
    assert (done.code, done.out) == (1, "")
    assert f"no caption: /dev/zero {PIPE}" in done.err.splitlines()
    assert done.err.splitlines()[-1] == "1 photos have no caption"


@pytest.mark.fault("links to photos that lead nowhere", "named and counted, exit 1", "Captions and pictures")
def test_links_that_lead_nowhere(photo_run: Path, tmp_path: Path) -> None:
    drawn_photo(1).save(tmp_path / "a.png")
    (tmp_path / "b.png").symlink_to(tmp_path / "gone.png")
    (tmp_path / "c.png").symlink_to(tmp_path / "c.png")
    done = caption(photo_run, "--images", tmp_path)
    assert (done.code, len(done.out.splitlines())) == (1, 1)
    gone = "does not exist: restore it or take it out of the captions"
    loop = "cannot be read (Too many levels of symbolic links): restore or replace it"
    told = [line for line in done.err.splitlines() if line.startswith("no caption: ")]
    assert told == [f"no caption: {tmp_path / 'b.png'} {gone}", f"no caption: {tmp_path / 'c.png'} {loop}"]


@pytest.mark.fault("IMAGES= forgotten", "refused; the working folder is not captioned instead", "Captions and pictures")
def test_no_images_said(photo_run: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    drawn_photo(1).save(tmp_path / "a.png")
    monkeypatch.chdir(tmp_path)
    done = caption(photo_run, "--images", "")
    told = "attend: IMAGES= is empty: name a photo or a folder of photos\n"
    assert (done.code, done.out, done.err) == (2, "", told)


@pytest.mark.fault(
    "captions to a file for photos whose names are not UTF-8",
    "written, with the bytes of the name",
    "Captions and pictures",
)
def test_names_that_are_not_utf8(photo_run: Path, tmp_path: Path) -> None:
    folder = tmp_path / "photos"
    folder.mkdir()
    drawn_photo(1).save(folder / "a.png")
    (folder / "a.png").rename(folder / os.fsdecode(b"caf\xe9.png"))
    done = caption(photo_run, "--images", folder, "--output", tmp_path / "captions.jsonl")
    assert done.code == 0, done.err
    line = (tmp_path / "captions.jsonl").read_bytes().decode(errors="surrogateescape")
    assert os.fsencode(json.loads(line)["image_id"]) == os.fsencode(folder) + b"/caf\xe9.png"


@pytest.mark.fault(
    "a phone's JPEG that holds a second picture (MPO)", "the first one, not taken for animated", "Photos"
)
def test_a_second_picture_in_a_jpeg_is_no_animation(tmp_path: Path) -> None:
    path = tmp_path / "phone.jpg"
    first, second = (Image.new("RGB", (16, 16), colour) for colour in ("white", "black"))
    first.save(path, "MPO", save_all=True, append_images=[second])
    photo = read_photo(path, Preprocessing("whole", 16, 16))
    assert (photo.animated, photo.pixels.min().item()) == (False, 255)


@pytest.mark.fault(
    "spaces, accents, quotes, % and # in the names of folders and photos",
    "names like any other",
    "Installation and own data",
)
def test_awkward_names(tmp_path: Path) -> None:
    folder = tmp_path / "my photos é 狗"
    names = ["a b.png", "100%.png", "it's #1.png", "sub folder/ñ,1.png", "$HOME.png", "-rf.png"]
    for number, name in enumerate(names):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        drawn_photo(number).save(folder / name)
    done = features(folder)
    assert done.code == 0, done.err
    assert done.out.splitlines()[-1].endswith(f"6 photos in {tmp_path / 'out' / 'features' / 'folder' / 'tiny'}")
    items = (tmp_path / "out/features/folder/tiny/items.jsonl").read_text(encoding="utf-8").splitlines()
    assert sorted(json.loads(line)["image_id"] for line in items) == sorted(names)


@pytest.mark.fault("a photo of one pixel, and one of 3 × 2000", "features like any photo's", "Photos")
def test_tiny_and_narrow_photos_have_features(tmp_path: Path) -> None:
    (tmp_path / "photos").mkdir()
    drawn_photo(1, (1, 1)).save(tmp_path / "photos" / "dot.png")
    drawn_photo(2, (3, 2000)).save(tmp_path / "photos" / "line.png")
    done = features(tmp_path / "photos", "--fit", "whole")
    assert (done.code, done.err.count("damaged")) == (0, 0)
    assert ", encoder busy" in done.out and "; 2 photos in " in done.out


@pytest.mark.slow
@pytest.mark.fault("captions piped into `head`", "no traceback when the reader leaves, exit 1", "Captions and pictures")
def test_a_reader_that_leaves(photo_run: Path, tmp_path: Path) -> None:
    for number in range(200):
        shutil.copy(photo_run / "photos" / "photo 0.png", tmp_path / f"{number:03d}.png")
    words = ("caption", "--run", NAME, "--out", photo_run, "--images", tmp_path, "--beam", 1)
    process = start(*words, module="tests.tiny_attend")
    assert process.stdout is not None
    first = json.loads(process.stdout.readline())
    assert first["image_id"] == str(tmp_path / "000.png")
    process.stdout.close()
    process.stdout = None
    done = finish(process)
    assert done.code == 1
    assert "Traceback" not in done.err and "Exception ignored" not in done.err


@pytest.mark.fault(
    "an environment variable with the name of a make variable", "changes nothing", "Installation and own data"
)
def test_the_environment_does_not_change_make() -> None:
    root = Path(__file__).resolve().parents[1]
    environment = {**os.environ, "DATASET": "coco", "ENCODER": "vgg16", "OUT": "/elsewhere"}
    told = subprocess.run(
        ["make", "help"], cwd=root, env=environment, capture_output=True, text=True, check=True
    ).stdout
    assert "DATASET=scenes" in told and "ENCODER=vgg19" in told and "/elsewhere" not in told
