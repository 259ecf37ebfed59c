"""Photos to pixels: equal to torchvision, one policy for every kind of file, every refusal named."""

from __future__ import annotations

import hashlib

import numpy as np
import pytest
import torch
from PIL import Image
from torchvision.transforms import v2

from attend.errors import UserError
from attend.extract.images import Preprocessing, prepare, read_photo
from attend.extract.opening import PhotoError, open_photo
from tests.tiny_encoder import drawn_photo

REFERENCE = v2.Compose([v2.Resize(256), v2.CenterCrop(224), v2.PILToTensor()])


@pytest.mark.parametrize(
    "size", [(640, 480), (480, 640), (224, 224), (256, 256), (333, 517), (100, 75), (1, 1), (901, 300)]
)
def test_crop_is_torchvisions_resize_and_centre_crop(size):
    photo = drawn_photo(1, size)
    assert torch.equal(prepare(photo, Preprocessing("crop")), REFERENCE(photo))


def test_whole_is_the_identity_on_the_input_size_and_torchvisions_squeeze_else():
    photo = drawn_photo(2, (224, 224))
    assert torch.equal(prepare(photo, Preprocessing("whole")), v2.PILToTensor()(photo))
    photo = drawn_photo(3, (300, 200))
    assert torch.equal(prepare(photo, Preprocessing("whole")), v2.PILToTensor()(v2.Resize((224, 224))(photo)))


def test_pixels_lie_channels_last_and_may_be_written():
    pixels = prepare(drawn_photo(4, (224, 224)), Preprocessing("whole"))
    assert pixels.dtype == torch.uint8 and pixels[None].is_contiguous(memory_format=torch.channels_last)
    pixels += 1


@pytest.mark.parametrize("preprocessing", [Preprocessing("crop"), Preprocessing("whole", 32, 40, (1, 2, 3))])
def test_a_record_brings_the_preprocessing_back(preprocessing):
    again = Preprocessing.from_record(preprocessing.to_record() | {"mean": [0, 0, 0]})
    assert (again.fit, again.size, again.background) == (
        preprocessing.fit,
        preprocessing.size,
        preprocessing.background,
    )
    assert again.to_record() == preprocessing.to_record()


def test_unknown_fits_and_crops_larger_than_the_photo_are_refused():
    with pytest.raises(UserError, match=r"fit='stretch' is not a way to fit a photo: one of auto, crop, whole"):
        Preprocessing("stretch")
    with pytest.raises(UserError, match="a crop of 224 pixels does not fit a shorter side of 200"):
        Preprocessing("crop", 224, 200)


def problem(path) -> str:
    with pytest.raises(PhotoError) as caught:
        read_photo(path, Preprocessing("crop"))
    assert caught.value.problem().where == str(path)
    return caught.value.what


@pytest.mark.fault(
    "an empty file, a web page under a photo's name, no file, a folder", "named with what it is and the cure", "Photos"
)
def test_an_empty_file_a_page_and_a_missing_file_are_named(tmp_path):
    empty = tmp_path / "empty.jpg"
    empty.touch()
    assert problem(empty) == "is empty: restore or replace it"
    page = tmp_path / "page.jpg"
    page.write_text("<html>404 not found</html>")
    assert problem(page) == "is not a picture Pillow can read (it starts with b'<html>404 no'): replace it"
    assert problem(tmp_path / "gone.jpg") == "does not exist: restore it or take it out of the captions"
    assert problem(page / "inside.jpg") == "does not exist: restore it or take it out of the captions"
    assert problem(tmp_path) == "is a folder: name a photo"


@pytest.mark.parametrize(
    ("error", "what"),
    [
        (PermissionError(13, "Permission denied"), "may not be read: give yourself the permission, for its folder too"),
        (OSError(5, "Input/output error"), "cannot be read (Input/output error): restore or replace it"),
    ],
)
@pytest.mark.fault("a photo that may not be read, a disk that fails", "named as that, not as damage", "Photos")
def test_what_the_system_says_is_not_called_damage(tmp_path, monkeypatch, error, what):
    path = tmp_path / "photo.png"
    drawn_photo(1).save(path)

    def refuse(*_):
        raise error

    monkeypatch.setattr(type(path), "open", refuse)
    assert problem(path) == what


def test_a_photo_says_which_file_it_came_from(tmp_path):
    path = tmp_path / "photo.png"
    drawn_photo(1).save(path)
    file = read_photo(path, Preprocessing("whole")).file
    assert (file.size, file.mtime_ns) == (path.stat().st_size, path.stat().st_mtime_ns)
    assert file.sha256 == hashlib.sha256(path.read_bytes()).hexdigest()


@pytest.mark.fault("HEIC without a plug-in", "named: convert it to JPEG", "Photos")
def test_heic_is_named_as_what_it_is(tmp_path):
    heic = tmp_path / "phone.heic"
    heic.write_bytes(b"\x00\x00\x00\x18ftypheic\x00\x00\x00\x00mif1heic" + bytes(40))
    assert problem(heic) == "is HEIC, which Pillow here cannot read: convert it to JPEG"


@pytest.mark.parametrize("kind", ["JPEG", "PNG", "GIF", "WEBP", "TIFF", "BMP"])
@pytest.mark.fault("a photo cut off by a broken download", "named as damaged, never half a photo", "Photos")
def test_a_file_cut_in_half_is_damaged_not_half_a_photo(tmp_path, kind):
    path = tmp_path / "photo"
    drawn_photo(5, (64, 64)).save(path, kind)
    whole = path.read_bytes()
    path.write_bytes(whole[: len(whole) // 2])
    assert problem(path).startswith("is damaged (") and problem(path).endswith("restore or replace it")


@pytest.mark.fault("a strip of 10,000 × 2 pixels", "refused where it would be enlarged beyond memory", "Photos")
def test_a_strip_that_would_grow_beyond_memory_is_refused(tmp_path):
    path = tmp_path / "strip.png"
    Image.new("RGB", (10_000, 2)).save(path)
    assert problem(path) == "is a strip of 10000 × 2 pixels: crop it, or use fit=whole"
    assert read_photo(path, Preprocessing("whole")).pixels.shape == (3, 224, 224)


@pytest.mark.fault("a decompression bomb", "refused: make it smaller", "Photos")
def test_a_bomb_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(Image, "MAX_IMAGE_PIXELS", 100)
    path = tmp_path / "bomb.png"
    drawn_photo(6, (20, 20)).save(path)
    assert problem(path) == "has more than 200 pixels: make it smaller"


@pytest.mark.fault("GIF bytes in x.jpg", "read by their content", "Photos")
def test_the_content_decides_not_the_name(tmp_path):
    path = tmp_path / "gif-in-disguise.jpg"
    Image.new("RGB", (8, 8), (255, 0, 0)).save(path, "GIF")
    assert open_photo(path).getpixel((3, 3)) == (255, 0, 0)


@pytest.mark.fault("an animated GIF", "its first frame, and it is said", "Photos")
def test_of_an_animation_the_first_frame_is_taken_and_said(tmp_path):
    path = tmp_path / "moving.gif"
    frames = [Image.new("RGB", (8, 8), colour) for colour in ((0, 0, 255), (255, 0, 0), (0, 255, 0))]
    frames[0].save(path, save_all=True, append_images=frames[1:])
    photo = read_photo(path, Preprocessing("whole", 8, 8))
    assert photo.animated and photo.pixels[:, 0, 0].tolist() == [0, 0, 255]
    frames[0].save(path)
    assert not read_photo(path, Preprocessing("whole", 8, 8)).animated


@pytest.mark.parametrize("orientation", range(1, 9))
@pytest.mark.fault("a photo that EXIF says is turned or mirrored", "upright", "Photos")
def test_every_exif_orientation_comes_upright(tmp_path, orientation):
    """The tag says where row 0 and column 0 of the file are in the scene (EXIF 2.3, figure 4.6.5)."""
    scene = np.asarray(drawn_photo(7, (6, 4)))  # (rows, columns, colours)
    stored = {
        1: scene,
        2: scene[:, ::-1],
        3: scene[::-1, ::-1],
        4: scene[::-1],
        5: scene.transpose(1, 0, 2),
        6: scene.transpose(1, 0, 2)[::-1],
        7: scene.transpose(1, 0, 2)[::-1, ::-1],
        8: scene.transpose(1, 0, 2)[:, ::-1],
    }[orientation]
    exif = Image.Exif()
    exif[0x0112] = orientation
    for kind in ("PNG", "TIFF", "WEBP"):
        path = tmp_path / f"photo.{kind}"
        Image.fromarray(np.ascontiguousarray(stored)).save(path, kind, exif=exif, lossless=True)
        np.testing.assert_array_equal(np.asarray(open_photo(path)), scene, err_msg=kind)
