"""Which values a setting may have: checked before any work."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

from attend.errors import UserError
from attend.train.config import TrainConfig
from attend.train.config_file import flatten


@dataclass(frozen=True)
class Range:
    """A test of a value and what it wants, in words."""

    holds: Callable[[float], bool]
    wants: str


AT_LEAST_0 = Range(lambda value: value >= 0, "at least 0")
AT_LEAST_1 = Range(lambda value: value >= 1, "at least 1")
POSITIVE = Range(lambda value: value > 0, "more than 0")
BELOW_1 = Range(lambda value: 0 <= value < 1, "at least 0 and below 1")
SHARE = Range(lambda value: 0 <= value <= 1, "0 to 1")
SOME_SHARE = Range(lambda value: 0 < value <= 1, "more than 0 and at most 1")

RANGES = {
    "words.size": Range(lambda value: value >= 3, "at least 3: the end word, the unknown word and one more"),
    "words.captions": AT_LEAST_0,
    "words.min_count": AT_LEAST_1,
    "words.longest": AT_LEAST_1,
    "model.units": AT_LEAST_1,
    "model.embedding": AT_LEAST_1,
    "model.attention_layers": AT_LEAST_1,
    "model.init_layers": AT_LEAST_1,
    "model.output_layers": AT_LEAST_1,
    "model.dropout": BELOW_1,
    "loss.doubly_stochastic": AT_LEAST_0,
    "hard.samples": AT_LEAST_1,
    "hard.expected_share": SHARE,
    "hard.reward_weight": AT_LEAST_0,
    "hard.entropy_weight": AT_LEAST_0,
    "batches.size": AT_LEAST_1,
    "batches.cache_share": SHARE,
    "optim.learning_rate": POSITIVE,
    "optim.weight_decay": AT_LEAST_0,
    "optim.clip_norm": AT_LEAST_0,
    "optim.label_smoothing": BELOW_1,
    "optim.scheduled_sampling": SHARE,
    "optim.averaging": BELOW_1,
    "optim.warmup_steps": AT_LEAST_0,
    "optim.decay_every": AT_LEAST_0,
    "optim.decay_factor": POSITIVE,
    "optim.epochs": AT_LEAST_1,
    "optim.patience": AT_LEAST_1,
    "optim.seed": AT_LEAST_0,
    "optim.save_minutes": POSITIVE,
    "search.beam": AT_LEAST_1,
    "search.length_normalisation": AT_LEAST_0,
    "search.longest": AT_LEAST_1,
    "search.shortest": AT_LEAST_0,
    "search.no_repeat": AT_LEAST_0,
    "search.groups": AT_LEAST_1,
    "search.diversity": AT_LEAST_0,
    "search.temperature": POSITIVE,
    "search.top_k": AT_LEAST_0,
    "search.top_p": SOME_SHARE,
    "search.seed": AT_LEAST_0,
    "validation.every": POSITIVE,
    "validation.images": AT_LEAST_0,
    "validation.pictures": AT_LEAST_0,
}
"""Every numeric setting. Names (algorithm, order, precision, split) are checked by what they name."""


def check_ranges(config: TrainConfig) -> None:
    """`UserError` names the first setting that is out of its range, or no number at all."""
    values = flatten(config)
    for name, allowed in RANGES.items():
        if not math.isfinite(values[name]) or not allowed.holds(values[name]):
            raise UserError(f"{name}={values[name]} is out of range: {allowed.wants}")
