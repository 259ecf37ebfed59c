"""All metrics of 1,000 captions with 5 references each, outside decoding: `python bench/score.py [KARPATHY.json]`.

With a Karpathy file the captions are the first ones of its val photos and the references all five of them (so the
scores are not to be compared with anything); without it sentences are drawn from a small grammar. *Peer* is what
pycocoevalcap's COCOEvalCap does, in its order and with its classes, but for SPICE, whose models it does not ship. Ours
takes the times of `make score`: the tokeniser, every metric, and 1,000 resamples for the intervals. Seconds are
wall-clock; processor time of this process and its children stands beside them, which other work disturbs less. The
scores are compared. The exit status is 1 when ours takes a minute of processor time or more, when a score differs, or
when a process that was started is still there afterwards.
"""

from __future__ import annotations

import json
import os
import random
import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import click
import psutil
import torch
from limits import machine, table
from pycocoevalcap.bleu.bleu import Bleu
from pycocoevalcap.cider.cider import Cider
from pycocoevalcap.meteor.meteor import Meteor
from pycocoevalcap.rouge.rouge import Rouge
from pycocoevalcap.tokenizer.ptbtokenizer import PTBTokenizer

from attend.score.metrics.java import java_environment
from attend.score.metrics.measured import Measured, TokenisedSet
from attend.score.metrics.panel import FAMILIES, make_cells
from attend.score.metrics.references import tokenise_references
from attend.score.metrics.scoring import tokenised_set

MINUTE = 60.0
CLOSE = 1e-4
"""Scores agree to 4 decimals on the scale 0 to 100."""

SUBJECTS = ["man", "woman", "boy", "girl", "dog", "horse", "player", "rider", "couple", "bird", "skier", "surfer"]
LOOKS = ["young", "old", "small", "large", "brown", "black", "white", "smiling", "wet", "striped", "muddy"]
DOINGS = ["walks", "runs", "jumps", "sits", "stands", "sleeps", "plays", "swims", "climbs", "waits", "rests"]
PLACES = ["beach", "street", "field", "pool", "bench", "park", "river", "kitchen", "road", "forest", "market"]
LINKS = ["on", "in", "near", "beside", "behind", "above", "across"]


class Stopwatch:
    """Wall-clock and processor seconds of named parts."""

    def __init__(self) -> None:
        self.parts: dict[str, tuple[float, float]] = {}

    def time(self, name: str, work: Callable[[], Any]) -> Any:
        """What `work` returns."""
        wall, used = time.perf_counter(), processor_seconds()
        result = work()
        self.parts[name] = time.perf_counter() - wall, processor_seconds() - used
        return result

    @property
    def total(self) -> tuple[float, float]:
        """Of all parts."""
        walls, used = zip(*self.parts.values(), strict=True)
        return sum(walls), sum(used)


def processor_seconds() -> float:
    """Of this process, of its children that have ended, and of those that run."""
    own = sum(os.times()[:4])
    return own + sum(sum(child.cpu_times()[:2]) for child in psutil.Process().children(recursive=True))


def ours(captions: Mapping[str, str], references: Mapping[str, list[str]], watch: Stopwatch) -> dict[str, float]:
    """Scores by name, and the times of the parts in `watch`."""
    tokens: TokenisedSet = watch.time(
        "tokeniser", lambda: tokenised_set(list(captions.items()), tokenise_references(references))
    )
    results: list[Measured] = []
    for name in ("bleu", "meteor", "rouge", "cider"):
        [measured] = watch.time(name, lambda name=name: FAMILIES[name].measure([tokens]))  # type: ignore[misc]
        results += measured
    watch.time("intervals", lambda: make_cells(results))
    return {result.name: result.score for result in results}


def peer(captions: Mapping[str, str], references: Mapping[str, list[str]], watch: Stopwatch) -> dict[str, float]:
    """The same from pycocoevalcap, 0 to 100."""

    def tokens() -> tuple[dict[str, list[str]], dict[str, list[str]]]:
        spoken = {image: [{"caption": text} for text in group] for image, group in references.items()}
        said = {image: [{"caption": text}] for image, text in captions.items()}
        return PTBTokenizer().tokenize(spoken), PTBTokenizer().tokenize(said)

    truth, found = watch.time("tokeniser", tokens)
    scores: dict[str, float] = {}
    names = {
        "bleu": [f"BLEU-{n}" for n in range(1, 5)],
        "meteor": ["METEOR"],
        "rouge": ["ROUGE-L"],
        "cider": ["CIDEr-D"],
    }
    makers: dict[str, Callable[[], Any]] = {"bleu": lambda: Bleu(4), "meteor": Meteor, "rouge": Rouge, "cider": Cider}
    for part, make in makers.items():
        score, _ = watch.time(part, lambda make=make: make().compute_score(truth, found))  # type: ignore[misc]
        values = score if isinstance(score, list) else [score]
        scores |= {name: 100 * float(value) for name, value in zip(names[part], values, strict=True)}
    return scores


def karpathy(file: Path, images: int) -> tuple[dict[str, str], dict[str, list[str]]]:
    """Captions and references of the first val photos."""
    photos = [row for row in json.loads(file.read_text(encoding="utf-8"))["images"] if row["split"] == "val"]
    texts = {row["filename"]: [each["raw"] for each in row["sentences"][:5]] for row in photos[:images]}
    return {image: group[0] for image, group in texts.items()}, texts


def drawn(images: int) -> tuple[dict[str, str], dict[str, list[str]]]:
    """A caption and five references of each image, which share some of their words."""
    chance = random.Random(1)
    captions, references = {}, {}
    for number in range(images):
        subject, place = chance.choice(SUBJECTS), chance.choice(PLACES)
        sentences = [
            f"A {chance.choice(LOOKS)} {subject} {chance.choice(DOINGS)} {chance.choice(LINKS)} a "
            f"{chance.choice(LOOKS)} {place} and a {chance.choice(SUBJECTS)}."
            for _ in range(6)
        ]
        captions[f"{number}.jpg"], references[f"{number}.jpg"] = sentences[0], sentences[1:]
    return captions, references


@click.command(help=__doc__)
@click.argument("file", required=False, type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option("--images", default=1000, show_default=True)
def main(file: Path | None, images: int) -> None:
    os.environ["PATH"] = java_environment()["PATH"]  # for the peer, which starts plain `java`
    captions, references = karpathy(file, images) if file else drawn(images)
    mine, theirs = Stopwatch(), Stopwatch()
    found = ours(captions, references, mine)
    left = [child.name() for child in psutil.Process().children(recursive=True)]
    expected = peer(captions, references, theirs)
    print(f"Scoring, {machine(torch.device('cpu'))}; {len(captions)} captions, 5 references each\n")
    rows = [
        [part, *cells(mine.parts[part]), *(cells(theirs.parts[part]) if part in theirs.parts else ["", ""])]
        for part in mine.parts
    ]
    rows.append(["all", *cells(mine.total), *cells(theirs.total)])
    print(table(["part", "ours, s", "processor s", "peer, s", "processor s"], rows))
    apart = {name: abs(found[name] - value) for name, value in expected.items()}
    print()
    print(
        table(
            ["row", "processor s", "ratio to the peer"],
            [
                ["peer", f"{theirs.total[1]:.1f}", "1.00"],
                ["ours", f"{mine.total[1]:.1f}", f"{theirs.total[1] / mine.total[1]:.2f}"],
            ],
        )
    )
    print(f"\nlargest difference of a score: {max(apart.values()):.0e} of 100; processes left: {len(left)}")
    if left or mine.total[1] >= MINUTE or max(apart.values()) > CLOSE:
        sys.exit(f"processes left: {left}; {mine.total[1]:.1f} s of {MINUTE:.0f}; differences {apart}")


def cells(seconds: tuple[float, float]) -> list[str]:
    """Wall-clock and processor seconds as cells."""
    return [f"{each:.2f}" for each in seconds]


if __name__ == "__main__":
    main()
