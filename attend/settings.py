"""`--set section.field=value`: one grammar and one check for the settings of every stage."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping
from dataclasses import fields, replace
from importlib import import_module
from typing import Any, get_type_hints

from attend.errors import UserError

SECTIONS = {
    "scenes": "attend.data.scenes.settings:ScenesSettings",
    "words": "attend.train.config:WordsSettings",
    "model": "attend.train.config:ModelSettings",
    "loss": "attend.train.config:LossSettings",
    "hard": "attend.train.hard_settings:HardSettings",
    "batches": "attend.train.config:BatchSettings",
    "optim": "attend.train.config:OptimSettings",
    "search": "attend.train.search_settings:SearchSettings",
    "validation": "attend.train.config:ValidationSettings",
}
"""Section → the frozen dataclass that documents its fields. A command uses the sections of its own stage."""

Values = dict[str, dict[str, Any]]
"""Section → field → value, checked."""


def section_class(section: str) -> type:
    """The dataclass behind a section name."""
    module, name = SECTIONS[section].split(":")
    return getattr(import_module(module), name)


def read_settings(words: Iterable[str]) -> Values:
    """Words like `optim.epochs=3`, several in one string or not → checked values; `UserError` names what is wrong."""
    values: Values = {}
    for word in " ".join(words).split():
        name, equals, text = word.partition("=")
        section, dot, field = name.partition(".")
        if not (equals and dot):
            raise UserError(f"--set {word}: write it as section.field=value")
        values.setdefault(section, {})[field] = check_value(section, field, text)
    return values


def only(values: Values, sections: Iterable[str], stage: str) -> Values:
    """The same values; `UserError` when some are not settings of this stage, where they would do nothing."""
    strangers = [f"{section}.{field}" for section in values.keys() - set(sections) for field in values[section]]
    if strangers:
        raise UserError(f"--set {', '.join(sorted(strangers))}: no setting of {stage}, so it would do nothing here")
    return values


def check_value(section: str, field: str, value: Any) -> Any:
    """The value in its field's type, from text or from TOML; `UserError` when the name or the value is wrong."""
    if section not in SECTIONS:
        raise UserError(f"no setting {section}.{field}{_near(f'{section}.{field}')}")
    kinds = get_type_hints(section_class(section))
    if field not in kinds:
        raise UserError(f"no setting {section}.{field}{_near(f'{section}.{field}')}")
    kind = kinds[field]
    try:
        return _convert(value, kind)
    except ValueError:
        raise UserError(f"{section}.{field}={value}: not a {_NAMES[kind]}") from None


def override(settings: Any, values: Mapping[str, Any]) -> Any:
    """A copy of one section's dataclass with some fields replaced."""
    return replace(settings, **values)


_NAMES = {int: "whole number", float: "number", bool: "yes/no value (true or false)", str: "text"}
_YES_NO = {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}


def _convert(value: Any, kind: type) -> Any:
    if kind is bool:
        if str(value).lower() not in _YES_NO:
            raise ValueError
        return _YES_NO[str(value).lower()]
    if isinstance(value, bool) or (kind is int and isinstance(value, float)):
        raise ValueError
    return kind(value)


def _near(name: str) -> str:
    known = [f"{section}.{item.name}" for section in SECTIONS for item in fields(section_class(section))]
    same_field = [other for other in known if other.split(".")[1] == name.split(".")[-1]]
    near = list(dict.fromkeys(same_field + difflib.get_close_matches(name, known, n=3, cutoff=0.5)))
    return f": did you mean {', '.join(near)}?" if near else f": the settings are {', '.join(known)}"
