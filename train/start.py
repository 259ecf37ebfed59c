"""Another run as the place to start from: its best weights, with its words and the shape of its model."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, replace
from pathlib import Path

from attend.data.manifest import Fingerprint
from attend.errors import UserError
from attend.settings import Values
from attend.train.config import TrainConfig
from attend.train.config_file import override_config, read_run_file
from attend.train.models.variants import build_captioner
from attend.train.run import Run, load_run


@dataclass(frozen=True)
class Start:
    """Where a training begins: `folder` is the run that has its model and its words.

    `record` is None where the weights are to be loaded from there. A run that goes on is its own `folder`, nothing is
    loaded, and `record` is what its `config.toml` says about the run it once began with, which may be gone.
    """

    folder: Path
    record: dict[str, str] | None = None


def find_start(folder: Path, asked: Path | None, resume: bool) -> Start | None:
    """The start of the run in `folder`, which is to begin with the run `asked`; None: random weights.

    UserError: it goes on, and began otherwise.
    """
    settings = folder / "config.toml"
    recorded = read_run_file(settings)[1].get("start") if resume and settings.exists() else None
    if not resume or not (folder / "last.pt").exists():
        asked = asked or (Path(recorded["folder"]) if recorded else None)
        return Start(asked) if asked else None
    if asked and not (recorded and _is_recorded(asked, recorded)):
        began = recorded["folder"] if recorded else "no other run"
        raise UserError(f"{folder} began with {began}, not with START={asked}: leave START out")
    return Start(folder, recorded) if recorded else None


def _is_recorded(asked: Path, recorded: dict[str, str]) -> bool:
    """Whether a run is the recorded one, or a copy of it with the same weights."""
    if asked.resolve() == Path(recorded["folder"]).resolve():
        return True
    best = asked / "best.pt"
    return best.is_file() and hashlib.sha256(best.read_bytes()).hexdigest() == recorded["best_sha256"]


def like_start(config: TrainConfig, values: Values, start: Start) -> TrainConfig:
    """The configuration with what the weights of a start decide: model (not its dropout) and vocabulary.

    UserError: no such run, or `values`, which somebody asked for, sets one of them otherwise. Where the run goes on, it
    is for `check_folder` to refuse those.
    """
    like = _like(config, values, start.folder)
    return override_config(like, values) if start.record else _unchanged(like, values, start.folder)


def _like(config: TrainConfig, values: Values, folder: Path) -> TrainConfig:
    start, _ = read_run_file(folder / "config.toml")
    model = replace(start.model, dropout=values.get("model", {}).get("dropout", start.model.dropout))
    words = replace(config.words, size=start.words.size, min_count=start.words.min_count)
    return replace(config, model=model, words=words)


def _unchanged(like: TrainConfig, values: Values, folder: Path) -> TrainConfig:
    for section, table in values.items():
        for name, value in table.items():
            decided = getattr(getattr(like, section), name)
            if decided != value:
                raise UserError(f"{section}.{name}={value}: START={folder.name} has {decided}; leave the setting out")
    return like


def as_record(start: Run) -> dict[str, str]:
    """The table `start` of the run that begins with this one."""
    return {"folder": str(start.folder.absolute()), "best_sha256": start.checkpoint_sha256}


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
