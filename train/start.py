"""Another run as the place to start from: its best weights, with its words and the shape of its model."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from attend.data.manifest import Fingerprint
from attend.errors import UserError
from attend.settings import Values
from attend.train.config import TrainConfig
from attend.train.config_file import read_run_file
from attend.train.models.variants import build_captioner
from attend.train.run import Run, load_run


def like_start(config: TrainConfig, values: Values, folder: Path) -> TrainConfig:
    """The configuration with what the weights of the run in `folder` decide: model (not its dropout) and vocabulary.

    UserError: no such run, or `values`, which somebody asked for, sets one of them otherwise.
    """
    start, _ = read_run_file(folder / "config.toml")
    model = replace(start.model, dropout=values.get("model", {}).get("dropout", start.model.dropout))
    words = replace(config.words, size=start.words.size, min_count=start.words.min_count)
    like = replace(config, model=model, words=words)
    for section, table in values.items():
        for name, value in table.items():
            decided = getattr(getattr(like, section), name)
            if decided != value:
                raise UserError(f"{section}.{name}={value}: START={folder.name} has {decided}; leave the setting out")
    return like


def load_start(folder: Path, variant: str, fingerprint: Fingerprint) -> Run:
    """The run to start from. UserError: its weights are not those of `variant`, or know other features."""
    start = load_run(folder)
    made = start.fingerprint
    for name in ("encoder", "weights_sha256", "preprocessing"):
        then, now = getattr(made, name), getattr(fingerprint, name)
        if then != now:
            raise UserError(f"START={folder.name} was trained on other features ({name}: {then} then, {now} now)")
    shape = build_captioner(variant, start.config.model, start.channels, len(start.vocabulary)).state_dict()
    theirs = start.model.state_dict()
    if {name: value.shape for name, value in shape.items()} != {name: value.shape for name, value in theirs.items()}:
        raise UserError(f"START={folder.name} is VARIANT={start.variant}, whose weights do not fit VARIANT={variant}")
    return start
