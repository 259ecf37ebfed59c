"""Does memory grow with the number of photos? Peak resident memory of a child process for a small and a large number.

`extract` makes a store of drawn photos, and reads stores of both sizes at random places.
"""

from __future__ import annotations

import os
import platform
import subprocess
import sys
import tempfile
from pathlib import Path

import click
import numpy as np
from PIL import Image

DIFFERENT = 50
"""Drawn photos; the others are links to them."""

READING = """
import random, sys
from pathlib import Path
from attend.data.store_reader import FeatureStore
store = FeatureStore(Path(sys.argv[1]))
ids = list(store.ids)
random.Random(1).shuffle(ids)
for start in range(0, len(ids), 64):
    store.read(ids[start : start + 64])
"""


@click.group(help=__doc__)
def main() -> None:
    print(f"python {platform.python_version()}, {platform.machine()}, {os.cpu_count()} processors")


@main.command()
@click.option("--small", default=500, show_default=True)
@click.option("--large", default=5000, show_default=True)
@click.option("--encoder", default="efficientnet_lite0", show_default=True)
@click.option("--shard-rows", default=100, show_default=True)
def extract(small: int, large: int, encoder: str, shard_rows: int) -> None:
    """Extraction, and reading of the store at random places."""
    extracted, read = [], []
    with tempfile.TemporaryDirectory() as name:
        for images in (small, large):
            work = Path(name) / f"{images}"
            draw(work, images)
            words = ["--dataset", "folder", "--images", f"{work}/photos", "--captions", f"{work}/captions.csv"]
            words += ["--encoder", encoder, "--weights", "random:1", "--shard-rows", f"{shard_rows}"]
            extracted.append(peak(["-m", "attend", "features", *words, "--out", f"{work}"]))
            read.append(peak(["-c", READING, f"{work}/features/folder/{encoder}"]))
    print(f"{encoder}, shards of {shard_rows}")
    print(f"{'peak memory, MB':<24}{small:>8}{large:>8}{'ratio':>8}")
    for label, (one, other) in {"extraction": extracted, "reading, shuffled": read}.items():
        print(f"{label:<24}{one:>8.0f}{other:>8.0f}{other / one:>8.3f}")


def draw(work: Path, images: int) -> None:
    """Small photos and a table of captions."""
    photos = work / "photos"
    photos.mkdir(parents=True)
    for number in range(images):
        path = photos / f"{number:05d}.png"
        if number < DIFFERENT:
            noise = np.random.default_rng(number).integers(0, 256, (32, 32, 3), dtype=np.uint8)
            Image.fromarray(noise).save(path)
        else:
            path.symlink_to(photos / f"{number % DIFFERENT:05d}.png")
    lines = [f"{number:05d}.png,a photo of noise\n" for number in range(images)]
    (work / "captions.csv").write_text("".join(["image,caption\n", *lines]))


def peak(words: list[str]) -> float:
    """Peak resident memory in MB of a Python process of its own."""
    process = subprocess.Popen([sys.executable, *words], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise click.ClickException(f"{' '.join(words[:3])} ended with {process.returncode}")
    return usage.ru_maxrss / (1e6 if sys.platform == "darwin" else 1e3)


if __name__ == "__main__":
    main()
