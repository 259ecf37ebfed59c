"""Every kind of pixel becomes the RGB it stands for."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest
from PIL import Image

from attend.extract.colours import to_rgb, upright
from attend.extract.opening import PhotoError, open_photo


def colour_of(path) -> tuple[int, int, int]:
    return open_photo(path).getpixel((0, 0))


@pytest.mark.fault("a grey photo of one pixel, a photo of one bit", "grey in all three colours", "Photos")
def test_grey_black_and_white_and_one_pixel(tmp_path):
    Image.new("L", (1, 1), 77).save(tmp_path / "grey.png")
    Image.new("1", (1, 1), 1).save(tmp_path / "bit.png")
    assert colour_of(tmp_path / "grey.png") == (77, 77, 77)
    assert colour_of(tmp_path / "bit.png") == (255, 255, 255)


@pytest.mark.fault("16-bit grey", "its high byte", "Photos")
def test_sixteen_bit_grey_keeps_its_high_byte(tmp_path):
    levels = np.array([[0, 255, 256, 0x80FF, 65535]], dtype=np.uint16)
    for kind in ("PNG", "TIFF"):
        Image.fromarray(levels).save(tmp_path / "deep", kind)
        assert np.asarray(open_photo(tmp_path / "deep"))[0, :, 0].tolist() == [0, 0, 1, 0x80, 255], kind


@pytest.mark.fault("32-bit or floating-point pixels", "refused: no stated range", "Photos")
def test_thirty_two_bits_and_floats_have_no_stated_range(tmp_path):
    path = tmp_path / "deep.tiff"
    Image.fromarray(np.array([[70000]], dtype=np.int32)).save(path)
    cure = "which have no stated range: convert it to 8 bits"
    with pytest.raises(PhotoError) as caught:
        open_photo(path)
    assert caught.value.what == f"has 32-bit pixels outside 0..65535, {cure}"
    Image.fromarray(np.array([[0.5]], dtype=np.float32)).save(path)
    with pytest.raises(PhotoError) as caught:
        open_photo(path)
    assert caught.value.what == f"has floating-point pixels, {cure}"


@pytest.mark.fault("a transparent photo (RGBA, LA)", "over white, or the stated background", "Photos")
def test_transparency_shows_white_or_the_stated_background():
    clear = Image.new("RGBA", (1, 1), (10, 20, 30, 0))
    assert to_rgb(clear).getpixel((0, 0)) == (255, 255, 255)
    assert to_rgb(clear, (1, 2, 3)).getpixel((0, 0)) == (1, 2, 3)
    assert to_rgb(Image.new("RGBA", (1, 1), (10, 20, 30, 255))).getpixel((0, 0)) == (10, 20, 30)
    half = to_rgb(Image.new("RGBA", (1, 1), (0, 100, 200, 51))).getpixel((0, 0))  # 51 / 255 = 1 / 5
    assert half == (204, 224, 244)
    assert to_rgb(Image.new("LA", (1, 1), (50, 0))).getpixel((0, 0)) == (255, 255, 255)


@pytest.mark.fault("a palette with a transparent entry", "over white", "Photos")
def test_a_palette_with_a_transparent_entry(tmp_path):
    palette = Image.new("P", (2, 1))
    palette.putpalette([255, 0, 0, 0, 0, 255])
    palette.putpixel((1, 0), 1)
    palette.save(tmp_path / "palette.png", transparency=1)
    palette.save(tmp_path / "palette.gif", transparency=1)
    for name in ("palette.png", "palette.gif"):
        photo = open_photo(tmp_path / name)
        assert [photo.getpixel((x, 0)) for x in (0, 1)] == [(255, 0, 0), (255, 255, 255)], name


@pytest.mark.fault("a plain photo with a colour that counts as transparent", "over white", "Photos")
def test_a_transparent_colour_of_a_plain_photo(tmp_path):
    photo = Image.new("RGB", (2, 1), (9, 9, 9))
    photo.putpixel((1, 0), (5, 6, 7))
    photo.save(tmp_path / "key.png", transparency=(5, 6, 7))
    assert [open_photo(tmp_path / "key.png").getpixel((x, 0)) for x in (0, 1)] == [(9, 9, 9), (255, 255, 255)]


@pytest.mark.fault("a CMYK photo for print", "the colours that print shows", "Photos")
def test_cmyk(tmp_path):
    """Full yellow and magenta ink on white paper is red, and no ink is white."""
    ink = Image.new("CMYK", (16, 16), (0, 255, 255, 0))
    ink.save(tmp_path / "print.jpg", quality=100)
    red, green, blue = colour_of(tmp_path / "print.jpg")
    assert red > 250 and green < 5 and blue < 5
    Image.new("CMYK", (16, 16), (0, 0, 0, 0)).save(tmp_path / "print.tiff")
    assert colour_of(tmp_path / "print.tiff") == (255, 255, 255)


@pytest.mark.fault("EXIF data that cannot be read", "taken as none", "Photos")
def test_broken_exif_is_no_exif(monkeypatch):
    photo = Image.new("RGB", (2, 1))

    def broken() -> None:
        raise SyntaxError("not a TIFF file")

    monkeypatch.setattr(photo, "getexif", broken)
    assert upright(photo) is photo


@pytest.mark.fault("Pillow's own warnings of a photo", "not shown: it is used by rule, or named in one line", "Photos")
def test_what_pillow_warns_of_is_not_shown(tmp_path):
    """In a process of its own: pytest has warnings of its own."""
    path = tmp_path / "photo.jpg"
    path.write_bytes(b"II*\0\x08\0\0\0\xff\xff")
    code = "import sys, pathlib; from attend.extract.opening import open_photo; open_photo(pathlib.Path(sys.argv[1]))"
    warned = "import sys, PIL.Image; PIL.Image.open(sys.argv[1])"
    for program, warns in ((warned, True), (code, False)):
        done = subprocess.run([sys.executable, "-c", program, str(path)], capture_output=True, text=True, check=False)
        assert ("UserWarning: Corrupt EXIF data" in done.stderr) == warns
    told = f"{path} is not a picture Pillow can read (it starts with {path.read_bytes()!r}): replace it"
    assert done.stderr.splitlines()[-1] == f"attend.extract.opening.PhotoError: {told}"
