"""Presets: the paper's hard attention, the authors', and each difference between the two."""

from __future__ import annotations

import tomllib
from dataclasses import asdict
from importlib import resources

import pytest

from attend.errors import UserError
from attend.settings import read_settings
from attend.train.config import TrainConfig
from attend.train.config_file import override_config, preset_names, read_preset
from attend.train.hard_settings import HardSettings
from attend.train.models.variants import VARIANTS, changed_values, refuse_without_effect

PAPER, AUTHORS = read_preset("coco", "hard"), read_preset("arctic", "hard")


def test_the_papers_hard_attention_is_the_default_and_written_out():
    for config in (PAPER, read_preset("flickr30k", "hard"), read_preset("a dataset of mine", "hard")):
        assert config.hard == HardSettings()
        assert (config.hard.samples, config.hard.expected_share, config.hard.coin) == (1, 0.5, "image")
        assert (config.hard.reward, config.hard.baseline) == ("caption", "moving")
        assert config.loss.doubly_stochastic == 0


def test_every_difference_between_the_paper_and_the_authors():
    paper, authors = asdict(PAPER), asdict(AUTHORS)
    differing = {
        f"{section}.{name}": (value, authors[section][name])
        for section, table in paper.items()
        for name, value in table.items()
        if value != authors[section][name]
    }
    assert differing == {
        "batches.order": ("random", "round_robin"),
        "optim.algorithm": ("adam", "adam_arctic"),
        "hard.coin": ("image", "batch"),
        "hard.reward": ("caption", "word"),
        "hard.reward_weight": (1.0, 6.4),
        "hard.entropy_over": ("sampled", "all"),
    }


def test_the_authors_numbers_against_a_batch_mean():
    """Their sums over 64 captions beside our mean over them: 1/10, 0.002, and alpha_c = 1 with a mean over places."""
    assert AUTHORS.batches.size == 64
    assert AUTHORS.hard.reward_weight == pytest.approx(64 / 10)
    assert AUTHORS.hard.entropy_weight == pytest.approx(64 * 0.002)
    assert read_preset("arctic", "soft").loss.doubly_stochastic == pytest.approx(64 / 196, abs=1e-3)
    assert AUTHORS.loss.doubly_stochastic == 0
    assert (AUTHORS.model.units, AUTHORS.optim.learning_rate, AUTHORS.optim.patience) == (1800, 2e-4, 10)
    assert AUTHORS.search.context == "expected"


def test_every_preset_has_settings_for_hard_attention():
    folder = resources.files("attend.train.presets")
    for name in preset_names():
        tables = tomllib.loads((folder / f"{name}.toml").read_text(encoding="utf-8"))
        assert "hard" in tables["variant"]["hard"], name


def test_general_settings_of_a_preset_reach_only_the_variants_they_matter_to():
    """Flickr8k sets λ for soft attention: hard starts from 0 all the same, and `mean` keeps the default."""
    default = TrainConfig().loss.doubly_stochastic
    found = {variant: read_preset("flickr8k", variant).loss.doubly_stochastic for variant in VARIANTS}
    assert found["hard"] == 0
    assert found["soft"] not in (0, default)
    assert found["uniform"] == found["mean"] == found["nic"] == default


@pytest.mark.parametrize("variant", sorted(VARIANTS))
def test_every_preset_can_be_trained_with_every_variant(variant):
    for name in preset_names():
        config = read_preset(name, variant)
        refuse_without_effect(variant, changed_values(config))
        VARIANTS[variant].objective(config)


@pytest.mark.parametrize(
    ("variant", "word"),
    [
        ("soft", "hard.samples=1"),
        ("soft", "search.context=argmax"),
        ("uniform", "model.attention_layers=1"),
        ("uniform", "loss.doubly_stochastic=0.5"),
        ("mean", "model.attention_layers=3"),
        ("mean", "model.gate=no"),
        ("mean", "hard.reward_weight=2"),
        ("nic", "model.init_layers=1"),
        ("nic", "model.output_context=no"),
        ("nic", "model.output_layers=1"),
        ("nic", "model.annotation_lstm=yes"),
    ],
)
@pytest.mark.fault("a setting without effect with the chosen variant", "refused by name", "Training")
def test_a_setting_without_effect_is_refused_by_name_whatever_its_value(variant, word):
    with pytest.raises(UserError, match=f"{word.split('=')[0]}: no effect with VARIANT={variant}"):
        refuse_without_effect(variant, read_settings([word]))


def test_what_has_an_effect_is_not_refused():
    refuse_without_effect("hard", read_settings(["hard.samples=3 search.context=sample loss.doubly_stochastic=0.1"]))
    refuse_without_effect("uniform", read_settings(["model.gate=no model.init_layers=1 model.annotation_lstm=yes"]))
    refuse_without_effect("mean", read_settings(["model.output_layers=2 model.annotation_lstm=yes"]))
    refuse_without_effect("nic", read_settings(["model.output_previous_word=no"]))


def test_a_configuration_with_such_a_setting_is_found_out_too():
    config = override_config(TrainConfig(), read_settings(["hard.samples=3 model.units=7"]))
    assert changed_values(config)["hard"] == {"samples": 3}
    with pytest.raises(UserError, match=r"hard\.samples: no effect with VARIANT=mean"):
        refuse_without_effect("mean", changed_values(config))


def test_an_unknown_variant_is_named():
    with pytest.raises(UserError, match="VARIANT=harder is unknown: one of soft, hard, uniform, mean, nic"):
        read_preset("coco", "harder")
