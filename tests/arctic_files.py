"""Checkpoints as the authors' code writes them, with random weights, built from the names and shapes alone."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import numpy as np

from attend.train.arctic.importing import ArcticFiles

M, D, N, K = 4, 5, 6, 11
OPTIONS: dict[str, Any] = {
    "dim_word": M,
    "ctx_dim": D,
    "dim": N,
    "n_words": K,
    "attn_type": "deterministic",
    "n_layers_att": 2,
    "n_layers_out": 1,
    "n_layers_lstm": 1,
    "n_layers_init": 2,
    "lstm_encoder": False,
    "prev2out": True,
    "ctx2out": True,
    "selector": True,
    "use_dropout": True,
    "use_dropout_lstm": False,
    "alpha_c": 1.0,
    "dataset": "flickr8k",
    "dictionary": None,
    "optimizer": "adam",
}
WORDS = {f"word{number}": number for number in range(2, K)}


def random_arrays(options: dict[str, Any], seed: int = 0) -> dict[str, np.ndarray]:
    """Every array that a model with these options has."""
    n, m, k = options["dim"], options["dim_word"], options["n_words"]
    d = 2 * n if options["lstm_encoder"] else options["ctx_dim"]
    shapes: dict[str, tuple[int, ...]] = {
        "Wemb": (k, m),
        "ff_state_W": (d, n),
        "ff_state_b": (n,),
        "ff_memory_W": (d, n),
        "ff_memory_b": (n,),
        "decoder_W": (m, 4 * n),
        "decoder_U": (n, 4 * n),
        "decoder_b": (4 * n,),
        "decoder_Wc": (d, 4 * n),
        "decoder_Wc_att": (d, d),
        "decoder_b_att": (d,),
        "decoder_Wd_att": (n, d),
        "decoder_U_att": (d, 1),
        "decoder_c_tt": (1,),
        "ff_logit_lstm_W": (n, m),
        "ff_logit_lstm_b": (m,),
        "ff_logit_W": (m, k),
        "ff_logit_b": (k,),
    }
    if options["selector"]:
        shapes |= {"decoder_W_sel": (n, 1), "decoder_b_sel": ()}
    if options["ctx2out"]:
        shapes |= {"ff_logit_ctx_W": (d, m), "ff_logit_ctx_b": (m,)}
    for layer in range(1, options["n_layers_att"]):
        shapes |= {f"decoder_W_att_{layer}": (d, d), f"decoder_b_att_{layer}": (d,)}
    for layer in range(1, options["n_layers_init"]):
        shapes |= {f"ff_init_{layer}_W": (d, d), f"ff_init_{layer}_b": (d,)}
    for layer in range(1, options["n_layers_out"]):
        shapes |= {f"ff_logit_h{layer}_W": (m, m), f"ff_logit_h{layer}_b": (m,)}
    if options["lstm_encoder"]:
        for prefix in ("encoder", "encoder_rev"):
            shapes |= {f"{prefix}_W": (options["ctx_dim"], 4 * n), f"{prefix}_U": (n, 4 * n), f"{prefix}_b": (4 * n,)}
    chance = np.random.default_rng(seed)
    return {name: np.asarray(0.5 * chance.standard_normal(shape), np.float32) for name, shape in shapes.items()}


def write_files(
    folder: Path,
    options: dict[str, Any] = OPTIONS,
    arrays: dict[str, np.ndarray] | None = None,
    words: dict[Any, Any] = WORDS,
) -> ArcticFiles:
    """MODEL.npz with the bookkeeping of their last save, MODEL.npz.pkl, dictionary.pkl."""
    folder.mkdir(parents=True, exist_ok=True)
    arrays = random_arrays(options) if arrays is None else arrays
    history = np.array([[3.5, 3.6], [3.25, 3.3]])
    copies = np.array({"pickled": "copies"}, dtype=object)
    np.savez(folder / "model.npz", history_errs=history, zipped_params=copies, valid_err=history[0], **arrays)
    (folder / "model.npz.pkl").write_bytes(pickle.dumps(options, 2))
    (folder / "dictionary.pkl").write_bytes(pickle.dumps(words, 2))
    return ArcticFiles(folder / "model.npz", folder / "model.npz.pkl", folder / "dictionary.pkl")
