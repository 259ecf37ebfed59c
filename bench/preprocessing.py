"""Which features read better: `python bench/preprocessing.py STORE STORE …`, stores of the same photos.

A linear probe (ridge regression) has to tell from a photo's annotations, averaged over the places, which of the 100
most frequent content words its captions use; words of 2 to 50 % of the photos count. Printed is the mean average
precision over the words on photos the probe has not seen, for several divisions of the photos all stores have, and the
paired difference to the first store with its standard error over the divisions. The ridge is chosen on part of the
training photos.
"""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import click
import numpy as np

from attend.data.items import Item
from attend.data.store_reader import FeatureStore
from attend.data.words import tokenise

WORDS, RAREST, COMMONEST = 100, 0.02, 0.5
RIDGES = (10.0, 100.0, 1000.0, 10000.0)


@click.command(help=__doc__)
@click.argument("folders", nargs=-1, required=True, type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.option("--test-share", default=0.2, show_default=True, help="photos the probe is asked about")
@click.option("--divisions", default=20, show_default=True)
def main(folders: tuple[Path, ...], test_share: float, divisions: int) -> None:
    stores = [FeatureStore(folder) for folder in folders]
    items = [item for item in stores[0].items if all(item.image_id in store for store in stores)]
    train = round(len(items) * (1 - test_share))
    targets, words = word_table(items)
    print(f"{train} photos to learn from, {len(items) - train} to answer; {len(words)} words: {', '.join(words[:9])} …")
    first = None
    for store in stores:
        features = pooled(items, store)
        scores = np.array([probe(features, targets, train, seed) for seed in range(divisions)])
        first = scores if first is None else first
        difference, error = scores - first, (scores - first).std(ddof=1) / divisions**0.5
        made = store.manifest.fingerprint
        how = f"{made.encoder}, {made.precision}, fit={made.preprocessing['fit']}"
        print(f"{how:<44} mean average precision {scores.mean():.4f}   {difference.mean():+.4f} ± {error:.4f}")


def word_table(items: list[Item]) -> tuple[np.ndarray, list[str]]:
    """(photos, words) of 0 and 1: does any caption use the word; and the words."""
    used = [{word for caption in item.captions for word in tokenise(caption)} for item in items]
    counts = Counter(word for words in used for word in words)
    low, high = RAREST * len(items), COMMONEST * len(items)
    words = [word for word, count in counts.most_common() if low <= count <= high][:WORDS]
    return np.array([[word in own for word in words] for own in used], dtype=np.float64), words


def pooled(items: list[Item], store: FeatureStore) -> np.ndarray:
    """(photos, D): annotations averaged over the places."""
    return np.stack([store.read([item.image_id])[0].astype(np.float64).mean(axis=0) for item in items])


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
