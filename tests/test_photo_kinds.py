"""Kinds of photo files that are read like any other."""

from __future__ import annotations

import struct

import numpy as np
import pytest
from PIL import EpsImagePlugin, Image, features

from attend.extract.images import Preprocessing, read_photo
from attend.extract.opening import PhotoError, open_photo


@pytest.mark.parametrize("fit", ["crop", "whole"])
@pytest.mark.fault("one grey pixel", "fills the input", "Photos")
def test_one_grey_pixel_fills_the_input(tmp_path, fit):
    Image.new("L", (1, 1), 77).save(tmp_path / "dot.png")
    pixels = read_photo(tmp_path / "dot.png", Preprocessing(fit)).pixels
    assert pixels.shape == (3, 224, 224) and set(pixels.unique().tolist()) == {77}


@pytest.mark.parametrize("kind", ["PNG", "WEBP", "GIF"])
@pytest.mark.fault("animated GIF, PNG and WebP", "the first frame; counted", "Photos")
def test_of_every_kind_of_animation_the_first_frame(tmp_path, kind):
    frames = [Image.new("RGB", (8, 8), colour) for colour in ((0, 0, 255), (255, 0, 0))]
    frames[0].save(tmp_path / "moving", kind, save_all=True, append_images=frames[1:], lossless=True)
    photo = read_photo(tmp_path / "moving", Preprocessing("whole", 8, 8))
    assert photo.animated and photo.pixels[:, 4, 4].tolist() == [0, 0, 255]


def test_a_jpeg_held_sideways_comes_upright(tmp_path):
    """The camera's usual case: orientation 6 is turned clockwise, so what is stored on the left comes to the top."""
    stored = np.zeros((16, 32, 3), np.uint8)
    stored[:, :16] = 255
    exif = Image.Exif()
    exif[0x0112] = 6
    Image.fromarray(stored).save(tmp_path / "phone.jpg", quality=100, exif=exif)
    upright = np.asarray(open_photo(tmp_path / "phone.jpg"))
    assert upright.shape == (32, 16, 3) and upright[:14].min() > 240 and upright[18:].max() < 15


def test_avif_is_read_or_named(tmp_path):
    path = tmp_path / "photo.jpg"
    if features.check("avif"):
        Image.new("RGB", (8, 8), (200, 10, 10)).save(path, "AVIF", quality=100)
        assert open_photo(path).getpixel((4, 4))[0] > 180
    else:
        path.write_bytes(b"\x00\x00\x00\x18ftypavif\x00\x00\x00\x00mif1avif" + bytes(40))
        with pytest.raises(PhotoError, match="is AVIF, which Pillow here cannot read: convert it to JPEG"):
            open_photo(path)


@pytest.mark.fault("16 bits a colour", "the high byte is kept", "Photos")
def test_sixteen_bit_colour_keeps_its_high_byte(tmp_path):
    """Pillow writes no 16-bit colour, so the file is a PPM by hand: big-endian levels."""
    levels = np.array([[[0x80FF, 0x0100, 0xFFFF]]], dtype=">u2")
    (tmp_path / "deep.ppm").write_bytes(b"P6 1 1 65535\n" + levels.tobytes())
    red, green, blue = open_photo(tmp_path / "deep.ppm").getpixel((0, 0))
    assert abs(red - 0x80) <= 1 and green in (0, 1) and blue == 255


METAFILE = struct.pack("<IH4hHIH", 0x9AC6CDD7, 0, 0, 0, 100, 100, 1000, 0, 0) + b"\x01\x00\t\x00" + bytes(60)


@pytest.mark.parametrize(("kind", "named"), [("EPS", "PostScript"), ("WMF", "a Windows metafile")])
@pytest.mark.fault("a PostScript drawing under a photo's name", "refused; its program is never run", "Photos")
def test_a_drawing_is_refused_and_never_run(tmp_path, monkeypatch, kind, named):
    def run(*given: object, **others: object) -> None:
        pytest.fail("the program in the file was run")

    monkeypatch.setattr(EpsImagePlugin, "Ghostscript", run)
    path = tmp_path / "photo.jpg"
    path.write_bytes(METAFILE)
    if kind == "EPS":
        Image.new("RGB", (8, 8), (200, 10, 10)).save(path, "EPS")
    with pytest.raises(PhotoError, match=f"is {named}, a drawing and no photo: convert it to PNG"):
        open_photo(path)
