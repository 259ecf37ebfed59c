"""The decoder of the paper in float64 NumPy, one caption, one step at a time: the truth that tests compare with.

Written from the equations, row vectors times matrices, with the parameter names of the authors' checkpoints.
"""

from __future__ import annotations

import numpy as np


def sigmoid(x: np.ndarray) -> np.ndarray:
    return 1 / (1 + np.exp(-x))


def softmax(x: np.ndarray) -> np.ndarray:
    shifted = np.exp(x - x.max())
    return shifted / shifted.sum()


def parameters_of(model) -> dict[str, np.ndarray]:
    """The model's weights under the authors' names; matrices become inputs x outputs."""
    n, d = model.settings.units, model.channels

    def of(tensor) -> np.ndarray:
        return tensor.detach().double().numpy().T

    recurrent = of(model.from_hidden.weight)  # (n, 4n + D + 1)
    names = {
        "Wemb": model.embedding.weight.detach().double().numpy(),
        "ff_state_W": of(model.first_state.to_hidden.weight),
        "ff_state_b": of(model.first_state.to_hidden.bias),
        "ff_memory_W": of(model.first_state.to_cell.weight),
        "ff_memory_b": of(model.first_state.to_cell.bias),
        "decoder_U": recurrent[:, : 4 * n],
        "decoder_b": of(model.word_gates.bias),
        "decoder_Wd_att": recurrent[:, 4 * n : 4 * n + d],
        "decoder_W": of(model.word_gates.weight),
        "decoder_Wc": of(model.context_gates.weight),
        "decoder_Wc_att": of(model.attention.key_layers[0].weight),
        "decoder_b_att": of(model.attention.key_layers[0].bias),
        "decoder_U_att": of(model.attention.score.weight),
        "decoder_c_tt": of(model.attention.score.bias),
        "ff_logit_lstm_W": of(model.word_output.from_hidden.weight),
        "ff_logit_lstm_b": of(model.word_output.from_hidden.bias),
        "ff_logit_W": of(model.word_output.to_words.weight),
        "ff_logit_b": of(model.word_output.to_words.bias),
    }
    if model.settings.gate:
        names["decoder_W_sel"] = recurrent[:, 4 * n + d :]
        names["decoder_b_sel"] = of(model.gate_bias)
    if model.settings.output_context:
        names["ff_logit_ctx_W"] = of(model.word_output.from_context.weight)
        names["ff_logit_ctx_b"] = of(model.word_output.from_context.bias)
    for layer in range(1, model.settings.attention_layers):
        names[f"decoder_W_att_{layer}"] = of(model.attention.key_layers[layer].weight)
        names[f"decoder_b_att_{layer}"] = of(model.attention.key_layers[layer].bias)
    for layer in range(1, model.settings.output_layers):
        names[f"ff_logit_h{layer}_W"] = of(model.word_output.hidden_layers[layer - 1].weight)
        names[f"ff_logit_h{layer}_b"] = of(model.word_output.hidden_layers[layer - 1].bias)
    for layer in range(1, model.settings.init_layers):
        names[f"ff_init_{layer}_W"] = of(model.first_state.hidden_layers[3 * (layer - 1)].weight)
        names[f"ff_init_{layer}_b"] = of(model.first_state.hidden_layers[3 * (layer - 1)].bias)
    return names


def read_annotations(p: dict[str, np.ndarray], prefix: str, annotations: np.ndarray) -> np.ndarray:
    """One direction of the authors' annotation LSTM: (L, D) → (L, n). Their code adds the bias twice."""
    n = p[f"{prefix}_U"].shape[0]
    h, c, rows = np.zeros(n), np.zeros(n), []
    for annotation in annotations:
        total = annotation @ p[f"{prefix}_W"] + p[f"{prefix}_b"] + h @ p[f"{prefix}_U"] + p[f"{prefix}_b"]
        i, f, o, g = total[:n], total[n : 2 * n], total[2 * n : 3 * n], total[3 * n :]
        c = sigmoid(f) * c + sigmoid(i) * np.tanh(g)
        h = sigmoid(o) * np.tanh(c)
        rows.append(h)
    return np.stack(rows)


def decode(
    p: dict[str, np.ndarray],
    annotations: np.ndarray,
    words: list[int],
    previous_in_output: bool = True,
    dropped: float = 1.0,
    dropped_gates: float = 1.0,
    temperature: float = 1.0,
):
    """Annotations (L, D), words (T) → log-probabilities (T, K), attention (T, L), gates (T), at test time.

    `dropped` and `dropped_gates` multiply what the authors' dropout touched: 0.5 where it was on in training.
    """
    n = p["decoder_U"].shape[0]
    if "encoder_W" in p:
        backward = read_annotations(p, "encoder_rev", annotations[::-1])[::-1]
        annotations = np.concatenate([read_annotations(p, "encoder", annotations), backward], axis=1)
    mean = annotations.mean(axis=0)
    layer = 1
    while f"ff_init_{layer}_W" in p:
        mean = dropped * np.maximum(mean @ p[f"ff_init_{layer}_W"] + p[f"ff_init_{layer}_b"], 0)
        layer += 1
    h = np.tanh(mean @ p["ff_state_W"] + p["ff_state_b"])
    c = np.tanh(mean @ p["ff_memory_W"] + p["ff_memory_b"])
    keys = annotations @ p["decoder_Wc_att"] + p["decoder_b_att"]
    layer = 1
    while f"decoder_W_att_{layer}" in p:
        keys = np.tanh(keys @ p[f"decoder_W_att_{layer}"] + p[f"decoder_b_att_{layer}"])
        layer += 1
    rows = []
    previous = np.zeros(p["Wemb"].shape[1])
    for word in words:
        compared = np.tanh(keys + h @ p["decoder_Wd_att"])
        alpha = softmax(temperature * ((compared @ p["decoder_U_att"])[:, 0] + p["decoder_c_tt"]))
        beta = sigmoid(h @ p["decoder_W_sel"][:, 0] + p["decoder_b_sel"]) if "decoder_W_sel" in p else 1.0
        z = beta * (alpha @ annotations)
        total = h @ p["decoder_U"] + previous @ p["decoder_W"] + p["decoder_b"] + z @ p["decoder_Wc"]
        i, f, o = (dropped_gates * total[k * n : (k + 1) * n] for k in range(3))
        c = sigmoid(f) * c + sigmoid(i) * np.tanh(total[3 * n :])
        h = sigmoid(o) * np.tanh(c)
        out = (dropped * h) @ p["ff_logit_lstm_W"] + p["ff_logit_lstm_b"]
        if "ff_logit_ctx_W" in p:
            out = out + z @ p["ff_logit_ctx_W"] + p["ff_logit_ctx_b"]
        if previous_in_output:
            out = out + previous
        out = dropped * np.tanh(out)
        layer = 1
        while f"ff_logit_h{layer}_W" in p:
            out = dropped * np.maximum(out @ p[f"ff_logit_h{layer}_W"] + p[f"ff_logit_h{layer}_b"], 0)
            layer += 1
        logits = out @ p["ff_logit_W"] + p["ff_logit_b"]
        rows.append((np.log(softmax(logits)), alpha, beta))
        previous = p["Wemb"][word]
    log_probs, attention, gates = zip(*rows, strict=True)
    return np.stack(log_probs), np.stack(attention), np.array(gates)
