"""Extraction against the bare encoder, side by side in one run: `python bench/extract.py [PHOTOS]`.

PHOTOS is a folder of photos; without it pictures are drawn. In every round the encoder first takes photos that are
decoded and in memory already (the limit), then the whole extraction runs on the same files: decode, encode, compress,
write. The second table feeds the encoder one and several photos a pass, and says whether the features stay the same.
"""

from __future__ import annotations

import tempfile
import time
from pathlib import Path
from statistics import median

import click
import numpy as np
import torch
from PIL import Image

from attend.data.items import Item
from attend.data.store_format import DEFAULT_CODEC
from attend.device import choose_device, cores
from attend.extract.decoding import decode_ahead
from attend.extract.encoders import Encoder, build_encoder
from attend.extract.fit import choose_preprocessing
from attend.extract.images import Photo, read_photo
from attend.extract.plan import plan_shards
from attend.extract.run_shard import run_shards
from attend.extract.shard_job import Job
from attend.extract.timing import Clock
from attend.extract.transfer import upload

KINDS = {".jpg", ".jpeg", ".png", ".webp"}
PASSES = (1, 2, 8, 32)


@click.command(help=__doc__)
@click.argument("photos", required=False, type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.option("--encoder", "name", default="vgg19", show_default=True)
@click.option("--weights", default="random:1", show_default=True)
@click.option("--precision", default="auto", show_default=True)
@click.option("--device", default="auto", show_default=True)
@click.option("--fit", default="auto", show_default=True)
@click.option("--images", default=100, show_default=True, help="photos in a round")
@click.option("--batch", default=50, show_default=True)
@click.option("--threads", type=int, default=cores, help="threads that decode  [default: one a processor]")
@click.option("--rounds", default=3, show_default=True)
def main(
    photos: Path | None,
    name: str,
    weights: str,
    precision: str,
    device: str,
    fit: str,
    images: int,
    batch: int,
    threads: int,
    rounds: int,
) -> None:
    encoder = build_encoder(name, weights, choose_device(device), precision)
    with tempfile.TemporaryDirectory() as folder:
        items = found(photos, images) if photos else drawn(Path(folder) / "photos", images)
        preprocessing = choose_preprocessing(fit, name, [item.path for item in items], None)
        job = Job(Path(folder), preprocessing, DEFAULT_CODEC, {}, batch, threads)
        pixels = decoded(items, job)
        where = f"{encoder.device}, {encoder.precision}, {torch.get_num_threads()} threads, {threads} to decode"
        print(f"{name} on {where}, torch {torch.__version__}")
        print(f"{len(items)} photos of {photos or 'noise on colour'}, fit={preprocessing.fit}\n")
        print(f"{'round':>6}{'encoder alone/s':>17}{'extraction/s':>14}{'ratio':>8}{'encoder busy':>14}")
        ratios = []
        forward(encoder, pixels, batch)  # warm up
        for number in range(1, rounds + 1):
            alone = len(pixels) / forward(encoder, pixels, batch)
            clock = Clock()
            list(run_shards(plan_shards(items, []), encoder, job, clock))
            whole = len(items) / clock.seconds
            ratios.append(whole / alone)
            print(f"{number:>6}{alone:>17.2f}{whole:>14.2f}{whole / alone:>8.3f}{clock.share:>14.1%}")
        print(f"median ratio {median(ratios):.3f}\n")
    passes(encoder, pixels[:32])


def passes(encoder: Encoder, pixels: torch.Tensor) -> None:
    """Rate and sameness of the features for several photos a pass."""
    print(f"{'photos a pass':>14}{'photos/s':>10}  features")
    own, reference = encoder.block, None
    for block in PASSES:
        encoder.block = block
        forward(encoder, pixels[:block], block)
        seconds = min(forward(encoder, pixels, len(pixels)) for _ in range(2))
        features = encoder.encode(pixels).cpu()
        reference = features if reference is None else reference
        same = "the same bit for bit" if torch.equal(features, reference) else "differ in the last bits"
        print(f"{block:>14}{len(pixels) / seconds:>10.2f}  {same}{'  (used)' if block == own else ''}")
    encoder.block = own


def forward(encoder: Encoder, pixels: torch.Tensor, batch: int) -> float:
    """Seconds for the encoder alone, photos in its memory, annotations left there."""
    there = pixels.to(encoder.device)
    finish(encoder)
    begun = time.perf_counter()
    for part in there.split(batch):
        encoder.encode(part)
    finish(encoder)
    return time.perf_counter() - begun


def finish(encoder: Encoder) -> None:
    if encoder.device.type == "cuda":
        torch.cuda.synchronize(encoder.device)


def decoded(items: list[Item], job: Job) -> torch.Tensor:
    """The photos as uint8 (B, 3, H, W)."""
    paths = [item.path for item in items]
    photos = decode_ahead(paths, lambda path: read_photo(path, job.preprocessing), job.threads, ahead=8)
    return upload([photo.pixels for photo in photos if isinstance(photo, Photo)], torch.device("cpu"))


def found(folder: Path, count: int) -> list[Item]:
    """The first `count` photos in a folder; fewer are repeated under other ids until there are enough."""
    paths = sorted(path for path in folder.iterdir() if path.suffix.lower() in KINDS)
    if not paths:
        raise click.ClickException(f"no photos in {folder}")
    return [Item(f"{number}", paths[number % len(paths)], "none", ()) for number in range(count)]


def drawn(folder: Path, count: int) -> list[Item]:
    """JPEG files of 640 × 480 pixels, about as hard to decode as photographs; 50 of them, repeated."""
    folder.mkdir()
    for number in range(min(count, 50)):
        generator = np.random.default_rng(number)
        coarse = Image.fromarray(generator.integers(0, 256, (30, 40, 3), dtype=np.uint8)).resize((640, 480))
        noise = generator.normal(0, 8, (480, 640, 3))
        picture = np.clip(np.asarray(coarse) + noise, 0, 255).astype(np.uint8)
        Image.fromarray(picture).save(folder / f"{number:05d}.jpg", quality=90)
    return found(folder, count)


if __name__ == "__main__":
    main()
