"""Settings out of range are refused by name, before any work."""

from __future__ import annotations

import pytest

from attend.errors import UserError
from attend.settings import only, read_settings
from attend.train.config import TrainConfig
from attend.train.config_file import SECTIONS, flatten, override_config, preset_names, read_preset
from attend.train.ranges import RANGES, check_ranges


def test_defaults_and_presets_are_in_range():
    check_ranges(TrainConfig())
    for name in preset_names():
        check_ranges(read_preset(name, "soft"))


def test_every_number_has_a_range():
    numbers = {name for name, value in flatten(TrainConfig()).items() if type(value) in (int, float)}
    assert set(RANGES) == numbers


@pytest.mark.parametrize(
    "word",
    [
        "batches.size=0",
        "model.dropout=1",
        "optim.learning_rate=nan",
        "optim.learning_rate=inf",
        "search.beam=0",
        "words.size=2",
        "validation.every=0",
        "optim.epochs=0",
        "model.init_layers=0",
        "search.length_normalisation=-1",
    ],
)
@pytest.mark.fault(
    "a setting out of range, such as dropout 1 or a learning rate of nan",
    "refused before any work, with the range",
    "Training",
)
def test_a_value_out_of_range_is_named(word):
    with pytest.raises(UserError, match=f"{word.split('=')[0]}=.* is out of range: "):
        check_ranges(override_config(TrainConfig(), read_settings([word])))


@pytest.mark.fault("a setting of another stage", "refused: it would do nothing here", "Training")
def test_a_setting_of_another_stage_is_refused_by_name():
    with pytest.raises(UserError, match=r"--set scenes\.images: no setting of train, so it would do nothing here"):
        only(read_settings(["scenes.images=5 model.units=3"]), SECTIONS, "train")
    assert only(read_settings(["model.units=3"]), SECTIONS, "train") == {"model": {"units": 3}}
