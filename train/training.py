"""One training run from a store to a run directory: what `attend train` does, without the command line."""

from __future__ import annotations

import platform
from collections.abc import Callable
from dataclasses import dataclass, replace
from importlib.metadata import version
from pathlib import Path
from typing import Any

import torch

from attend.data.atomic import remove_abandoned
from attend.data.store_reader import FeatureStore
from attend.data.vocabulary import Vocabulary
from attend.data.words import join
from attend.device import choose_precision
from attend.errors import UserError
from attend.train.annotations import AnnotationSource
from attend.train.checkpoint import read_checkpoint
from attend.train.config import TrainConfig
from attend.train.config_file import flatten, in_force, read_run_file, write_run_file
from attend.train.examples import Examples, captions_beyond, make_examples, training_captions, training_splits
from attend.train.fit import Fit, FitResult, Validate
from attend.train.models.variants import build_captioner, build_objective, changed_values, refuse_without_effect
from attend.train.ranges import check_ranges
from attend.train.run import make_record
from attend.train.start import load_start
from attend.train.stopping import Position

MAY_CHANGE = (
    "optim.epochs",
    "optim.patience",
    "optim.save_minutes",
    "optim.learning_rate",
    "optim.clip_norm",
    "batches.cache_share",
)
"""Settings that a resumed run may change: how long it goes on, and how to get past a loss that is no number."""

MakeValidate = Callable[[FeatureStore, TrainConfig, Vocabulary, torch.device], Validate]


@dataclass(frozen=True)
class Request:
    """What to train, on what, and where the run goes."""

    store: Path
    dataset: str
    variant: str
    folder: Path
    config: TrainConfig
    device: torch.device
    resume: bool
    start: Path | None = None
    """A run whose best weights this one begins with."""


def train(request: Request, make_validate: MakeValidate, say: Callable[[str], None]) -> FitResult:
    """Train, or go on, or find that there is nothing left to do. `UserError` on any mistake in what was asked for."""
    check_ranges(request.config)
    request = _settle_precision(request)
    config, folder = request.config, request.folder
    refuse_without_effect(request.variant, changed_values(config))
    objective = build_objective(request.variant, config)
    store = FeatureStore(request.store)
    splits = training_splits(store.items, config.words.restval)
    captions = training_captions(store.items, splits, config.words.captions)
    start = load_start(request.start, request.variant, store.manifest.fingerprint) if request.start else None
    if start:
        vocabulary = start.vocabulary
    else:
        vocabulary = Vocabulary.build([join(words) for _, words in captions], config.words.size, config.words.min_count)
    record = make_record(
        request.dataset, request.variant, store.folder, store.manifest, vocabulary, versions(request.device), start
    )
    resuming = _check_folder(request, record)
    if resuming:
        position = Position(**read_checkpoint(folder / "last.pt")["position"])
        reason = position.reason_to_stop(config.optim)
        if reason and position.validated == position.step:
            say(f"{folder} is already trained: {reason}; best validation BLEU-4 {position.best:.2f}")
            return FitResult(position, reason, finished=True)
    examples = make_examples(captions, vocabulary, config.words.longest)
    source = AnnotationSource(store, examples.image_ids, config.batches.cache_share)
    torch.manual_seed(config.optim.seed)
    model = build_captioner(request.variant, config.model, store.channels, len(vocabulary))
    if start:
        model.load_state_dict(start.model.state_dict())
    folder.mkdir(parents=True, exist_ok=True)
    remove_abandoned(folder)
    write_run_file(folder / "config.toml", config, record)
    vocabulary.save(folder / "vocabulary.json")
    say("\n".join(describe(request, store, vocabulary, examples, source)))
    validate = make_validate(store, config, vocabulary, request.device)
    fit = Fit(
        model,
        objective,
        config,
        examples,
        source,
        validate,
        folder,
        request.device,
        config.optim.precision,
        versions(request.device),
    )
    if resuming:
        fit.resume()
        say(f"going on at epoch {fit.position.epoch + 1}, mini-batch {fit.position.batch + 1}")
    result = fit.run()
    say(f"{folder}: {result.reason}; best validation BLEU-4 {result.position.best:.2f}")
    return result


def versions(device: torch.device) -> dict[str, str]:
    """Versions that a result depends on, for the run's record."""
    names = ("show-attend-tell", "torch", "numpy", "h5py")
    hardware = torch.cuda.get_device_name(device) if device.type == "cuda" else platform.machine()
    return {"python": platform.python_version(), **{name: version(name) for name in names}, "hardware": hardware}


def describe(
    request: Request,
    store: FeatureStore,
    vocabulary: Vocabulary,
    examples: Examples,
    source: AnnotationSource,
) -> list[str]:
    """The settings in force and what was found, as lines to print."""
    config = request.config
    where = "kept in memory" if source.cached else "read from the store each time: they do not fit in memory"
    lines = [
        f"{len(source.image_ids)} training photos, {len(examples.words)} captions, {len(vocabulary)} words",
        f"{examples.unknown:.2%} of the captions' words are unknown",
        f"{request.device}, {config.optim.precision}",
        f"annotations {store.places}x{store.channels}, {source.bytes / 2**30:.2f} GiB, {where}",
    ]
    if examples.cut:
        lines.append(f"{examples.cut} captions longer than words.longest={config.words.longest} words were cut")
    splits, most = training_splits(store.items, config.words.restval), config.words.captions
    beyond = captions_beyond(store.items, splits, most)
    if beyond:
        lines.append(f"{beyond} captions beyond the first words.captions={most} of their photos are left out")
    if store.missing:
        lines.append(f"{len(store.missing)} photos have no features and are left out: run `make features`")
    return lines + [f"{name} = {value}" for name, value in in_force(config, request.variant).items()]


def _settle_precision(request: Request) -> Request:
    """`auto` becomes what it means here, or, for a run that goes on, what it meant when the run began."""
    precision = request.config.optim.precision
    settings = request.folder / "config.toml"
    if precision == "auto" and request.resume and settings.exists():
        precision = read_run_file(settings)[0].optim.precision
    optim = replace(request.config.optim, precision=choose_precision(precision, request.device))
    return replace(request, config=replace(request.config, optim=optim))


def _check_folder(request: Request, record: dict[str, Any]) -> bool:
    """True when an earlier start is to be continued. `UserError` when the folder holds something that does not fit."""
    folder = request.folder
    if not (folder / "last.pt").exists():
        if (folder / "best.pt").exists():
            raise UserError(f"{folder} has best.pt but no last.pt to go on from: RUN=name starts another run")
        return False
    if not request.resume:
        raise UserError(f"{folder} exists: RESUME=1 goes on with it, RUN=name starts another, or delete the folder")
    old_config, old_record = read_run_file(folder / "config.toml")
    old, new = flatten(old_config), flatten(request.config)
    differing = [
        f"{name}: {old[name]} then, {new[name]} now"
        for name in new
        if old[name] != new[name] and name not in MAY_CHANGE
    ]
    for table in ("run", "store"):
        differing += [
            f"{table}.{name}: {old_record.get(table, {}).get(name)} then, {value} now"
            for name, value in record[table].items()
            if name not in ("folder", "weights", "weights_file") and old_record.get(table, {}).get(name) != value
        ]
    if differing:
        raise UserError(f"{folder} was started otherwise ({'; '.join(differing)}): start another with RUN=name")
    return True
