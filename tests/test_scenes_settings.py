"""Settings of the embedded dataset: ranges are refused by name, splits keep their shares at any number of pictures."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import pytest

from attend.data.scenes.settings import ScenesSettings
from attend.errors import UserError


@pytest.mark.parametrize("images", [100, 600, 1200])
def test_splits_keep_their_shares(images: int) -> None:
    settings = ScenesSettings()
    counts = Counter(settings.split(number) for number in range(1, images + 1))
    assert counts["val"] == pytest.approx(0.1 * images, abs=2)
    assert counts["test"] == pytest.approx(0.1 * images, abs=2)
    assert counts["train"] + counts["val"] + counts["test"] == images


def test_shares_are_settings() -> None:
    settings = ScenesSettings(val_share=0.5, test_share=0)
    counts = Counter(settings.split(number) for number in range(1, 201))
    assert counts["val"] == pytest.approx(100, abs=2)
    assert counts["test"] == 0


@pytest.mark.parametrize(
    ("name", "value"),
    [("images", 0), ("size", 20), ("max_objects", 0), ("max_objects", 9), ("val_share", -0.1), ("test_share", 0.95)],
)
def test_a_setting_out_of_range_is_named(name: str, value: float) -> None:
    with pytest.raises(UserError, match=rf"scenes\.{name}={value} is out of range"):
        replace(ScenesSettings(), **{name: value}).check()
