"""What the pages are told of a caption, and the files that tell it."""

from __future__ import annotations

import base64
import json
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from attend.extract.framing import framing
from attend.extract.images import Preprocessing
from attend.score.report.data_files import script
from attend.score.report.photo_copies import LARGE, SMALL, write_copies
from attend.score.search.caption import Caption
from attend.score.seen import on_photo
from attend.score.viewer.view import looking, map_bytes, view
from attend.train.models.variants import VARIANTS

NOTHING = np.zeros(0, dtype=np.float32)


def test_a_caption_on_its_photo() -> None:
    attention = np.array([[0.5, 0.25, 0.25, 0.0], [0.25, 0.25, 0.25, 0.25]], dtype=np.float32)
    sure = np.log(np.array([0.5, 1.0]))
    caption = Caption((2, 3), ("a", "dog"), -1.5, sure, attention, np.array([0.0, 0.25]), False)
    told = view(on_photo(caption, (2, 2), framing((512, 256), Preprocessing("crop", 224, 256))))
    assert base64.b64decode(told.pop("maps")) == bytes([255, 128, 128, 0, 255, 255, 255, 255])
    assert told == {
        "words": ["a", "dog"],
        "gates": [0.0, 0.25],
        "probabilities": [0.5, 1.0],
        "log_prob": -1.5,
        "finished": False,
        "size": [512, 256],
        "seen": [144 / 512, 16 / 256, 224 / 512, 224 / 256],  # the middle 224 × 224 of 512 × 256
    }


def test_no_words_have_no_maps() -> None:
    caption = Caption((), (), -1.0, NOTHING, np.zeros((0, 4), dtype=np.float32), NOTHING, True)
    told = view(on_photo(caption, (2, 2), framing((10, 10), Preprocessing("whole", 8, 8))))
    assert (told["words"], told["maps"], told["seen"]) == ([], "", [0.0, 0.0, 1.0, 1.0])


def test_bytes_are_of_the_largest_of_each_word() -> None:
    weights = np.random.default_rng(1).dirichlet(np.ones(9), size=5)
    found = np.frombuffer(map_bytes(weights), dtype=np.uint8).reshape(5, 9) / 255
    assert np.abs(found - weights / weights.max(axis=1, keepdims=True)).max() <= 0.5 / 255 + 1e-9


@pytest.mark.fault(
    "captions and names that would end a script or are no Unicode",
    "told to the page as they are",
    "Captions and pictures",
)
def test_data_cannot_end_its_script_and_comes_back_whole() -> None:
    content = {"id": "</script><!-- \u2028 caf\u00e9 \udcff.jpg", "words": ["<b>"]}
    text = script("index", content)
    assert text.isascii() and "<" not in text and "\n" not in text.rstrip("\n")
    assert json.loads(text.removeprefix('attend.data.put("index",').removesuffix(");\n")) == content


def test_copies_keep_the_shape_lose_what_a_camera_wrote_and_never_grow(tmp_path: Path) -> None:
    for kind in ("photos", "thumbnails"):
        (tmp_path / kind).mkdir()
    for name, size in (("wide", (3000, 1500)), ("small", (40, 30)), ("line", (4000, 1))):
        photo = Image.new("RGB", size, (10, 120, 240))
        photo.info["exif"] = b"Exif\x00\x00GPS"
        write_copies(photo, tmp_path, name)
        for kind, side in (("photos", LARGE), ("thumbnails", SMALL)):
            with Image.open(tmp_path / kind / f"{name}.jpg") as copy:
                scale = min(1, side / max(size))
                assert copy.size == tuple(max(1, round(length * scale)) for length in size)
                assert not copy.getexif() and "exif" not in copy.info


def test_a_variant_that_does_not_choose_where_to_look_is_not_called_attention() -> None:
    assert [looking(name) for name in ("soft", "hard")] == ["soft attention", "hard attention"]
    assert not any("attention" in looking(name) for name in VARIANTS if name not in ("soft", "hard"))
