"""Time and memory against photos, words, units, beams and workers: `python bench/growth.py [--small]`.

Every point has a child process of its own: seconds of the work alone (processor time where it is one
process's), and the largest resident memory of the process and its children. *photos*: opening a store of so many, an
epoch's plan, one shuffled pass over it in batches of 64. *words*, *units*: a training step of 32 captions, 12 steps,
196 x 512. *beams*: captions of 8 photos. *workers*: extraction of drawn photos, whose cost is set against the number of
photos a worker. Drawn are a table and a picture, time and memory as multiples of the first point. The exit status is 1
when one of photos, words or beams grows faster than linearly; units cannot, their matrices are square.
"""

from __future__ import annotations

import math
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import click
import numpy as np
import torch
from limits import machine, table

from attend.data.items_file import write_items
from attend.data.manifest import Fingerprint, Manifest
from attend.data.store_format import SHARD_ROWS
from attend.data.store_reader import FeatureStore
from attend.data.store_writer import ShardWriter
from attend.data.vocabulary import SPECIAL, Vocabulary
from attend.score.search.beam import beam_search
from attend.train.batches import plan_batches
from attend.train.config import ModelSettings, SearchSettings
from attend.train.losses.likelihood import words_loss
from attend.train.models.attention_lstm import AttentionLSTM
from attend.train.models.interface import Batch

CPU = torch.device("cpu")
GRID, CHANNELS, STEPS = (14, 14), 512, 12
LINEAR = 1.2
"""A measured exponent above this is more than linear; what is between 1 and it can be other work on the machine."""


@dataclass(frozen=True)
class Point:
    """One measurement."""

    size: int
    seconds: float
    megabytes: float


def photos(count: int, folder: Path) -> float:
    """A store of `count` photos in `folder`: open, plan, read all of it in a shuffled order."""
    make_store(folder, count)
    since = time.process_time()
    store = FeatureStore(folder)
    plan_batches(np.full(5 * count, STEPS), 64, "random", seed=1, epoch=1)
    order = [store.ids[number] for number in np.random.default_rng(0).permutation(count)]
    for start in range(0, count, 64):
        store.read(order[start : start + 64])
    return time.process_time() - since


def make_store(folder: Path, count: int) -> None:
    """Rows of drawn features, 94 % zeros; the same hundred again and again, each stored by itself."""
    random = np.random.default_rng(0)
    shape = (100, GRID[0] * GRID[1], CHANNELS)
    rows = np.where(random.random(shape) < 0.06, random.gamma(1.0, 3.0, shape), 0.0).astype(np.float16)
    shards = []
    for number, start in enumerate(range(0, count, SHARD_ROWS)):
        ids = [f"{image}.jpg" for image in range(start, min(start + SHARD_ROWS, count))]
        with ShardWriter(folder, number, ids, GRID, CHANNELS, "zstd", {}) as writer:
            for first in range(0, len(ids), len(rows)):
                writer.write(first, rows[: len(ids) - first])
            shards.append(writer.commit())
    made = Fingerprint("drawn", "none", "none", "0" * 64, "float32", {})
    Manifest("drawn", GRID, CHANNELS, "zstd", made, {}, write_items(folder, []), tuple(shards)).save(folder)


def model_of(units: int, words: int) -> AttentionLSTM:
    """A captioner with drawn weights."""
    torch.manual_seed(0)
    return AttentionLSTM(ModelSettings(units=units, dropout=0.0), CHANNELS, words)


def training_step(units: int, words: int) -> float:
    """The shortest of three steps, forward and backward, of 32 captions."""
    model = model_of(units, words).train()
    batch = Batch(
        torch.rand(32, GRID[0] * GRID[1], CHANNELS), torch.randint(0, words, (32, STEPS)), torch.full((32,), STEPS)
    )
    times = []
    for _ in range(3):
        since = time.process_time()
        words_loss(model(batch).log_probs, batch.words, batch.lengths).mean().backward()
        times.append(time.process_time() - since)
    return min(times)


def beams(beam: int, folder: Path) -> float:
    """The shorter of two searches for the captions of 8 photos."""
    model, annotations = model_of(512, 10_000).eval(), torch.rand(8, GRID[0] * GRID[1], CHANNELS)
    vocabulary = Vocabulary((*SPECIAL, *(f"w{number}" for number in range(10_000 - len(SPECIAL)))))
    settings, times = SearchSettings(beam=beam, longest=STEPS), []
    for _ in range(2):
        since = time.process_time()
        beam_search(model, annotations, None, vocabulary, settings)
        times.append(time.process_time() - since)
    return min(times)


def workers(count: int, folder: Path) -> float:
    """Wall-clock of extraction of 60 photos a worker, `make features WORKERS=count`, its start included."""
    from memory import draw

    draw(folder, 60 * count)
    words = ["--dataset", "folder", "--images", f"{folder}/photos", "--captions", f"{folder}/captions.csv"]
    words += ["--encoder", "efficientnet_lite0", "--weights", "random:1", "--shard-rows", "20"]
    command = [sys.executable, "-m", "attend", "features", *words, "--out", f"{folder}", "--workers", f"{count}"]
    since = time.perf_counter()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return time.perf_counter() - since


SERIES: dict[str, Callable[[int, Path], float]] = {
    "photos": photos,
    "words": lambda count, folder: training_step(512, count),
    "units": lambda count, folder: training_step(count, 10_000),
    "beams": beams,
    "workers": workers,
}
SIZES = {
    "photos": (500, 2000, 5000, 20_000),
    "words": (1000, 5000, 10_000, 40_000),
    "units": (256, 512, 1024, 2048),
    "beams": (1, 2, 5, 10, 20),
    "workers": (1, 2, 4),
}
SMALL = {"photos": (200, 1000), "words": (1000, 10_000), "units": (128, 512), "beams": (1, 5)}
CHECKED = ("photos", "words", "beams")


def measure(series: str, size: int) -> Point:
    """In a child process."""
    command = [sys.executable, __file__, "--child", series, str(size)]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
    seconds, megabytes = done.stdout.splitlines()[-1].split()
    return Point(size, float(seconds), float(megabytes))


def child(series: str, size: int) -> None:
    """Print seconds and MB of one point."""
    with tempfile.TemporaryDirectory(prefix="bench-growth-") as folder:
        seconds = SERIES[series](size, Path(folder))
    peaks = [resource.getrusage(who).ru_maxrss for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    print(seconds, max(peaks) / 1024)


def exponent(points: list[Point]) -> float:
    """x of seconds ~ size^x between the two largest sizes, where what is the same for every size weighs least."""
    one, other = points[-2:]
    return math.log(other.seconds / one.seconds) / math.log(other.size / one.size)


def picture(found: dict[str, list[Point]], file: Path) -> None:
    """Time and memory as multiples of the first point, beside the line of linear growth."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(1, len(found), figsize=(3.0 * len(found), 3.2), layout="constrained", squeeze=False)
    for axis, (name, points) in zip(axes[0], found.items(), strict=True):
        sizes = [point.size for point in points]
        axis.plot(sizes, [size / sizes[0] for size in sizes], "--", color="0.7", label="linear")
        axis.plot(sizes, [point.seconds / points[0].seconds for point in points], "o-", color="#1f4e9c", label="time")
        memory = [point.megabytes / points[0].megabytes for point in points]
        axis.plot(sizes, memory, "s-", color="#d1622b", label="peak memory")
        axis.set(xscale="log", yscale="log", xlabel=name, xticks=sizes)
        axis.set_xticks([], minor=True)
        axis.set_xticklabels([f"{size:,}" for size in sizes], fontsize=8)
        for of_axis in (axis.yaxis.set_major_formatter, axis.yaxis.set_minor_formatter):
            of_axis(lambda value, _: f"{value:g}")
        axis.tick_params(axis="y", which="both", labelsize=8)
        axis.grid(True, color="0.92")
    axes[0][0].set_ylabel("multiple of the first")
    axes[0][0].legend(frameon=False, fontsize=8)
    file.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(file, dpi=110)


@click.command(help=__doc__)
@click.option("--small", is_flag=True, help="Two sizes of each, without workers.")
@click.option("--only", multiple=True, type=click.Choice(list(SERIES)), help="These only.")
@click.option("--out", default=Path("artifacts/bench/growth.png"), type=click.Path(path_type=Path), show_default=True)
def main(small: bool, only: tuple[str, ...], out: Path) -> None:
    sizes = {name: each for name, each in (SMALL if small else SIZES).items() if not only or name in only}
    print(f"Growth, {machine(CPU)}, {torch.get_num_threads()} threads\n")
    found = {name: [measure(name, size) for size in each] for name, each in sizes.items()}
    rows = []
    for name, points in found.items():
        for point in points:
            last = f"{exponent(points):.2f}" if point is points[-1] else ""
            rows.append([name, f"{point.size:,}", f"{point.seconds:.3g}", f"{point.megabytes:.0f}", last])
    print(table(["of", "number", "seconds", "peak MB", "time grows as number^"], rows))
    picture(found, out)
    print(f"\n{out}")
    steep = [name for name in CHECKED if name in found and exponent(found[name]) > LINEAR]
    if steep:
        sys.exit(f"more than linear: {', '.join(steep)}")


if __name__ == "__main__":
    if "--child" in sys.argv:
        child(sys.argv[2], int(sys.argv[3]))
    else:
        main()
