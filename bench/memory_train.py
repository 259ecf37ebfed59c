"""Peak memory of training against the number of photos: `python bench/memory_train.py`.

A store of random features (94 % zeros, one caption a photo) for each number of photos, and one epoch of the captioner
without attention in a process of its own, once reading every mini-batch from the shards and once keeping what was
read. The last column says how often the peak of the smaller number of photos it is, and the line of the kept ones also
what their annotations take.
"""

from __future__ import annotations

import resource
import subprocess
import sys
import tempfile
from pathlib import Path

import click
import numpy as np
import torch

from attend.data.items import Item
from attend.data.items_file import write_items
from attend.data.manifest import Fingerprint, Manifest, ShardRecord
from attend.data.store_reader import FeatureStore
from attend.data.store_writer import ShardWriter
from attend.data.vocabulary import Vocabulary
from attend.settings import read_settings
from attend.train.config import TrainConfig
from attend.train.config_file import override_config
from attend.train.training import Request, train
from attend.train.validating import Validate

GRID, CHANNELS, SHARD = (14, 14), 512, 250
SETTINGS = (
    "model.units=64 model.embedding=32 model.init_layers=1 optim.precision=float32 optim.epochs=1 batches.cache_share="
)


class Unjudged:
    """A validation that costs nothing."""

    bleu4, standing, pictures = 0.0, (0.0, 0.0), ()

    def as_log(self) -> dict[str, float]:
        """One score."""
        return {"bleu4": self.bleu4}


def no_validation(store: FeatureStore, config: TrainConfig, words: Vocabulary, device: torch.device) -> Validate:
    """See `Unjudged`."""
    return lambda model: Unjudged()


def make_store(folder: Path, photos: int) -> None:
    """A store of random features."""
    chance = np.random.default_rng(0)
    folder.mkdir()
    captions = [" ".join(chance.choice(["a", "red", "dog", "runs", "on", "grass"], 8)) for _ in range(photos)]
    items = [Item(f"{number}", folder / f"{number}", "train", (text,)) for number, text in enumerate(captions)]
    shards: list[ShardRecord] = []
    for start in range(0, photos, SHARD):
        ids = [item.image_id for item in items[start : start + SHARD]]
        values = chance.random((len(ids), GRID[0] * GRID[1], CHANNELS), dtype=np.float32)
        with ShardWriter(folder, len(shards), ids, GRID, CHANNELS, "zstd", {}) as writer:
            writer.write(0, np.where(values > 0.94, values, 0))
            shards.append(writer.commit())
    made = Fingerprint("drawn", "none", "none", "0" * 64, "float32", {})
    Manifest("drawn", GRID, CHANNELS, "zstd", made, {}, write_items(folder, items), tuple(shards)).save(folder)


def peak_of_training(store: Path, run: Path, share: float) -> int:
    """Bytes; called in a process that does nothing else."""
    config = override_config(TrainConfig(), read_settings([f"{SETTINGS}{share}"]))
    request = Request(store, "drawn", "mean", run, config, torch.device("cpu"), resume=False)
    train(request, no_validation, lambda line: None)
    return 1024 * resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


@click.command(help=__doc__)
@click.option("--photos", multiple=True, type=int, default=(500, 5000), show_default=True)
def main(photos: tuple[int, ...]) -> None:
    """Print the table."""
    print("| photos | annotations | peak MB | of the first |\n|---|---|---|---|")
    first: dict[float, int] = {}
    with tempfile.TemporaryDirectory(prefix="bench-memory-") as name:
        for count in photos:
            store = Path(name) / f"{count}"
            make_store(store, count)
            size = 2 * count * GRID[0] * GRID[1] * CHANNELS
            for share, where in ((0.0, "read each time"), (1.0, f"kept, {size / 2**20:.0f} MB")):
                run = Path(name) / f"run {count} {share}"
                child = [sys.executable, __file__, "--child", str(store), str(run), str(share)]
                done = subprocess.run(child, stdout=subprocess.PIPE, text=True, check=True)
                peak = int(done.stdout.splitlines()[-1])
                ratio = peak / first.setdefault(share, peak)
                print(f"| {count} | {where} | {peak / 2**20:.0f} | {ratio:.2f} |", flush=True)


if __name__ == "__main__":
    if "--child" in sys.argv:
        print(peak_of_training(Path(sys.argv[2]), Path(sys.argv[3]), float(sys.argv[4])))
    else:
        main()
