"""Beam search as the common tutorials write it, for the weights of an `AttentionLSTM`: the peer of bench/decode.py.

One photo at a time. The annotations are copied for every caption in progress, at each step the keys of attention are
projected again from them, and words, state, totals and alphas are picked into new arrays. The network is ours: the same
function of the same weights, so that the captions can be compared.
"""

from __future__ import annotations

import torch
from torch import Tensor
from torch.nn.functional import linear

from attend.data.vocabulary import END
from attend.train.models.attention_lstm import AttentionLSTM
from attend.train.models.interface import NO_WORD
from attend.train.models.lstm_step import lstm_step
from attend.train.models.words_in import embed_words


@torch.no_grad()
def peer_caption(model: AttentionLSTM, annotations: Tensor, beam: int, longest: int) -> tuple[float, list[int]]:
    """log p and words of the best caption of one photo, annotations (L, D)."""
    annotations = annotations.unsqueeze(0).expand(beam, -1, -1).clone()  # (S, L, D), S captions in progress
    words = torch.full((beam, 1), NO_WORD, device=annotations.device)
    totals = torch.zeros((beam, 1), device=annotations.device)
    alphas = torch.ones((beam, 1, annotations.shape[1]), device=annotations.device)
    hidden, cell = model.first_state(annotations, None)
    ended: list[tuple[float, list[int]]] = []
    for step in range(longest):
        log_probs, hidden, cell, alpha = peer_step(model, annotations, words[:, -1], hidden, cell)
        scores = totals + log_probs  # (S, K)
        if step == 0:
            scores = scores[:1]  # all captions are still the same
        totals, places = scores.flatten().topk(len(annotations))
        rows, chosen = places // model.words, places % model.words
        words = torch.cat([words[rows], chosen.unsqueeze(1)], dim=1)
        alphas = torch.cat([alphas[rows], alpha[rows].unsqueeze(1)], dim=1)
        ended += [
            (float(totals[row]), words[row, 1:-1].tolist()) for row in range(len(words)) if int(words[row, -1]) == END
        ]
        going = [row for row in range(len(words)) if int(words[row, -1]) != END]
        if not going:
            break
        words, alphas, totals = words[going], alphas[going], totals[going].unsqueeze(1)
        hidden, cell, annotations = hidden[rows[going]], cell[rows[going]], annotations[rows[going]]
    cut = [(float(total), line[1:].tolist()) for total, line in zip(totals, words, strict=True)] if not ended else []
    return max(ended or cut)


def peer_step(
    model: AttentionLSTM, annotations: Tensor, previous: Tensor, hidden: Tensor, cell: Tensor
) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """Annotations (S, L, D), words (S,), state (S, n) → log p (S, K), the new state and alpha (S, L)."""
    n, d = model.settings.units, model.channels
    recurrent, query_weight, gate_weight = model.from_hidden.weight.split([4 * n, d, 1])
    embedded = embed_words(model.embedding, previous)
    keys = annotations
    for number, layer in enumerate(model.attention.key_layers):
        keys = layer(keys).tanh() if number else layer(keys)
    scores = model.attention.score(torch.tanh(keys + linear(hidden, query_weight).unsqueeze(1))).squeeze(2)
    alpha = scores.softmax(dim=1)
    context = (annotations * alpha.unsqueeze(2)).sum(dim=1)
    context = (linear(hidden, gate_weight) + model.gate_bias).sigmoid() * context
    gates = linear(hidden, recurrent) + model.word_gates(embedded) + model.context_gates(context)
    hidden, cell = lstm_step(gates, cell)
    return model.word_output(hidden, context, embedded), hidden, cell, alpha
