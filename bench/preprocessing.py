"""Which features read better, of photos fed whole or cropped: `python bench/preprocessing.py DATA --weights FILE`.

DATA is a folder of Flickr8k. A linear probe (ridge regression) has to tell from a photo's annotations, averaged over
the places, which of the 100 most frequent content words its captions use; words of 2 to 50 % of the photos count.
Printed is the mean average precision over the words on photos the probe has not seen, for several divisions of the
same photos, and the paired difference with its standard error over them. The ridge is chosen on part of the training
photos.
"""

from __future__ import annotations

import tempfile
from collections import Counter
from pathlib import Path

import click
import numpy as np

from attend.data.datasets import read_dataset
from attend.data.items import Item
from attend.data.scenes.settings import ScenesSettings
from attend.data.store_reader import FeatureStore
from attend.data.words import tokenise
from attend.device import choose_device
from attend.extract.decoding import decoding_threads
from attend.extract.encoders import Encoder, build_encoder
from attend.extract.extraction import Options, extract
from attend.extract.fit import choose_preprocessing

WORDS, RAREST, COMMONEST = 100, 0.02, 0.5
RIDGES = (10.0, 100.0, 1000.0, 10000.0)


@click.command(help=__doc__)
@click.argument("data", type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.option("--encoder", "name", default="vgg19", show_default=True)
@click.option("--weights", default="imagenet", show_default=True)
@click.option("--precision", default="auto", show_default=True)
@click.option("--device", default="auto", show_default=True)
@click.option("--train", default=600, show_default=True, help="photos the probe learns from")
@click.option("--test", default=200, show_default=True, help="photos it is asked about")
@click.option("--divisions", default=10, show_default=True)
def main(
    data: Path, name: str, weights: str, precision: str, device: str, train: int, test: int, divisions: int
) -> None:
    items = read_dataset("flickr8k", data, images=None, captions=None, scenes=ScenesSettings())
    chosen = np.random.default_rng(1).permutation(len(items))[: train + test]
    items = [items[number] for number in chosen]
    encoder = build_encoder(name, weights, choose_device(device), precision)
    targets, words = word_table(items)
    examples = ", ".join(words[:8])
    print(f"{name}, weights {encoder.weights}, {encoder.precision}; {len(items)} photos; words such as {examples}")
    scores = {}
    for fit in ("whole", "crop"):
        features = pooled(items, encoder, fit)
        scores[fit] = np.array([probe(features, targets, train, seed) for seed in range(divisions)])
        print(f"{fit:>6}: mean average precision {scores[fit].mean():.4f}")
    difference = scores["whole"] - scores["crop"]
    print(f"whole - crop: {difference.mean():+.4f} ± {difference.std(ddof=1) / len(difference) ** 0.5:.4f}")


def word_table(items: list[Item]) -> tuple[np.ndarray, list[str]]:
    """(photos, words) of 0 and 1: does any caption use the word; and the words."""
    used = [{word for caption in item.captions for word in tokenise(caption)} for item in items]
    counts = Counter(word for words in used for word in words)
    low, high = RAREST * len(items), COMMONEST * len(items)
    words = [word for word, count in counts.most_common() if low <= count <= high][:WORDS]
    return np.array([[word in own for word in words] for own in used], dtype=np.float64), words


def pooled(items: list[Item], encoder: Encoder, fit: str) -> np.ndarray:
    """(photos, D): annotations averaged over the places, through the store as training would get them."""
    preprocessing = choose_preprocessing(fit, encoder.name, [], None)
    with tempfile.TemporaryDirectory() as folder:
        options = Options(threads=decoding_threads())
        extract(items, encoder, preprocessing, Path(folder), "flickr8k", options, say=lambda _: None)
        store = FeatureStore(Path(folder))
        return np.concatenate([store.read([item.image_id]).astype(np.float64).mean(axis=1) for item in items])


def probe(features: np.ndarray, targets: np.ndarray, train: int, seed: int) -> float:
    """Mean average precision on the photos after the first `train` of a shuffle."""
    order = np.random.default_rng(seed).permutation(len(features))
    seen, unseen = order[:train], order[train:]
    inner, held = seen[: train * 4 // 5], seen[train * 4 // 5 :]
    best = max(RIDGES, key=lambda ridge: precision_of(features, targets, inner, held, ridge))
    return precision_of(features, targets, seen, unseen, best)


def precision_of(
    features: np.ndarray, targets: np.ndarray, seen: np.ndarray, unseen: np.ndarray, ridge: float
) -> float:
    """Ridge regression on standardised features from `seen`, mean average precision on `unseen`."""
    mean, deviation = features[seen].mean(axis=0), features[seen].std(axis=0) + 1e-6
    inputs, asked = (features[seen] - mean) / deviation, (features[unseen] - mean) / deviation
    centre = targets[seen].mean(axis=0)
    weights = np.linalg.solve(inputs.T @ inputs + ridge * np.eye(inputs.shape[1]), inputs.T @ (targets[seen] - centre))
    return average_precision(asked @ weights, targets[unseen])


def average_precision(scores: np.ndarray, truth: np.ndarray) -> float:
    """Mean over the columns that have a true entry of the precision at every true entry, best score first."""
    order = np.argsort(-scores, axis=0, kind="stable")
    hits = np.take_along_axis(truth, order, axis=0)
    precision = np.cumsum(hits, axis=0) / np.arange(1, len(hits) + 1)[:, None]
    found = hits.sum(axis=0)
    return float(((precision * hits).sum(axis=0)[found > 0] / found[found > 0]).mean())


if __name__ == "__main__":
    main()
