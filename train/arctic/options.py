"""The options of the authors' `train()` that decide what a model computes; the others are kept as a record."""

from __future__ import annotations

from dataclasses import MISSING, dataclass, field, fields
from pathlib import Path
from typing import Any

from attend.errors import UserError
from attend.train.arctic.plain_pickle import read_plain_pickle
from attend.train.config import ModelSettings

VARIANTS = {"deterministic": "soft", "stochastic": "hard"}
"""The authors' `attn_type` → the captioner's variant."""

# fmt: off
WITHOUT_EFFECT = (
    "alpha_entropy_c", "RL_sumCost", "semi_sampling_p", "alpha_c", "decay_c", "lrate", "optimizer", "patience",
    "max_epochs", "maxlen", "batch_size", "valid_batch_size", "validFreq", "saveFreq", "sampleFreq", "dispFreq",
    "dataset", "dictionary", "saveto", "reload_", "save_per_epoch",
)
# fmt: on
"""Options of training and of files: a trained model computes the same whatever they say."""


@dataclass(frozen=True)
class Options:
    """Fields are named as in the authors' code, with its defaults where it has one that means "absent"."""

    dim_word: int  # m
    ctx_dim: int  # D of the stored annotations
    dim: int  # n
    n_words: int  # K
    attn_type: str
    n_layers_att: int = 1
    n_layers_out: int = 1
    n_layers_lstm: int = 1
    n_layers_init: int = 1
    lstm_encoder: bool = False
    prev2out: bool = False
    ctx2out: bool = False
    selector: bool = False
    use_dropout: bool = False
    use_dropout_lstm: bool = False
    temperature: float = 1.0
    others: dict[str, Any] = field(default_factory=dict, compare=False)
    """All other options of the file, untouched."""

    @property
    def channels(self) -> int:
        """Channels of the annotations that the decoder sees."""
        return 2 * self.dim if self.lstm_encoder else self.ctx_dim

    @property
    def variant(self) -> str:
        """The captioner that computes the same."""
        return VARIANTS[self.attn_type]

    def model_settings(self) -> ModelSettings:
        """The captioner's settings. The authors' dropout, where it is on, is always 0.5."""
        return ModelSettings(
            units=self.dim,
            embedding=self.dim_word,
            attention_layers=self.n_layers_att,
            init_layers=self.n_layers_init,
            gate=self.selector,
            output_context=self.ctx2out,
            output_previous_word=self.prev2out,
            output_layers=self.n_layers_out,
            annotation_lstm=self.lstm_encoder,
            dropout=0.5 if self.use_dropout else 0.0,
        )

    def to_record(self) -> dict[str, Any]:
        """All options as one table, as the authors' code wants them."""
        own = {item.name: getattr(self, item.name) for item in fields(self) if item.name != "others"}
        return self.others | own


def read_options(path: Path) -> tuple[Options, list[str]]:
    """The options in `MODEL.npz.pkl`, and lines about what is absent or unknown.

    UserError names an option without which the model cannot be built, one of the wrong type, and one that the
    captioner here cannot follow.
    """
    table = read_plain_pickle(path)
    if not isinstance(table, dict):
        raise UserError(f"{path} holds a {type(table).__name__}, not a table of options: give MODEL.npz.pkl")
    values: dict[str, Any] = {}
    absent = []
    for item in fields(Options):
        if item.name == "others":
            continue
        if item.name in table:
            values[item.name] = _checked(path, item.name, table[item.name], str(item.type))
        elif item.default is MISSING:
            raise UserError(f"{path} lacks the option {item.name}: give the options of this very model")
        elif item.name != "temperature":
            absent.append(item.name)
    others = {name: value for name, value in table.items() if name not in values}
    options = Options(**values, others=others)
    _refuse(path, options)
    notes = [f"options absent, taken as off or 1: {', '.join(absent)}"] if absent else []
    if unknown := sorted(str(name) for name in others if name not in WITHOUT_EFFECT):
        notes.append(f"options unknown here, taken to have no effect on a trained model: {', '.join(unknown)}")
    return options, notes


def _checked(path: Path, name: str, value: Any, kind: str) -> Any:
    right = {
        "int": type(value) is int and value >= 1,
        "bool": type(value) is bool or (type(value) is int and value in (0, 1)),
        "str": isinstance(value, str),
        "float": type(value) in (int, float) and value > 0,
    }
    if not right[kind]:
        raise UserError(f"{path}: {name}={value!r} is not what the authors' code takes ({kind})")
    return {"int": int, "bool": bool, "str": str, "float": float}[kind](value)


def _refuse(path: Path, options: Options) -> None:
    if options.attn_type not in VARIANTS:
        raise UserError(f"{path}: attn_type={options.attn_type} is unknown: one of {', '.join(VARIANTS)}")
    if options.n_layers_lstm > 1:
        raise UserError(
            f"{path}: n_layers_lstm={options.n_layers_lstm} is not supported: the captioner has one LSTM, the "
            "authors' stack has attention of its own in every layer"
        )
    if options.n_words < 2:
        raise UserError(f"{path}: n_words={options.n_words} leaves no room for <eos> and UNK")
