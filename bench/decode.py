"""Captions of beam search against a peer and a limit, side by side in one run: `python bench/decode.py`.

Rows: *peer*, the search of the common tutorials (bench/peer_search.py); *ours*; *ours, bfloat16*, the same under
autocast, which the product does not use; *limit*, the time that the matrix products, the tanhs and the bytes of one
photo take at the rates measured in this run, in float32. Medians over rounds in which all take turns. The weights are
drawn; the output layer is scaled until a word is about as sure as in a trained captioner. Captions are compared with
the peer's, word for word, and so are the log-probabilities of the equal ones; the exit status is 1 when fewer than 99 %
of ours in float32 are equal.
"""

from __future__ import annotations

import sys
from collections.abc import Callable

import click
import torch
from limits import copy_rate, machine, matmul_rate, side_by_side, table, tanh_rate
from peer_search import peer_caption

from attend.data.vocabulary import SPECIAL, Vocabulary
from attend.device import PRECISIONS, bfloat16_pays, choose_device
from attend.score.decode import PHOTOS_AT_ONCE
from attend.score.search.beam import beam_search
from attend.train.config import ModelSettings, SearchSettings
from attend.train.models.attention_lstm import AttentionLSTM

ENOUGH = 0.99
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


def work(model: AttentionLSTM, places: int, steps: int, beam: int, at_once: int) -> tuple[float, float, float]:
    """Of one photo: operations of the matrix products, tanhs and sigmoids, and bytes that must pass through memory.

    Counted are the keys once, and at every step for each caption the LSTM, the scores, the context and the words; the
    bytes are annotations and keys once, and the weights once for all photos of a search, as in a cache that holds them.
    """
    n, m, d, k = model.settings.units, model.settings.embedding, model.channels, model.words
    each_step = n * (4 * n + d + 1) + 4 * n * (m + d) + 2 * places * d + m * (n + d + k)
    keys = max(1, model.settings.attention_layers - 1) * places * d * d
    tanhs = steps * beam * (places * d + 5 * n + m) + places * d
    weights = sum(parameter.numel() for parameter in model.parameters())
    moved = 4.0 * (2 * places * d + weights / at_once)
    return 2.0 * (keys + steps * beam * each_step), float(tanhs), moved


@click.command(help=__doc__)
@click.option("--photos", default=64, show_default=True)
@click.option("--steps", default=12, show_default=True, help="Steps of a caption at most.")
@click.option("--beam", default=5, show_default=True)
@click.option("--units", default=512, show_default=True)
@click.option("--words", default=10_000, show_default=True)
@click.option("--places", default=196, show_default=True)
@click.option("--channels", default=512, show_default=True)
@click.option("--at-once", default=PHOTOS_AT_ONCE, show_default=True, help="Photos in one search of ours.")
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
        with torch.autocast(device.type, PRECISIONS[precision], enabled=precision != "float32"):
            for part in annotations.to(PRECISIONS[precision]).split(at_once):
                best = beam_search(model, part, None, vocabulary, settings)
                found[name] += [(caption.log_prob, list(caption.ids)) for [caption] in best]

    ways: dict[str, Callable[[], object]] = {"peer": peer, "ours": lambda: ours("ours", "float32")}
    if bfloat16_pays(device):
        ways["ours, bfloat16"] = lambda: ours("ours, bfloat16", "bfloat16")
    times = side_by_side(ways, rounds, device)
    products, tanhs, moved = work(model, places, steps, beam, min(at_once, photos))
    limit = products / matmul_rate(device, "float32") + tanhs / tanh_rate(device) + moved / copy_rate(device)
    print(f"Beam search, {machine(device)}; {photos} photos, {at_once} at once, beam {beam}, {steps} steps,")
    print(f"{units} units, {words} words, annotations {places} x {channels}\n")
    rows = [
        [name, f"{1000 * taken / photos:.2f}", f"{times['peer'] / taken:.2f}", *same(found[name], found["peer"])]
        for name, taken in times.items()
    ]
    rows.append(["limit", f"{1000 * limit:.2f}", f"{times['peer'] / photos / limit:.2f}", "", ""])
    print(table(["row", "ms a photo", "ratio to the peer", "equal captions", "log p differs by"], rows))
    if share_equal(found["ours"], found["peer"]) < ENOUGH:
        sys.exit(f"only {share_equal(found['ours'], found['peer']):.1%} of the captions are the peer's")


def share_equal(one: Found, other: Found) -> float:
    """Share of the photos with the same words."""
    return sum(a[1] == b[1] for a, b in zip(one, other, strict=True)) / len(one)


def same(one: Found, other: Found) -> list[str]:
    """Share of equal captions, and the largest difference of their log p."""
    apart = [abs(a[0] - b[0]) for a, b in zip(one, other, strict=True) if a[1] == b[1]]
    return [f"{share_equal(one, other):.1%}", f"{max(apart, default=0):.0e}"]


if __name__ == "__main__":
    main()
