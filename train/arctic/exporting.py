"""From a run to the authors' three files."""

from __future__ import annotations

import pickle
from dataclasses import replace
from pathlib import Path
from typing import Any

from attend.data.atomic import write_atomically
from attend.errors import UserError
from attend.train.arctic.arrays import write_arrays
from attend.train.arctic.dictionary import to_dictionary
from attend.train.arctic.importing import ArcticFiles
from attend.train.arctic.options import VARIANTS, Options
from attend.train.arctic.parameters import parameters, to_arrays
from attend.train.run import Run

PROTOCOL = 2
"""The newest pickle protocol that Python 2 reads."""


def export_run(run: Run, files: ArcticFiles) -> list[str]:
    """Write the three files; returns lines to say.

    UserError: a file is there already, or the run holds something that the authors' model has no place for.
    """
    paths = (files.model, files.options, files.dictionary)
    if there := [path for path in paths if path.exists()]:
        raise UserError(f"{there[0]} exists: choose another name, or delete it")
    if run.variant not in VARIANTS.values():
        names = " and ".join(VARIANTS.values())
        raise UserError(f"{run.folder} is a run of the variant {run.variant}: the authors' code has {names}")
    arctic = run.record.get("arctic", {})
    options = options_of(run, arctic.get("options", {}))
    table = parameters(options)
    weights = run.model.state_dict()
    if strange := sorted(set(weights) ^ {entry.key for entry in table}):
        raise UserError(f"{run.folder}: {', '.join(strange)} has no counterpart in the authors' model")
    dictionary = to_dictionary(run.vocabulary)
    write_arrays(files.model, to_arrays(weights, table), arctic.get("history_errs", []))
    _write_pickle(files.options, options.to_record())
    _write_pickle(files.dictionary, dictionary)
    dropout = run.config.model.dropout
    return [f"model.dropout={dropout:g} becomes use_dropout, which is 0.5 there"] if dropout not in (0, 0.5) else []


def options_of(run: Run, recorded: dict[str, Any]) -> Options:
    """The authors' options of a run; `recorded` are those it was imported with.

    A temperature that the import multiplied into the weights stays there, so the option is 1.
    """
    model = run.config.model
    own = Options(
        dim_word=model.embedding,
        ctx_dim=run.channels,
        dim=model.units,
        n_words=len(run.vocabulary),
        attn_type={variant: name for name, variant in VARIANTS.items()}[run.variant],
        n_layers_att=model.attention_layers,
        n_layers_out=model.output_layers,
        n_layers_init=model.init_layers,
        lstm_encoder=model.annotation_lstm,
        prev2out=model.output_previous_word,
        ctx2out=model.output_context,
        selector=model.gate,
        use_dropout=model.dropout > 0,
        use_dropout_lstm=bool(recorded.get("use_dropout_lstm", False)),
    )
    names = own.to_record()
    others = {"dataset": run.dataset} | {name: value for name, value in recorded.items() if name not in names}
    return replace(own, others=others)


def _write_pickle(path: Path, content: dict[str, Any]) -> None:
    write_atomically(path, pickle.dumps(content, PROTOCOL))
