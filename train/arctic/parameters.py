"""The authors' arrays and the captioner's weights: one table, read in both directions.

Their row vectors stand before the matrices (x W), torch's layers hold Wᵀ. What their code scales at test time is
folded into the weights behind it: dropout there is not inverted, so what it touched is multiplied by 0.5, which a
weight takes over exactly.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from attend.train.arctic.options import Options


@dataclass(frozen=True, eq=False)
class Parameter:
    """One array: ours = scale · theirs, transposed. Arrays with the same `key` are stacked in the table's order."""

    name: str
    shape: tuple[int, ...]
    key: str
    """The name in the captioner's state dict."""
    scale: float | np.ndarray = 1.0
    """A number, or one for each column."""
    transposed: bool = True


def parameters(options: Options) -> list[Parameter]:
    """Every array that a model with these options has."""
    n, m, d, k = options.dim, options.dim_word, options.channels, options.n_words
    dropped = 0.5 if options.use_dropout else 1.0
    gates = np.ones(4 * n, np.float32)  # columns in the order i, f, o, g
    if options.use_dropout_lstm:
        gates[: 3 * n] = 0.5
    sharpness = options.temperature if options.attn_type == "stochastic" else 1.0
    table = [Parameter("Wemb", (k, m), "embedding.weight", transposed=False)]
    if options.lstm_encoder:
        for number, prefix in enumerate(("encoder", "encoder_rev")):
            table += [
                Parameter(f"{prefix}_W", (options.ctx_dim, 4 * n), f"annotation_lstm.from_annotation.{number}.weight"),
                # Their code adds this bias twice.
                Parameter(f"{prefix}_b", (4 * n,), f"annotation_lstm.from_annotation.{number}.bias", 2.0),
                Parameter(f"{prefix}_U", (n, 4 * n), f"annotation_lstm.from_hidden.{number}.weight"),
            ]
    for layer in range(1, options.n_layers_init):
        hidden = f"first_state.hidden_layers.{3 * (layer - 1)}"
        table += _affine(f"ff_init_{layer}", hidden, d, d, dropped if layer > 1 else 1.0)
    before_state = dropped if options.n_layers_init > 1 else 1.0
    table += _affine("ff_state", "first_state.to_hidden", d, n, before_state)
    table += _affine("ff_memory", "first_state.to_cell", d, n, before_state)
    table += [
        Parameter("decoder_W", (m, 4 * n), "word_gates.weight", gates),
        Parameter("decoder_b", (4 * n,), "word_gates.bias", gates),
        Parameter("decoder_Wc", (d, 4 * n), "context_gates.weight", gates),
        Parameter("decoder_U", (n, 4 * n), "from_hidden.weight", gates),
        Parameter("decoder_Wd_att", (n, d), "from_hidden.weight"),
    ]
    if options.selector:
        table += [
            Parameter("decoder_W_sel", (n, 1), "from_hidden.weight"),
            Parameter("decoder_b_sel", (), "gate_bias"),
        ]
    table += [
        Parameter("decoder_Wc_att", (d, d), "attention.key_layers.0.weight"),
        Parameter("decoder_b_att", (d,), "attention.key_layers.0.bias"),
        Parameter("decoder_U_att", (d, 1), "attention.score.weight", sharpness),
        Parameter("decoder_c_tt", (1,), "attention.score.bias", sharpness),
    ]
    for layer in range(1, options.n_layers_att):
        table += [
            Parameter(f"decoder_W_att_{layer}", (d, d), f"attention.key_layers.{layer}.weight"),
            Parameter(f"decoder_b_att_{layer}", (d,), f"attention.key_layers.{layer}.bias"),
        ]
    table += _affine("ff_logit_lstm", "word_output.from_hidden", n, m, dropped)
    if options.ctx2out:
        table += _affine("ff_logit_ctx", "word_output.from_context", d, m)
    for layer in range(1, options.n_layers_out):
        table += _affine(f"ff_logit_h{layer}", f"word_output.hidden_layers.{layer - 1}", m, m, dropped)
    return table + _affine("ff_logit", "word_output.to_words", m, k, dropped)


def _affine(prefix: str, key: str, inputs: int, outputs: int, scale: float = 1.0) -> list[Parameter]:
    """x W + b, where x is what dropout touched if `scale` is 0.5."""
    weight = Parameter(f"{prefix}_W", (inputs, outputs), f"{key}.weight", scale)
    return [weight, Parameter(f"{prefix}_b", (outputs,), f"{key}.bias")]


def to_weights(arrays: Mapping[str, np.ndarray], table: list[Parameter]) -> dict[str, Tensor]:
    """The authors' arrays → a state dict, float32."""
    pieces: dict[str, list[np.ndarray]] = defaultdict(list)
    for entry in table:
        scaled = arrays[entry.name] * np.asarray(entry.scale, np.float32)
        pieces[entry.key].append(scaled.T if entry.transposed else scaled)
    return {
        key: torch.from_numpy(np.array(np.concatenate(parts) if len(parts) > 1 else parts[0], np.float32, order="C"))
        for key, parts in pieces.items()
    }


def to_arrays(weights: Mapping[str, Tensor], table: list[Parameter]) -> dict[str, np.ndarray]:
    """A state dict → the authors' arrays, float32: the inverse of `to_weights`."""
    taken: dict[str, int] = defaultdict(int)
    arrays = {}
    for entry in table:
        part = weights[entry.key].detach().cpu().float().numpy()
        if part.ndim:
            start = taken[entry.key]
            taken[entry.key] = stop = start + entry.shape[-1 if entry.transposed else 0]
            part = part[start:stop]
        theirs = (part.T if entry.transposed else part) / np.asarray(entry.scale, np.float32)
        arrays[entry.name] = np.array(theirs, np.float32, order="C")
    return arrays
