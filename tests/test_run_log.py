"""What a run shows in TensorBoard."""

from __future__ import annotations

import contextlib
import errno
import io
import threading
from pathlib import Path

import pytest
from PIL import Image
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator
from tensorboard.summary.writer.record_writer import RecordWriter

from attend.errors import UserError
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


@pytest.fixture
def told(monkeypatch: pytest.MonkeyPatch) -> list[threading.ExceptHookArgs]:
    """What threads that failed would have told."""
    told: list[threading.ExceptHookArgs] = []
    monkeypatch.setattr(threading, "excepthook", told.append)
    return told


def fill_the_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    """From now on TensorBoard's files cannot be written."""

    def write(*data: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(RecordWriter, "write", write)
    monkeypatch.setattr(RecordWriter, "flush", write)


def test_a_full_disk_under_tensorboard_is_told_once_by_who_writes(monkeypatch, told, tmp_path: Path) -> None:
    """And not a second time as the traceback of a thread."""
    hook = threading.excepthook
    with pytest.raises(OSError, match="No space left on device"), RunLog(tmp_path) as log:
        fill_the_disk(monkeypatch)
        log.write("step", 1, loss=1.0)
    assert told == []
    assert threading.excepthook == hook


def test_a_disk_that_is_full_from_the_start(monkeypatch, told, tmp_path: Path) -> None:
    hook = threading.excepthook
    fill_the_disk(monkeypatch)
    with pytest.raises(OSError, match="No space left on device"):
        RunLog(tmp_path)
    assert told == []
    assert threading.excepthook == hook


def test_the_first_error_counts_not_that_of_closing_on_the_same_full_disk(monkeypatch, told, tmp_path: Path) -> None:
    with pytest.raises(UserError, match="no room for a checkpoint"), RunLog(tmp_path) as log:
        fill_the_disk(monkeypatch)
        with contextlib.suppress(OSError):
            log.write("step", 1, loss=1.0)
        raise UserError("no room for a checkpoint")
    assert told == []


def test_other_threads_are_heard_while_a_run_logs(told, tmp_path: Path) -> None:
    with RunLog(tmp_path):
        other = threading.Thread(target=lambda: 1 / 0)
        other.start()
        other.join()
    [failed] = told
    assert failed.exc_type is ZeroDivisionError
