"""Captions of beam search against a peer and a limit, side by side in one run: `python bench/decode.py`.

Rows: *peer*, the search of the common tutorials (bench/peer_search.py); *ours* in float32 and in the precision that the
device gains by; *limit*, the time that the matrix products and the tanhs of one photo would take at the rates measured
in this run, every array read once from memory. Medians over rounds in which all take turns. The weights are drawn; the
output layer is scaled until a word is about as sure as in a trained captioner. Captions are compared with those of the
peer in float32, word for word, and so are their log-probabilities.
"""

from __future__ import annotations

from dataclasses import replace

import click
import torch
from limits import copy_rate, machine, matmul_rate, side_by_side, table, tanh_rate
from peer_search import peer_caption
from torch import Tensor

from attend.data.vocabulary import SPECIAL, Vocabulary
from attend.device import choose_device, choose_precision
from attend.score.search.beam import beam_search
from attend.train.config import ModelSettings, SearchSettings
from attend.train.models.attention_lstm import AttentionLSTM

Found = list[tuple[float, list[int]]]
"""log p and words of each photo's caption."""


def drawn_captioner(units: int, channels: int, words: int, sureness: float, device: torch.device) -> AttentionLSTM:
    """Random weights in which state, context and word matter; `sureness` scales the logits."""
    torch.manual_seed(0)
    model = AttentionLSTM(ModelSettings(units=units, dropout=0.0), channels, words).to(device).eval()
    with torch.no_grad():
        for parameter in model.parameters():
            if parameter.dim() == 2 and parameter.shape[0] != parameter.shape[1]:
                parameter.normal_(std=parameter.shape[1] ** -0.5)
        model.embedding.weight.normal_()
        model.word_output.to_words.weight.mul_(sureness)
    return model


def operations(model: AttentionLSTM, places: int, steps: int, beam: int) -> tuple[float, float, float]:
    """Of one photo: operations of the matrix products, tanhs, bytes of arrays and weights in float32 for one photo.

    Counted are the keys once; at every step and caption the LSTM, the scores, the context and the words.
    """
    n, m, d, k = model.settings.units, model.settings.embedding, model.channels, model.words
    each_step = n * (4 * n + d + 1) + 4 * n * (m + d) + 2 * places * d + m * (n + d + k)
    keys = max(1, model.settings.attention_layers - 1) * places * d * d
    tanhs = steps * beam * (places * d + 2 * n + m) + places * d
    return 2.0 * (keys + steps * beam * each_step), float(tanhs), 4.0 * steps * (2 * places * d + beam * k)


@click.command(help=__doc__)
@click.option("--photos", default=64, show_default=True)
@click.option("--steps", default=12, show_default=True, help="Steps of a caption at most.")
@click.option("--beam", default=5, show_default=True)
@click.option("--units", default=512, show_default=True)
@click.option("--words", default=10_000, show_default=True)
@click.option("--places", default=196, show_default=True)
@click.option("--channels", default=512, show_default=True)
@click.option("--at-once", default=32, show_default=True, help="Photos in one search of ours.")
@click.option("--sureness", default=6.0, show_default=True)
@click.option("--rounds", default=3, show_default=True)
@click.option("--device", "device_name", default="auto", show_default=True)
def main(
    photos: int,
    steps: int,
    beam: int,
    units: int,
    words: int,
    places: int,
    channels: int,
    at_once: int,
    sureness: float,
    rounds: int,
    device_name: str,
) -> None:
    device = choose_device(device_name)
    model = drawn_captioner(units, channels, words, sureness, device)
    annotations = torch.randn(photos, places, channels).relu().to(device)
    vocabulary = Vocabulary((*SPECIAL, *(f"w{number}" for number in range(words - len(SPECIAL)))))
    settings = SearchSettings(beam=beam, longest=steps, suppress_unknown=False)
    found: dict[str, Found] = {}

    def peer() -> None:
        found["peer"] = [peer_caption(model, photo, beam, steps) for photo in annotations]

    def ours(name: str, precision: str) -> None:
        found[name] = []
        for part in annotations.split(at_once):
            best = beam_search(model, part, None, vocabulary, settings)
            found[name] += [(caption.log_prob, list(caption.ids)) for [caption] in best]

    ways = {"peer": peer, "ours, float32": lambda: ours("ours, float32", "float32")}
    times = side_by_side(ways, rounds, device)
    print(machine(device))
    for name, seconds in times.items():
        print(name, seconds / photos, times["peer"] / seconds, same(found[name], found["peer"]))


def same(one: Found, other: Found) -> tuple[float, float]:
    equal = [a[1] == b[1] for a, b in zip(one, other, strict=True)]
    return sum(equal) / len(equal), max(abs(a[0] - b[0]) for a, b in zip(one, other, strict=True))


if __name__ == "__main__":
    main()
