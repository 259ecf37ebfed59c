"""One training run from a store to a run directory: what `attend train` does, without the command line."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import torch

from attend.data.atomic import remove_abandoned
from attend.data.store_reader import FeatureStore
from attend.data.vocabulary import Vocabulary
from attend.data.words import join
from attend.device import choose_precision
from attend.errors import UserError
from attend.train import ranks
from attend.train.annotations import AnnotationSource
from attend.train.checkpoint import read_checkpoint
from attend.train.config import TrainConfig
from attend.train.config_file import in_force, read_run_file, write_run_file
from attend.train.examples import Examples, captions_beyond, make_examples, training_captions, training_splits
from attend.train.fit import Fit, FitResult
from attend.train.models.variants import build_captioner, build_objective, changed_values, refuse_without_effect
from attend.train.ranges import check_ranges
from attend.train.record import identities, make_record, versions
from attend.train.repeating import how_to_repeat
from attend.train.run import Run
from attend.train.run_lock import locked
from attend.train.same_run import check_folder, check_repeats
from attend.train.search_settings import check_search
from attend.train.start import as_record, find_start, load_start
from attend.train.stopping import Position
from attend.train.validating import Validate

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
    """A run whose best weights this one begins with. A run that goes on keeps its own: None, or the same."""
    repeats: dict[str, Any] | None = None
    """The record of the run that this one is to repeat: on other features or captions it is refused."""


def train(request: Request, make_validate: MakeValidate, say: Callable[[str], None]) -> FitResult:
    """Train, or go on, or find that there is nothing left to do. `UserError` on any mistake in what was asked for.

    Every process of a training calls this; the first one alone writes files and speaks.
    """
    check_config(request.variant, request.config)
    with ranks.joined(request.device, request.folder):
        return _train(request, make_validate, say if ranks.first() else lambda line: None)


def check_config(variant: str, config: TrainConfig) -> None:
    """UserError: a setting that is out of its range, means nothing, or has no effect in the variant."""
    check_ranges(config)
    check_search(config.search)
    refuse_without_effect(variant, changed_values(config))


def _train(request: Request, make_validate: MakeValidate, say: Callable[[str], None]) -> FitResult:
    request = _settle_precision(request)
    config, folder, device = request.config, request.folder, request.device
    store = FeatureStore(request.store)
    if not store.manifest.images:
        raise UserError(f"{request.store} has no finished shard yet: wait for `make features`, or run it again")
    splits = training_splits(store.items, config.words.restval)
    captions = training_captions(store.items, splits, config.words.captions)
    vocabulary, start, begun = _words_and_start(request, store, captions)
    found = identities(store, captions)
    made_with = versions(device)
    record = make_record(
        request.dataset, request.variant, store.folder, store.manifest, found, vocabulary, made_with, begun
    )
    if request.repeats is not None:
        check_repeats(request.repeats, record)
    # Whatever can be refused is refused before the run directory is made.
    examples = make_examples(captions, vocabulary, config.words.longest)
    objective = build_objective(request.variant, config)
    source = AnnotationSource(store, examples.image_ids, config.batches.cache_share, device, ranks.local_world())
    validate = make_validate(store, config, vocabulary, device)
    with locked(folder) if ranks.first() else nullcontext():
        resuming = ranks.of_first(ranks.first() and check_folder(folder, config, record, request.resume))
        if resuming:
            position = Position(**read_checkpoint(folder / "last.pt")["position"])
            reason = position.reason_to_stop(config.optim)
            if reason and position.validated == position.step:
                say(f"{folder} is already trained: {reason}; {position.told()}")
                return FitResult(position, reason, finished=True)
        elif any((folder / name).exists() for name in ("config.toml", "log.jsonl")):
            say(f"no checkpoint yet in {folder}: begins again")
        torch.manual_seed(config.optim.seed)
        model = build_captioner(request.variant, config.model, store.channels, len(vocabulary))
        if start:
            model.load_state_dict(start.model.state_dict())
        if ranks.first():
            remove_abandoned(folder)
            write_run_file(folder / "config.toml", config, record, how_to_repeat(folder, request.store, device))
            vocabulary.save(folder / "vocabulary.json")
        say("\n".join(describe(request, store, vocabulary, examples, source)))
        precision = config.optim.precision
        fit = Fit(model, objective, config, examples, source, validate, folder, device, precision, made_with)
        if resuming:
            fit.resume()
            say(f"going on at epoch {fit.position.epoch + 1}, mini-batch {fit.position.batch + 1}")
        result = fit.run()
    say(f"{folder}: {result.reason}; {result.position.told()}")
    return result


def _words_and_start(
    request: Request, store: FeatureStore, captions: list[tuple[str, list[str]]]
) -> tuple[Vocabulary, Run | None, dict[str, Any] | None]:
    """The vocabulary, the run whose weights the first step takes, and what is recorded of it."""
    begins = find_start(request.folder, request.start, request.resume)
    if begins and begins.record:
        return Vocabulary.load(request.folder / "vocabulary.json"), None, begins.record
    if begins:
        start = load_start(begins.folder, request.variant, store.manifest.fingerprint)
        return start.vocabulary, start, as_record(start)
    words = request.config.words
    return Vocabulary.build([join(each) for _, each in captions], words.size, words.min_count), None, None


def describe(
    request: Request,
    store: FeatureStore,
    vocabulary: Vocabulary,
    examples: Examples,
    source: AnnotationSource,
) -> list[str]:
    """The settings in force and what was found, as lines to print."""
    config = request.config
    kept = "kept on the GPU" if source.where and source.where.type == "cuda" else "kept in memory"
    where = kept if source.cached else "read from the store each time: they do not fit in memory"
    lines = [
        f"{len(source.image_ids)} training photos, {len(examples.words)} captions, {len(vocabulary)} words",
        f"{examples.unknown:.2%} of the captions' words are unknown",
        f"{request.device}, {config.optim.precision}, processes: {ranks.world()}",
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
    precision = ranks.of_first(choose_precision(precision, request.device))
    optim = replace(request.config.optim, precision=precision)
    return replace(request, config=replace(request.config, optim=optim))
