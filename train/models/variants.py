"""The registry of captioners: a new system is a file here, an entry in `VARIANTS`, a preset."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, fields
from typing import Any

from torch import nn

from attend.errors import UserError
from attend.settings import Values
from attend.train.config import ModelSettings, TrainConfig
from attend.train.hard_settings import HardSettings
from attend.train.losses.hard_objective import HardObjective
from attend.train.losses.objective import Objective, SoftObjective, WordsObjective
from attend.train.models.attention_lstm import AttentionLSTM
from attend.train.models.equal_weights import MeanLSTM, UniformLSTM
from attend.train.models.hard_attention import HardAttentionLSTM
from attend.train.models.image_first import ImageFirstLSTM

HARD_ONLY = frozenset({"search.context", *(f"hard.{item.name}" for item in fields(HardSettings))})
ATTENTION_ONLY = frozenset({"model.attention_layers", "loss.doubly_stochastic"})
CONTEXT_ONLY = frozenset({"model.gate", "model.output_context", "model.init_layers", "model.annotation_lstm"})


@dataclass(frozen=True)
class Variant:
    """One captioner: how it is made, what it minimises, and what of the settings is not for it."""

    build: Callable[[ModelSettings, int, int], nn.Module]
    """From (settings, channels D, words K)."""
    objective: Callable[[TrainConfig], Objective]
    without_effect: frozenset[str]
    """Settings (`section.field`) that change nothing here; whoever sets one is told so."""
    starts_from: Values = field(default_factory=dict)
    """Settings that differ from the general ones wherever this variant is trained."""


VARIANTS: dict[str, Variant] = {
    "soft": Variant(AttentionLSTM, SoftObjective, HARD_ONLY),
    # paper: the doubly stochastic penalty belongs to soft attention (section 4.2.1)
    "hard": Variant(HardAttentionLSTM, HardObjective, frozenset(), {"loss": {"doubly_stochastic": 0.0}}),
    "uniform": Variant(UniformLSTM, WordsObjective, HARD_ONLY | ATTENTION_ONLY),
    "mean": Variant(MeanLSTM, WordsObjective, HARD_ONLY | ATTENTION_ONLY | {"model.gate"}),
    "nic": Variant(ImageFirstLSTM, WordsObjective, HARD_ONLY | ATTENTION_ONLY | CONTEXT_ONLY | {"model.output_layers"}),
}


def find_variant(name: str) -> Variant:
    """The variant of that name; `UserError` lists the names when it is unknown."""
    if name not in VARIANTS:
        raise UserError(f"VARIANT={name} is unknown: one of {', '.join(VARIANTS)}")
    return VARIANTS[name]


def build_captioner(variant: str, settings: ModelSettings, channels: int, words: int) -> nn.Module:
    """A fresh captioner of the named variant."""
    return find_variant(variant).build(settings, channels, words)


def build_objective(variant: str, config: TrainConfig) -> Objective:
    """What the named variant minimises."""
    return find_variant(variant).objective(config)


def refuse_without_effect(variant: str, values: Values) -> None:
    """UserError names every setting of `values` that changes nothing in the variant."""
    idle = find_variant(variant).without_effect
    named = [f"{section}.{name}" for section, table in values.items() for name in table]
    if found := [name for name in named if name in idle]:
        raise UserError(f"{', '.join(found)}: no effect with VARIANT={variant}, leave it out")


def changed_values(config: TrainConfig) -> Values:
    """The settings of a configuration that are not the general defaults."""
    plain = TrainConfig()

    def differing(section: str) -> dict[str, Any]:
        mine, default = getattr(config, section), getattr(plain, section)
        names = [item.name for item in fields(mine)]
        return {name: getattr(mine, name) for name in names if getattr(mine, name) != getattr(default, name)}

    return {section.name: differing(section.name) for section in fields(config)}
