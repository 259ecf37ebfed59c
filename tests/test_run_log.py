"""What a run shows in TensorBoard."""

from __future__ import annotations

import io
from pathlib import Path

import pytest
from PIL import Image
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

from attend.train.log import RunLog
from tests.tiny_run import NAME


def events(folder: Path) -> EventAccumulator:
    found = EventAccumulator(str(folder / "tensorboard"), size_guidance={"images": 0, "scalars": 0})
    found.Reload()
    return found


def test_a_picture_comes_back_at_its_step(tmp_path: Path) -> None:
    with RunLog(tmp_path) as log:
        log.picture("validation/captions/0", 7, Image.new("RGB", (60, 40), (250, 10, 10)))
        log.write("validation", 7, bleu4=12.5, told="words")
    found = events(tmp_path)
    [event] = found.Images("validation/captions/0")
    assert (event.step, event.width, event.height) == (7, 60, 40)
    with Image.open(io.BytesIO(event.encoded_image_string)) as picture:
        assert picture.size == (60, 40)
        assert picture.getpixel((30, 20)) == pytest.approx((250, 10, 10), abs=3)
    assert [(each.step, each.value) for each in found.Scalars("validation/bleu4")] == [(7, 12.5)]


def test_a_training_shows_scores_curves_and_where_the_model_looked(photo_run: Path) -> None:
    found = events(photo_run / "runs" / NAME)
    scalars, images = found.Tags()["scalars"], found.Tags()["images"]
    assert {"validation/bleu4", "validation/log_likelihood", "step/loss", "step/learning_rate"} <= set(scalars)
    assert sorted(images) == [f"validation/captions/{number}" for number in range(4)]
    steps = [event.step for event in found.Scalars("validation/bleu4")]
    assert len(steps) == 5
    for name in images:
        assert [event.step for event in found.Images(name)] == steps, "the same photos at every validation"
