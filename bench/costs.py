"""What a dataset takes from photos to scores, by arithmetic: `python bench/costs.py --encode 14 --train 100 …`.

Hours of features = photos / (encode · 3600); of training = captions · epochs / (train · 3600); of captions for the
validation after every epoch and for the test = photos of the split · (epochs + 1) / (decode · 3600); the store =
photos · KiB a photo; energy = hours · watts / 1000. Rates are those that bench/encoder.py, bench/train.py and
bench/decode.py print on the machine in question; the scores themselves, under a minute (bench/score.py), are left out.
"""

from __future__ import annotations

from dataclasses import dataclass

import click
from limits import table


@dataclass(frozen=True)
class Dataset:
    """Karpathy's splits; five captions a photo of the training split, as the paper trains."""

    name: str
    photos: int
    captions: int
    held_out: int
    """Photos of validation, and as many of the test."""


DATASETS = (
    Dataset("Flickr8k", 8_000, 30_000, 1_000),
    Dataset("Flickr30k", 31_014, 145_000, 1_014),
    Dataset("COCO", 123_287, 413_915, 5_000),
)


@dataclass(frozen=True)
class Rates:
    """What a machine does: photos/s, captions/s, photos/s; KiB a photo; watts."""

    encode: float
    train: float
    decode: float
    kib: float
    watts: float


@dataclass(frozen=True)
class Cost:
    """Hours of the three stages, gigabytes (10^9 bytes), kilowatt-hours."""

    features: float
    training: float
    captions: float
    gigabytes: float
    kilowatt_hours: float


def cost(dataset: Dataset, rates: Rates, epochs: int) -> Cost:
    """The arithmetic above."""
    features = dataset.photos / rates.encode / 3600
    training = dataset.captions * epochs / rates.train / 3600
    captions = dataset.held_out * (epochs + 1) / rates.decode / 3600
    energy = (features + training + captions) * rates.watts / 1000
    return Cost(features, training, captions, dataset.photos * rates.kib * 1024 / 1e9, energy)


@click.command(help=__doc__)
@click.option("--encode", required=True, type=float, help="Photos/s of the encoder.")
@click.option("--train", required=True, type=float, help="Captions/s of training.")
@click.option("--decode", required=True, type=float, help="Photos/s of beam search.")
@click.option("--kib", default=18.5, show_default=True, help="KiB of a photo in the store.")
@click.option("--watts", default=30.0, show_default=True, help="Of the whole machine under load.")
@click.option("--epochs", default=20, show_default=True)
def main(encode: float, train: float, decode: float, kib: float, watts: float, epochs: int) -> None:
    rates = Rates(encode, train, decode, kib, watts)
    head = ["dataset", "features, h", "store, GB", f"training of {epochs} epochs, h", "captions, h", "kWh"]
    found = [(dataset.name, cost(dataset, rates, epochs)) for dataset in DATASETS]
    rows = [
        [name, *(f"{each:.2g}" for each in (c.features, c.gigabytes, c.training, c.captions, c.kilowatt_hours))]
        for name, c in found
    ]
    print(table(head, rows))


if __name__ == "__main__":
    main()
