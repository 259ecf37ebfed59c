"""Shared fixtures: where the research photos lie, if they lie anywhere."""

from __future__ import annotations

from pathlib import Path

import pytest

SHARED = Path(__file__).resolve().parents[2] / "shared"


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of research photos, captions and weights; the test is skipped where it is absent."""
    if not (SHARED / "data").is_dir():
        pytest.skip(f"research photos and weights are not at {SHARED}")
    return SHARED
