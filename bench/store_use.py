"""What a store is used for, against a peer and limits, in one run: `python bench/store_use.py [STORE]`.

STORE is the folder of a real store, from which `--images` rows are taken; without it features are drawn at random.

1. An epoch's features, shuffled, in batches of 64. *Peers*: the photo encoded again in every epoch, as tutorials do
   that keep no features, at the encoder's rate in this run; and one `.npy` file a photo in float32, as others do.
   *Ours*: the store. *Limits*: copying the arrays in memory, and the rate at which a training step consumes photos
   (bench/train.py's model, batch 64), which reading must exceed five times.
2. Opening a store of 120,000 images: a manifest of that size and sparse files. The exit status is 1 when it takes a
   second or more of processor time, or when reading is less than five times as fast as training.
"""

from __future__ import annotations

import json
import sys
import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path

import click
import numpy as np
import torch
from limits import best_of, machine, seconds, side_by_side, table
from store import BATCH, copy_all, random_features, read_all, real_features, write_store

from attend.data.items_file import write_items
from attend.data.manifest import Fingerprint, Manifest, ShardRecord
from attend.data.store_format import DEFAULT_CODEC, shard_name
from attend.data.store_reader import FeatureStore
from attend.device import PRECISIONS, choose_device, choose_precision
from attend.extract.encoders import build_encoder
from attend.train.config import ModelSettings
from attend.train.losses.likelihood import words_loss
from attend.train.models.attention_lstm import AttentionLSTM
from attend.train.models.interface import Batch

FASTER = 5.0
CPU = torch.device("cpu")


def write_npy(folder: Path, ids: list[str], features: np.ndarray) -> None:
    """A float32 file a photo."""
    for name, row in zip(ids, features, strict=True):
        np.save(folder / f"{name}.npy", row.astype(np.float32))


def read_npy(folder: Path, order: list[str]) -> None:
    """One pass over `order`, a batch at a time, as a dataset class and a collating loader do."""
    for start in range(0, len(order), BATCH):
        torch.stack([torch.from_numpy(np.load(folder / f"{name}.npy")) for name in order[start : start + BATCH]])


def training_rate(device: torch.device, precision: str, shape: tuple[int, int], words: int) -> float:
    """Photos a second that a step of the trainer consumes, a photo a caption, forward, backward and Adam."""
    torch.manual_seed(0)
    model = AttentionLSTM(ModelSettings(units=512, dropout=0.0), shape[1], words).to(device).train()
    optimizer = torch.optim.Adam(model.parameters(), fused=True)
    given = torch.randint(0, words, (BATCH, 12), device=device)
    annotations = torch.rand(BATCH, *shape, device=device).to(PRECISIONS[precision])
    batch = Batch(annotations, given, torch.full((BATCH,), 12, device=device))

    def step() -> None:
        optimizer.zero_grad(set_to_none=True)
        with torch.autocast(device.type, PRECISIONS[precision], enabled=precision != "float32"):
            loss = words_loss(model(batch).log_probs, batch.words, batch.lengths).mean()
        loss.backward()
        optimizer.step()

    return BATCH / best_of(step, device, 3)


def encoding_rate(device: torch.device, photos: int) -> float:
    """Photos a second of VGG-19, pixels ready in memory."""
    encoder = build_encoder("vgg19", "random:1", device, "auto")
    pixels = torch.randint(0, 256, (photos, 3, 224, 224), dtype=torch.uint8)
    encoder.encode(pixels[:1])
    return photos / seconds(lambda: encoder.encode(pixels), device)


def large_store(folder: Path, images: int, rows: int = 1000) -> None:
    """A manifest of `images` images with files that have the size it says and no content."""
    shards, size = [], 18_500 * rows
    for number, start in enumerate(range(0, images, rows)):
        name = shard_name(number)
        with (folder / name).open("wb") as file:
            file.truncate(size)
        ids = tuple(f"COCO_train2014_{image:012d}.jpg" for image in range(start, min(start + rows, images)))
        photos = tuple(json.dumps([150_000, f"{image:064x}"]) for image in range(len(ids)))
        shards.append(ShardRecord(name, len(ids), size, f"{number:064x}", ids, photos))
    made = Fingerprint("vgg19", "conv5_4 after ReLU", "imagenet", "0" * 64, "float32", {})
    Manifest("coco", (14, 14), 512, DEFAULT_CODEC, made, {}, write_items(folder, []), tuple(shards)).save(folder)


@click.command(help=__doc__)
@click.argument("store", required=False, type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.option("--images", default=400, show_default=True, help="rows to write and read")
@click.option("--large", default=120_000, show_default=True, help="images of the store that is only opened")
@click.option("--encoded", default=8, show_default=True, help="photos encoded for the first peer")
@click.option("--rounds", default=5, show_default=True)
@click.option("--device", "device_name", default="auto", show_default=True)
def main(store: Path | None, images: int, large: int, encoded: int, rounds: int, device_name: str) -> None:
    device = choose_device(device_name)
    precision = choose_precision("auto", device)
    features, grid = real_features(store, images) if store else (random_features(images), (14, 14))
    ids = [f"{number}.jpg" for number in range(len(features))]
    order = [ids[number] for number in np.random.default_rng(0).permutation(len(ids))]
    with tempfile.TemporaryDirectory(prefix="bench-store-") as name:
        ours, files, wide = (Path(name) / part for part in ("ours", "files", "large"))
        for folder in (ours, files, wide):
            folder.mkdir()
        write_store(ours, DEFAULT_CODEC, ids, features, grid)
        write_npy(files, ids, features)
        large_store(wide, large)
        sizes = {part.name: sum(file.stat().st_size for file in part.iterdir()) / len(ids) for part in (ours, files)}
        ways: dict[str, Callable[[], object]] = {
            "peer, one .npy a photo": partial(read_npy, files, order),
            "ours": partial(read_all, FeatureStore(ours), order),
            "limit: copy in memory": partial(copy_all, features),
        }
        rates = {way: len(ids) / taken for way, taken in side_by_side(ways, rounds, CPU).items()}
        opening = best_of(lambda: len(FeatureStore(wide).ids), CPU, 3)
    rates = {"peer, encoded again": encoding_rate(device, encoded), **rates}
    rates["training consumes"] = training_rate(device, precision, features.shape[1:], 10_000)
    size = {"ours": sizes["ours"], "peer, one .npy a photo": sizes["files"]}
    print(f"Store, {machine(device)}; {len(ids)} photos of {store or 'random features'}, training in {precision}\n")
    first = rates["peer, encoded again"]
    print(
        table(
            ["row", "photos/s", "KiB a photo", "ratio to the peer"],
            [
                [way, f"{rate:.0f}" if rate > 50 else f"{rate:.1f}", f"{size[way] / 1024:.1f}" if way in size else "",
                 f"{rate / first:.1f}"]
                for way, rate in rates.items()
            ],
        )
    )  # fmt: skip
    ratio = rates["ours"] / rates["training consumes"]
    print(f"\nreading is {ratio:.1f} times as fast as training; a store of {large:,} images opens in {opening:.2f} s")
    if ratio < FASTER or opening >= 1:
        sys.exit("too slow: reading below five times the training, or opening above a second")


if __name__ == "__main__":
    main()
