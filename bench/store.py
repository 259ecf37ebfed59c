"""Size and speed of the feature store under every codec, in one run: `python bench/store.py [STORE]`.

STORE is the folder of a real store, from which `--images` rows are taken; without it features are drawn at random,
94 % zeros. Every codec writes the same rows with the store's own writer and reads them with its own reader, in the
order of the store and shuffled, batches of 64, files in the page cache. Rates are images a second of one core's time,
so other work on the machine hardly disturbs them. The last row is the limit: copying the arrays in memory.
"""

from __future__ import annotations

import shutil
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from statistics import median

import click
import hdf5plugin
import numpy as np

from attend.data.items_file import write_items
from attend.data.manifest import Fingerprint, Manifest
from attend.data.store_format import CODECS
from attend.data.store_reader import FeatureStore
from attend.data.store_writer import ShardWriter

BATCH, SHARDS, ROUNDS = 64, 4, 5
BLOSC2 = hdf5plugin.Blosc2
CANDIDATES = {
    "none": CODECS["none"],
    "lzf": CODECS["lzf"],
    "lzf, shuffle": {**CODECS["lzf"], "shuffle": True},
    "gzip 1": CODECS["gzip"],
    "gzip 4": {**CODECS["gzip"], "compression_opts": 4},
    "blosc2 blosclz 5": BLOSC2(cname="blosclz", clevel=5, filters=BLOSC2.NOFILTER),
    "blosc2 lz4 1": BLOSC2(cname="lz4", clevel=1, filters=BLOSC2.NOFILTER),
    "blosc2 lz4 9": BLOSC2(cname="lz4", clevel=9, filters=BLOSC2.NOFILTER),
    "blosc2 zstd 1": BLOSC2(cname="zstd", clevel=1, filters=BLOSC2.NOFILTER),
    "blosc2 zstd 1, shuffle": BLOSC2(cname="zstd", clevel=1, filters=BLOSC2.SHUFFLE),
    "blosc2 zstd 1, bitshuffle": BLOSC2(cname="zstd", clevel=1, filters=BLOSC2.BITSHUFFLE),
    "blosc2 zstd 3": BLOSC2(cname="zstd", clevel=3, filters=BLOSC2.NOFILTER),
    "blosc2 zstd 5": BLOSC2(cname="zstd", clevel=5, filters=BLOSC2.NOFILTER),
    "zstd 1": hdf5plugin.Zstd(clevel=1),
    "zstd 3": hdf5plugin.Zstd(clevel=3),
    "zstd 9": hdf5plugin.Zstd(clevel=9),
    "zstd 1, shuffle": {**hdf5plugin.Zstd(clevel=1), "shuffle": True},
}


@click.command(help=__doc__)
@click.argument("store", required=False, type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.option("--images", default=400, show_default=True, help="rows to write and read")
def main(store: Path | None, images: int) -> None:
    features, grid = real_features(store, images) if store else (random_features(images), (14, 14))
    if not len(features):
        raise click.UsageError(f"{store} has no finished shard yet")
    raw = features[0].nbytes
    zeros = 100 * float((features == 0).mean())
    print(f"{store or 'random features'}: {features.shape}, {zeros:.1f} % zeros, {raw / 1024:.0f} KiB raw an image\n")
    print(
        f"{'codec':<26}{'KiB/image':>10}{'of raw':>8}{'write/s':>9}{'read/s':>8}{'shuffled/s':>11}{'shuffled is':>14}"
    )
    CODECS.update(CANDIDATES)
    for name in CANDIDATES:
        folder = Path(tempfile.mkdtemp(prefix="bench-store-"))
        try:
            size, write, read, shuffled = measure(folder, name, features, grid)
        finally:
            shutil.rmtree(folder)
        row = f"{name:<26}{size / 1024:>10.1f}{100 * size / raw:>7.1f}%{write:>9.0f}{read:>8.0f}{shuffled:>11.0f}"
        print(f"{row}{read / shuffled:>12.2f} ×", flush=True)
    print(f"{'limit: copy in memory':<26}{len(features) / seconds(partial(copy_all, features)):>46.0f}")


def measure(folder: Path, codec: str, features: np.ndarray, grid: tuple[int, int]) -> tuple[float, float, float, float]:
    """Bytes an image, and images a second written, read in order, and read shuffled; medians of ROUNDS."""
    ids = [f"{number}.jpg" for number in range(len(features))]
    writing = seconds(partial(write_store, folder, codec, ids, features, grid))
    store = FeatureStore(folder)
    shuffled = [ids[number] for number in np.random.default_rng(0).permutation(len(ids))]
    if not np.array_equal(store.read(shuffled), features[[ids.index(name) for name in shuffled]]):
        raise AssertionError(f"{codec} does not give back what was written")
    passes = [seconds(partial(read_all, store, order)) for order in (ids, shuffled)]
    size = sum(shard.bytes for shard in store.manifest.shards) / len(ids)
    return size, len(ids) / writing, len(ids) / passes[0], len(ids) / passes[1]


def write_store(folder: Path, codec: str, ids: list[str], features: np.ndarray, grid: tuple[int, int]) -> None:
    """Write the rows as a store of SHARDS shards."""
    records = []
    for index, rows in enumerate(np.array_split(np.arange(len(ids)), SHARDS)):
        first, last = int(rows[0]), int(rows[-1]) + 1
        with ShardWriter(folder, index, ids[first:last], grid, features.shape[2], codec, {}) as writer:
            for start in range(first, last, BATCH):
                writer.write(start - first, features[start : min(start + BATCH, last)])
            records.append(writer.commit())
    fingerprint = Fingerprint("bench", "", "", "", "float32", {})
    items = write_items(folder, [])
    Manifest("bench", grid, features.shape[2], codec, fingerprint, {}, items, tuple(records)).save(folder)


def read_all(store: FeatureStore, ids: list[str]) -> None:
    """One pass over `ids`, a batch at a time."""
    for start in range(0, len(ids), BATCH):
        store.read(ids[start : start + BATCH])


def seconds(work: Callable[[], object]) -> float:
    """Processor time, the median of ROUNDS."""
    times = []
    for _ in range(ROUNDS):
        start = time.process_time()
        work()
        times.append(time.process_time() - start)
    return median(times)


def copy_all(features: np.ndarray) -> None:
    """All rows in a shuffled order into one array, a batch at a time: what reading costs without files and codecs."""
    target = np.empty((BATCH, *features.shape[1:]), np.float16)
    order = np.random.default_rng(1).permutation(len(features))
    for rows in np.array_split(order, -(-len(order) // BATCH)):
        np.take(features, rows, axis=0, out=target[: len(rows)])


def real_features(folder: Path, images: int) -> tuple[np.ndarray, tuple[int, int]]:
    """The first rows (n, L, D) of a store, and its grid."""
    store = FeatureStore(folder)
    return store.read(store.ids[:images]), store.grid


def random_features(images: int) -> np.ndarray:
    """(n, 196, 512) float16, 94 % zeros, the rest spread as after a ReLU."""
    random = np.random.default_rng(0)
    shape = (images, 196, 512)
    return np.where(random.random(shape) < 0.06, random.gamma(1.0, 3.0, shape), 0.0).astype(np.float16)


if __name__ == "__main__":
    main()
