"""Configurations from presets and files: which values hold, and writing them down."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import asdict, fields, replace
from importlib import resources
from pathlib import Path
from typing import Any

import tomli_w

from attend.data.atomic import write_atomically
from attend.errors import UserError
from attend.settings import Values, check_value
from attend.train.config import TrainConfig
from attend.train.models.variants import find_variant
from attend.train.search_settings import without_effect

SECTIONS = tuple(section.name for section in fields(TrainConfig))


def preset_names() -> list[str]:
    """The datasets that have a preset of their own."""
    folder = resources.files("attend.train.presets")
    return sorted(entry.name.removesuffix(".toml") for entry in folder.iterdir() if entry.name.endswith(".toml"))


def read_preset(dataset: str, variant: str) -> TrainConfig:
    """Defaults, changed by `presets/DATASET.toml`, by what the variant starts from, and by its own table there.

    That table is `[variant.VARIANT]`. What has no effect in the variant keeps its default, and a dataset without a
    preset takes the defaults.
    """
    about, tables = find_variant(variant), {}
    if dataset in preset_names():
        text = (resources.files("attend.train.presets") / f"{dataset}.toml").read_text(encoding="utf-8")
        tables = tomllib.loads(text)
    own = tables.pop("variant", {}).get(variant, {})
    general = {
        section: {name: value for name, value in table.items() if f"{section}.{name}" not in about.without_effect}
        for section, table in _checked(tables).items()
    }
    config = TrainConfig()
    for changes in (general, about.starts_from, _checked(own)):
        config = override_config(config, changes)
    return config


def override_config(config: TrainConfig, values: Values) -> TrainConfig:
    """A copy with some fields replaced. The sections are those of `TrainConfig`."""
    changed = {section: replace(getattr(config, section), **changes) for section, changes in values.items()}
    return replace(config, **changed)


def write_run_file(path: Path, config: TrainConfig, record: Mapping[str, Any], notes: Sequence[str] = ()) -> None:
    """Write `config.toml`: notes for people as comments, the record of the run (plain tables), then every setting."""
    comments = "".join(f"# {note}\n" for note in notes)
    write_atomically(path, f"{comments}{tomli_w.dumps({**record, **asdict(config)})}".encode())


def read_run_file(path: Path) -> tuple[TrainConfig, dict[str, Any]]:
    """What `write_run_file` wrote; `UserError` when it is missing, broken or has an unknown setting."""
    try:
        tables = tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise UserError(f"no run at {path.parent}: train it first, or check RUN= and OUT=") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise UserError(f"{path} is no TOML ({error}): restore it or train the run again") from None
    settings = {section: tables.pop(section) for section in SECTIONS if section in tables}
    try:
        return override_config(TrainConfig(), _checked(settings)), tables
    except UserError as error:
        raise UserError(f"{path} was edited or is of another version ({error}): restore it") from None


def flatten(config: TrainConfig) -> dict[str, Any]:
    """`section.field` → value."""
    return {f"{section}.{name}": value for section, table in asdict(config).items() for name, value in table.items()}


def in_force(config: TrainConfig, variant: str) -> dict[str, Any]:
    """`section.field` → value of every setting that has an effect in the variant and beside the others."""
    idle = find_variant(variant).without_effect | {f"search.{name}" for name in without_effect(config.search)}
    return {name: value for name, value in flatten(config).items() if name not in idle}


def _checked(tables: Mapping[str, Mapping[str, Any]]) -> Values:
    return {
        section: {name: check_value(section, name, value) for name, value in table.items()}
        for section, table in tables.items()
    }
