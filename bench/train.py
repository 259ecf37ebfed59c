"""Training steps against a peer and a limit, side by side in one run: `python bench/train.py`.

Rows: *peer*, a plain re-statement of how the common tutorials train this decoder (attention keys projected again at
every step, matrices that read h apart, output layer inside the loop, gradients of (B, L, D) arrays left to autograd);
*ours*; *limit*, the time the multiplications of one step alone would take at the matmul rate measured in the same run.
Printed are captions a second, medians over alternating rounds, and their ratios. Same weights and batch; the losses are
compared.
"""

from __future__ import annotations

from collections.abc import Callable

import click
import torch
from limits import matmul_rate, side_by_side
from torch import Tensor

from attend.device import PRECISIONS, choose_device, choose_precision
from attend.train.config import ModelSettings
from attend.train.losses.likelihood import words_loss
from attend.train.models.attention_lstm import AttentionLSTM
from attend.train.models.interface import Batch
from attend.train.models.lstm_step import lstm_step


def peer_log_probs(model: AttentionLSTM, batch: Batch) -> Tensor:
    """The same function of the same weights, written the plain way: (B, T, K)."""
    annotations, n, d = batch.annotations, model.settings.units, model.channels
    hidden, cell = model.first_state(annotations, None)
    recurrent, query_weight, gate_weight = model.from_hidden.weight.split([4 * n, d, 1])
    embedded = torch.zeros(len(annotations), model.settings.embedding, device=annotations.device)
    outputs = []
    for word in batch.words.unbind(1):
        keys = annotations
        for number, layer in enumerate(model.attention.key_layers):
            keys = layer(keys).tanh() if number else layer(keys)
        query = torch.nn.functional.linear(hidden, query_weight)
        scores = model.attention.score(torch.tanh(keys + query.unsqueeze(1))).squeeze(-1)
        alpha = scores.float().softmax(-1)
        context = (annotations * alpha.unsqueeze(-1).to(annotations.dtype)).sum(1)
        beta = (torch.nn.functional.linear(hidden, gate_weight).float() + model.gate_bias).sigmoid()
        context = beta.to(context.dtype) * context
        gates = (
            torch.nn.functional.linear(hidden, recurrent) + model.word_gates(embedded) + model.context_gates(context)
        )
        hidden, cell = lstm_step(gates, cell)
        outputs.append(model.word_output(hidden, context, embedded))
        embedded = model.embedding(word)
    return torch.stack(outputs, 1)


def multiplications(batch: int, steps: int, places: int, model: AttentionLSTM) -> float:
    """Floating-point operations of the matrix products of one training step: forward, and twice that for backward.

    The first two key layers are one product, and the annotations need no gradient.
    """
    n, m, d, k = model.settings.units, model.settings.embedding, model.channels, model.words
    keys = (3 * max(1, model.settings.attention_layers - 1) - 1) * places * d * d
    each_step = n * (4 * n + d + 1) + 4 * n * (m + d) + 2 * places * d + m * (n + d + k)
    return 2 * batch * (keys + 3 * steps * each_step)


@click.command()
@click.option("--batch", default=64, show_default=True)
@click.option("--steps", default=12, show_default=True, help="Steps of a caption, the end word included.")
@click.option("--units", default=512, show_default=True)
@click.option("--words", default=10_000, show_default=True)
@click.option("--places", default=196, show_default=True)
@click.option("--channels", default=512, show_default=True)
@click.option("--rounds", default=3, show_default=True)
@click.option("--device", "device_name", default="auto", show_default=True)
@click.option("--precision", default="auto", show_default=True)
def main(
    batch: int,
    steps: int,
    units: int,
    words: int,
    places: int,
    channels: int,
    rounds: int,
    device_name: str,
    precision: str,
) -> None:
    """Print the table."""
    device = choose_device(device_name)
    precision = choose_precision(precision, device)
    torch.manual_seed(0)
    model = AttentionLSTM(ModelSettings(units=units, dropout=0.0), channels, words).to(device).train()
    annotations = torch.rand(batch, places, channels).mul(10).to(device, PRECISIONS[precision])
    given = torch.randint(0, words, (batch, steps), device=device)
    captions = Batch(annotations, given, torch.full((batch,), steps, device=device))
    losses: dict[str, float] = {}

    def step(name: str, log_probs: Callable[[], Tensor]) -> None:
        model.zero_grad(set_to_none=True)
        with torch.autocast(device.type, PRECISIONS[precision], enabled=precision != "float32"):
            loss = words_loss(log_probs(), captions.words, captions.lengths).mean()
        loss.backward()
        losses[name] = loss.item()

    ways: dict[str, Callable[[], Tensor]] = {
        "peer": lambda: peer_log_probs(model, captions),
        "ours": lambda: model(captions).log_probs,
    }
    medians = side_by_side(
        {name: lambda name=name, way=way: step(name, way) for name, way in ways.items()}, rounds, device
    )
    rates = {name: batch / taken for name, taken in medians.items()}
    limit = batch * matmul_rate(device, precision) / multiplications(batch, steps, places, model)
    print(f"{device}, {precision}, batch {batch}, {steps} steps, {units} units, {words} words, {places}x{channels}")
    print(f"losses {losses['peer']:.4f} (peer) and {losses['ours']:.4f} (ours)")
    print("| row | captions/s | ratio to the peer |\n|---|---|---|")
    for name, rate in [*rates.items(), ("limit (matmul)", limit)]:
        print(f"| {name} | {rate:.1f} | {rate / rates['peer']:.2f} |")


if __name__ == "__main__":
    main()
