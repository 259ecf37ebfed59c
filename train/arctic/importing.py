"""From the authors' three files to a run directory."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from attend.data.manifest import Fingerprint, Manifest
from attend.errors import UserError
from attend.train.arctic.arrays import read_arrays
from attend.train.arctic.dictionary import read_dictionary
from attend.train.arctic.options import Options, read_options
from attend.train.arctic.parameters import parameters, to_weights
from attend.train.checkpoint import write_checkpoint
from attend.train.config_file import read_preset, write_run_file
from attend.train.models.variants import build_captioner
from attend.train.record import make_record


@dataclass(frozen=True)
class ArcticFiles:
    """What the authors' training leaves: weights, options, and the dataset's dictionary."""

    model: Path
    options: Path
    dictionary: Path


@dataclass(frozen=True)
class Features:
    """The feature store that the run is to be used with."""

    folder: Path
    manifest: Manifest


def import_run(
    files: ArcticFiles, folder: Path, features: Features | None, unknown: Fingerprint, versions: dict[str, str]
) -> list[str]:
    """Write the run directory; returns lines to say. UserError for whatever does not fit, and then nothing is written.

    Without `features` the run is recorded as made on `unknown` ones, on a grid of 14 × 14 (the authors').
    """
    if (folder / "config.toml").exists():
        raise UserError(f"{folder} is a run already: choose another --out, or delete it")
    options, notes = read_options(files.options)
    table = parameters(options)
    vocabulary, about_words = read_dictionary(files.dictionary, options.n_words)
    arrays, history, about_arrays = read_arrays(files.model, table)
    authors = read_preset("arctic", options.variant)
    words = replace(authors.words, size=options.n_words)
    config = replace(authors, words=words, model=options.model_settings())
    model = build_captioner(options.variant, config.model, options.ctx_dim, options.n_words)
    model.load_state_dict(to_weights(arrays, table))
    used = features or _unknown_features(options, unknown)
    if used.manifest.channels != options.ctx_dim:
        raise UserError(
            f"{used.folder} has annotations of {used.manifest.channels} channels, the model wants {options.ctx_dim}: "
            "give the store of its encoder"
        )
    record = make_record(used.manifest.dataset, options.variant, used.folder, used.manifest, {}, vocabulary, versions)
    record |= {"arctic": {"options": _toml(options.to_record()), "history_errs": history}}
    folder.mkdir(parents=True, exist_ok=True)
    write_checkpoint(folder / "best.pt", {"model": model.state_dict(), "step": 0})
    vocabulary.save(folder / "vocabulary.json")
    write_run_file(folder / "config.toml", config, record)
    return notes + about_words + about_arrays + _folded(options)


def _unknown_features(options: Options, unknown: Fingerprint) -> Features:
    dataset = options.others.get("dataset")
    manifest = Manifest(str(dataset or "unknown"), (14, 14), options.ctx_dim, "none", unknown, {}, "")
    return Features(Path("unknown"), manifest)


def _folded(options: Options) -> list[str]:
    """What the weights took over that training here would not repeat."""
    lines = []
    if options.use_dropout_lstm:
        lines.append("use_dropout_lstm: its factor 0.5 is in the weights; there is no dropout on the LSTM's gates here")
    if options.attn_type == "stochastic" and options.temperature != 1:
        lines.append(f"temperature {options.temperature:g}: multiplied into decoder_U_att and decoder_c_tt")
    return lines


def _toml(value: Any) -> Any:
    """Plain data as TOML has it: no None, no tuples, text for keys."""
    if isinstance(value, dict):
        return {str(name): _toml(entry) for name, entry in value.items() if entry is not None}
    if isinstance(value, list | tuple | set | frozenset):
        return [_toml(entry) for entry in value if entry is not None]
    return value
