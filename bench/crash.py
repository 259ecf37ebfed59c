"""Is anything lost or done twice when extraction is killed again and again?

Extracts the photos of a folder (or drawn ones) once in peace, then into a second store that is killed with SIGKILL at
random moments, then lets it end. Prints how many photos each run encoded and stored, and exits with 1 unless both
stores hold the same, no run encoded more than it stored, plus one shard, plus the batches on their way to the writer,
plus the sample for the estimate of the size.
"""

from __future__ import annotations

import random
import signal
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

import click
import numpy as np
from PIL import Image

from attend.data.manifest import MANIFEST, Manifest
from attend.data.store_reader import FeatureStore
from attend.data.verify import verify
from attend.extract.size_estimate import SAMPLE
from attend.extract.writing import BATCHES_WAITING

COUNTING = """
import sys
from attend.extract.encoders import Encoder
encode, log = Encoder.encode, open(sys.argv.pop(1), "a")
def counting(self, pixels):
    print(len(pixels), file=log, flush=True)
    return encode(self, pixels)
Encoder.encode = counting
from attend.cli import main
main()
"""
"""The command `attend` that notes every call of the encoder, before it, in the file named first."""

ON_THEIR_WAY = BATCHES_WAITING + 2
"""Batches that are encoded but not written: in the encoder's hands, in the queue, in the writer's."""


@dataclass(frozen=True)
class Run:
    """One run: was it killed, how many photos were stored before it and after it, how many it encoded, and how many
    of these at most as a sample for the estimate."""

    killed: bool
    before: int
    after: int
    encoded: int
    sample: int

    def wasted(self) -> int:
        """Photos encoded and not stored, but for the sample."""
        return max(0, self.encoded - (self.after - self.before) - self.sample)


def faults(runs: list[Run], images: int, rows: int, batch: int) -> list[str]:
    """What went wrong, empty when nothing did."""
    bound = rows + ON_THEIR_WAY * batch
    found = [
        f"run {number} stored {run.after - run.before} photos and encoded {run.encoded}"
        for number, run in enumerate(runs, start=1)
        if run.wasted() > (bound if run.killed else 0)
    ]
    if runs[-1].after != images:
        found.append(f"{runs[-1].after} of {images} photos are stored in the end")
    return found


@click.command(help=__doc__)
@click.argument("photos", required=False, type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.option("--images", default=2000, show_default=True)
@click.option("--shard-rows", "rows", default=100, show_default=True)
@click.option("--batch", default=10, show_default=True)
@click.option("--kills", default=20, show_default=True)
@click.option("--encoder", default="efficientnet_lite0", show_default=True)
@click.option("--weights", default="imagenet", show_default=True)
@click.option("--seed", default=1, show_default=True, help="of the moments")
def main(
    photos: Path | None, images: int, rows: int, batch: int, kills: int, encoder: str, weights: str, seed: int
) -> None:
    with tempfile.TemporaryDirectory() as name:
        work = Path(name)
        chosen = choose(photos, images, work)
        words = ["--images", str(work / "photos"), "--captions", str(work / "captions.csv"), "--dataset", "folder"]
        words += ["--encoder", encoder, "--weights", weights, "--shard-rows", str(rows), "--batch", str(batch)]
        peace, harm = (work / kind / "features" / "folder" / encoder for kind in ("peace", "harm"))
        alone = run(words, work, peace, None, min(SAMPLE, chosen))
        print(f"in peace: {chosen} photos, {alone.encoded} encoded with the sample", flush=True)
        moments = random.Random(seed)
        runs: list[Run] = []
        print(f"{'run':>4}{'ended by':>10}{'encoded':>9}{'stored':>8}{'in all':>8}{'wasted':>8}")
        while not runs or runs[-1].killed:
            left = chosen - stored(harm)
            sample = min(SAMPLE, chosen) if left == chosen else 0
            moment = sample + moments.uniform(0, min(left, 2 * chosen / kills)) if len(runs) < kills else None
            runs.append(run(words, work, harm, moment, sample, moments.uniform(0, 0.2)))
            last = runs[-1]
            end = "SIGKILL" if last.killed else "itself"
            added = last.after - last.before
            print(f"{len(runs):>4}{end:>10}{last.encoded:>9}{added:>8}{last.after:>8}{last.wasted():>8}", flush=True)
        wrong = faults(runs, chosen, rows, batch) + differences(peace, harm)
    killed = sum(one.killed for one in runs)
    most = max(one.wasted() for one in runs)
    print(f"{killed} kills; {sum(one.encoded for one in runs)} photos encoded for {chosen}", end="; ")
    print(f"most wasted by a kill: {most} (bound: a shard of {rows} and {ON_THEIR_WAY} batches of {batch})")
    print("; ".join(wrong) or "both stores hold the same, byte for byte")
    if wrong:
        sys.exit(1)


def run(words: list[str], work: Path, folder: Path, photos: float | None, sample: int, delay: float = 0) -> Run:
    """One run of the command, killed `delay` seconds after more than `photos` were encoded, None: left to end. `sample`
    is what it encodes for its estimate."""
    log = work / "encoded.log"
    log.write_text("")
    before = stored(folder)
    out = ["--out", str(folder.parents[2])]
    with (work / "output.log").open("w") as output:
        process = subprocess.Popen(
            [sys.executable, "-c", COUNTING, str(log), "features", *words, *out], stdout=output, stderr=output
        )
        if photos is not None:
            while process.poll() is None and encoded(log) <= photos:
                time.sleep(0.01)
            time.sleep(delay)
            process.send_signal(signal.SIGKILL)
        status = process.wait()
    if status not in (0, -signal.SIGKILL):
        raise click.ClickException(f"the command ended with {status}:\n{(work / 'output.log').read_text()}")
    return Run(status != 0, before, stored(folder), encoded(log), sample)


def encoded(log: Path) -> int:
    """Photos that the encoder was given."""
    return sum(map(int, log.read_text().splitlines()))


def stored(folder: Path) -> int:
    """Photos that the manifest vouches for."""
    return Manifest.load(folder).images if (folder / MANIFEST).is_file() else 0


def differences(one: Path, other: Path) -> list[str]:
    """In which the stores differ: files, photos, or the bytes of a photo's features."""
    found = [f"{problem.where} {problem.what}" for problem in [*verify(one), *verify(other)]]
    left, right = FeatureStore(one), FeatureStore(other)
    if left.ids != right.ids:
        return [*found, "the stores hold other photos"]
    return found + [
        f"{image_id} has other features"
        for image_id in left.ids
        if left.read([image_id]).tobytes() != right.read([image_id]).tobytes()
    ]


def choose(photos: Path | None, images: int, work: Path) -> int:
    """Links to photos of the folder, or drawn ones, with a table of captions; returns how many."""
    (work / "photos").mkdir()
    if photos is None:
        for number in range(images):
            noise = np.random.default_rng(number).integers(0, 256, (48, 64, 3), dtype=np.uint8)
            Image.fromarray(noise).save(work / "photos" / f"{number:05d}.png")
    else:
        for path in sorted(path for path in photos.iterdir() if path.suffix.lower() in {".jpg", ".png"})[:images]:
            (work / "photos" / path.name).symlink_to(path.absolute())
    names = sorted(path.name for path in (work / "photos").iterdir())
    (work / "captions.csv").write_text("".join(["image,caption\n", *(f"{name},a photo\n" for name in names)]))
    return len(names)


if __name__ == "__main__":
    main()
