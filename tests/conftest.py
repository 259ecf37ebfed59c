"""Shared fixtures: where the research photos lie, if they lie anywhere."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

os.environ.setdefault("OMP_NUM_THREADS", "1")  # the cases are tiny; set before torch is loaded, for child processes too
SHARED = Path(__file__).resolve().parents[2] / "shared"


def pytest_configure() -> None:
    """Ctrl-C acts as in a terminal: a shell's background job is deaf to it, and so would all its children be."""
    if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of research photos, captions and weights; the test is skipped where it is absent."""
    if not (SHARED / "data").is_dir():
        pytest.skip(f"research photos and weights are not at {SHARED}")
    return SHARED


@pytest.fixture(scope="session", autouse=True)
def quick_meteor(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[[], Path]]:
    """METEOR with a small paraphrase table in every test, since the real one takes 8 s to read. Gives the real folder's
    finder, for the tests that compare scores."""
    from attend.score.metrics import meteor
    from tests.small_meteor import small_meteor

    real, folder = meteor.meteor_folder, small_meteor(tmp_path_factory.mktemp("meteor") / "small")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(meteor, "meteor_folder", lambda: folder)
        yield real


@pytest.fixture(scope="session")
def grid_run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An output folder with a run on drawn grids that captions them right. Not to be changed."""
    from tests.tiny_run import make_grid_run

    out = tmp_path_factory.mktemp("grid run")
    make_grid_run(out)
    return out


@pytest.fixture(scope="session")
def photo_run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An output folder with a run on photo files. Not to be changed; `copy_of` in tests/tiny_run.py copies it."""
    from tests.tiny_run import make_photo_run

    out = tmp_path_factory.mktemp("photo run")
    make_photo_run(out)
    return out
