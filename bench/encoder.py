"""The encoder alone against a peer and the matmul limit, side by side in one run: `python bench/encoder.py`.

Rows: *peer*, one photo at a time in float32, shared by all threads, as tutorials encode that keep no features; *ours*,
a photo a thread in the precision that the device gains by; *ours, all threads a photo*, the same with one lane;
*limit*, the operations of the layers, counted by torch, at the rate of a matrix product in that precision in this run.
Pixels are ready in memory. Then all once more beside a process that computes on one core. Medians over rounds in which
all take turns.
"""

from __future__ import annotations

import contextlib
import subprocess
import sys
from collections.abc import Callable, Iterator

import click
import torch
from limits import machine, matmul_rate, side_by_side, table
from torch.utils.flop_counter import FlopCounterMode

from attend.device import choose_device
from attend.extract.encoders import ENCODERS, Encoder, build_encoder


def operations(name: str) -> int:
    """Of one photo: two for every multiplication and addition in the layers."""
    architecture = ENCODERS[name]
    with torch.device("meta"):
        module, photo = architecture.build(), torch.empty(1, 3, architecture.size, architecture.size)
    with FlopCounterMode(display=False) as counter:
        module(photo)
    return counter.get_total_flops()


@contextlib.contextmanager
def busy_process() -> Iterator[None]:
    """A process that computes all the time."""
    child = subprocess.Popen([sys.executable, "-c", "while True: pass"])
    try:
        yield
    finally:
        child.kill()
        child.wait()


def without_lanes(encoder: Encoder) -> Encoder:
    """An encoder whose photos are each shared by all of torch's threads."""
    encoder._lanes = None
    return encoder


@click.command(help=__doc__)
@click.option("--encoder", "name", default="vgg19", show_default=True)
@click.option("--photos", default=16, show_default=True)
@click.option("--rounds", default=3, show_default=True)
@click.option("--precision", default="auto", show_default=True)
@click.option("--device", "device_name", default="auto", show_default=True)
@click.option("--busy/--idle", default=True, show_default=True, help="Also beside a process that computes.")
def main(name: str, photos: int, rounds: int, precision: str, device_name: str, busy: bool) -> None:
    device = choose_device(device_name)
    size = ENCODERS[name].size
    pixels = torch.randint(0, 256, (photos, 3, size, size), dtype=torch.uint8).to(device)
    ours = build_encoder(name, "random:1", device, precision)
    plain = without_lanes(build_encoder(name, "random:1", device, "float32"))
    plain.block = 1
    ways: dict[str, Callable[[], object]] = {"peer": lambda: plain.encode(pixels), "ours": lambda: ours.encode(pixels)}
    if device.type == "cpu":
        shared = without_lanes(build_encoder(name, "random:1", device, precision))
        ways["ours, all threads a photo"] = lambda: shared.encode(pixels)
    print(f"{name}, {machine(device)}; {photos} photos, {torch.get_num_threads()} threads, {ours.precision}")
    print(f"{operations(name) / 1e9:.1f} GFLOP a photo")
    for beside in (False, True) if busy and device.type == "cpu" else (False,):
        with busy_process() if beside else contextlib.nullcontext():
            rates = {way: photos / taken for way, taken in side_by_side(ways, rounds, device).items()}
            rates["limit (matmul)"] = matmul_rate(device, ours.precision) / operations(name)
        print(f"\n{'beside a process that computes' if beside else 'alone'}\n")
        rows = [
            [way, f"{rate:.2f}", f"{rate / rates['limit (matmul)']:.2f}", f"{rate / rates['peer']:.2f}"]
            for way, rate in rates.items()
        ]
        print(table(["row", "photos/s", "of the limit", "ratio to the peer"], rows), flush=True)


if __name__ == "__main__":
    main()
