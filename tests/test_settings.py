"""`--set` and presets: unknown names are errors that list the near ones."""

from __future__ import annotations

from dataclasses import fields

import pytest

from attend.errors import UserError
from attend.settings import SECTIONS, read_settings, section_class
from attend.train.config import TrainConfig
from attend.train.config_file import flatten, override_config, preset_names, read_preset, read_run_file, write_run_file
from attend.train.models.variants import VARIANTS


def test_values_take_the_type_of_their_field():
    values = read_settings(["optim.epochs=3 model.gate=no", "optim.learning_rate=1e-3"])
    assert values == {"optim": {"epochs": 3, "learning_rate": 0.001}, "model": {"gate": False}}


@pytest.mark.parametrize(
    ("word", "message"),
    [
        ("optim.epoch=3", "no setting optim.epoch: did you mean optim.epochs"),
        ("units=3", "--set units=3: write it as section.field=value"),
        ("model.units=many", "model.units=many: not a whole number"),
        ("model.units=3.5", "model.units=3.5: not a whole number"),
        ("model.gate=perhaps", "model.gate=perhaps: not a yes/no value"),
        ("optim.units=5", "did you mean model.units"),
    ],
)
@pytest.mark.fault(
    "a misspelled setting, or a value of the wrong type", "refused, the near names are listed", "Training"
)
def test_mistakes_are_named_with_the_near_names(word, message):
    with pytest.raises(UserError) as caught:
        read_settings([word])
    assert message in str(caught.value)


def test_every_field_has_its_own_documentation():
    import ast
    import inspect

    for section in SECTIONS:
        kind = section_class(section)
        body = ast.parse(inspect.getsource(kind)).body[0].body  # type: ignore[attr-defined]
        for place, node in enumerate(body):
            if isinstance(node, ast.AnnAssign):
                after = body[place + 1] if place + 1 < len(body) else None
                documented = isinstance(after, ast.Expr) and isinstance(after.value, ast.Constant)
                assert documented, f"{section}.{node.target.id} has no docstring"  # type: ignore[union-attr]


def test_presets_exist_for_every_dataset_and_read_for_every_variant():
    assert {"flickr8k", "flickr30k", "coco", "scenes"} <= set(preset_names())
    for name in preset_names():
        for variant in VARIANTS:
            assert isinstance(read_preset(name, variant), TrainConfig)


def test_presets_hold_the_papers_and_the_authors_numbers():
    coco, flickr30k = read_preset("coco", "soft"), read_preset("flickr30k", "soft")
    for config in (coco, flickr30k):
        assert (config.model.embedding, config.model.attention_layers, config.model.init_layers) == (512, 2, 2)
        assert (config.model.gate, config.model.output_context, config.model.output_previous_word) == (True,) * 3
        assert (config.batches.size, config.words.size, config.model.dropout) == (64, 10_000, 0.5)
        assert (config.optim.algorithm, config.optim.learning_rate, config.optim.patience) == ("adam", 2e-4, 10)
        assert (config.words.min_count, config.optim.averaging, config.optim.clip_norm) == (1, 0.0, 0.0)
        assert config.loss.doubly_stochastic == pytest.approx(64 / 196, abs=1e-3)
    assert (coco.model.units, flickr30k.model.units) == (1800, 1300)


def test_a_run_file_gives_back_every_setting_and_the_record(tmp_path):
    config = override_config(TrainConfig(), read_settings(["model.units=7 search.beam=3 optim.algorithm=rmsprop"]))
    write_run_file(tmp_path / "config.toml", config, {"run": {"dataset": "Käse", "numbers": [1, 2]}})
    again, record = read_run_file(tmp_path / "config.toml")
    assert again == config
    assert record == {"run": {"dataset": "Käse", "numbers": [1, 2]}}
    assert flatten(again)["model.units"] == 7
    assert len(flatten(again)) == sum(len(fields(section_class(field.name))) for field in fields(TrainConfig))
