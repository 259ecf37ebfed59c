"""The scores of one run on one split, with all that says what the numbers mean: as JSON and as a table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from attend.score.metrics.bleu import ORDERS, Bleu
from attend.score.metrics.bootstrap import CONFIDENCE, RESAMPLES
from attend.score.metrics.cider import NAME as CIDER
from attend.score.metrics.diversity import Diversity
from attend.score.metrics.panel import NO_REFERENCES, Cell
from attend.score.metrics.tokens import TOKENISATION
from attend.score.search.told import tell_search

SCALE = f"0 to 100, {CIDER} 0 to 1000"
INTERVALS = f"{CONFIDENCE:.0%} intervals of {RESAMPLES:,} bootstrap resamples of the images"
IN_THE_BLEU_LINES = frozenset(f"BLEU-{n}{kind}" for n in (1, 2, 3) for kind in ("", " without penalty"))
FOREIGN_SHARE = 0.1
"""A larger share of references with letters that English does not have is warned of; `café` now and then is English."""


@dataclass(frozen=True)
class Scores:
    """The metrics of one caption an image, and what was scored, with what settings."""

    run: str
    dataset: str
    split: str
    variant: str
    step: int | None
    """Training step of the weights; None for an ensemble, where it stands with the members, like the seed."""
    seed: int | None
    members: tuple[dict[str, Any], ...]
    """The runs of an ensemble, none for a single run."""
    search: dict[str, Any]
    features: dict[str, Any]
    """Fingerprint of the annotations: encoder, its weights, preprocessing."""
    made_from: dict[str, Any]
    """Hashes of the checkpoint and of the store's files: equal ones, and equal search, give equal scores."""
    images: int
    skipped: tuple[str, ...]
    """Captioned images without references: not scored."""
    missing: tuple[str, ...]
    """Images of the split without features: not captioned."""
    references: tuple[int, int, int]
    """Fewest of an image, most, all together."""
    empty_references: int
    foreign_references: int
    """References with letters that English does not have."""
    unfinished: int
    """Captions cut at the length limit."""
    empty_captions: int
    bleu: Bleu | None
    """None: no image has a reference."""
    families: tuple[str, ...]
    """The metrics that were asked for."""
    cells: tuple[Cell, ...]
    """All metrics with their intervals, or why there is none."""
    diversity: Diversity

    def to_record(self) -> dict[str, Any]:
        """Plain data for `scores-SPLIT.json`."""
        fewest, most, together = self.references
        return {
            "run": self.run,
            "dataset": self.dataset,
            "split": self.split,
            "scale": SCALE,
            "tokenisation": TOKENISATION,
            **_bleu_record(self.bleu),
            "metrics_asked": list(self.families),
            "metrics": {cell.name: cell.to_record() for cell in self.cells},
            "intervals": INTERVALS,
            "captions": self.diversity.to_record(),
            "images": self.images,
            "skipped_without_references": list(self.skipped),
            "missing_without_features": list(self.missing),
            "references": {"fewest": fewest, "most": most, "all": together, "empty_left_out": self.empty_references},
            "references_not_in_english_letters": self.foreign_references,
            "unfinished_captions": self.unfinished,
            "empty_captions": self.empty_captions,
            "variant": self.variant,
            "step": self.step,
            "seed": self.seed,
            "members": list(self.members),
            "search": self.search,
            "features": self.features,
            "made_from": self.made_from,
        }

    def table(self) -> str:
        """The scores for a terminal, and a line for everything that was left out."""
        fewest, most, together = self.references
        each = f"{fewest}" if fewest == most else f"{fewest} to {most}"
        lines = [
            f"{self.run} on {self.dataset}, split {self.split}: {self.images} images, {each} references each",
            f"{tell_search(self.search)}, "
            + ("" if self.search["context"] == "expected" else f"context {self.search['context']}, ")
            + f"features {self.features['encoder']} ({self.features['weights']}), PTB tokens, scale {SCALE}",
            "",
            *_bleu_lines(self.bleu),
            *cell_lines([cell for cell in self.cells if self.bleu and cell.name not in IN_THE_BLEU_LINES]),
            *self.diversity.lines(),
        ]
        if self.members:
            names = ", ".join(member["run"] for member in self.members)
            lines.insert(1, f"mean of the word distributions of {len(self.members)} runs: {names}")
        counted = [
            (len(self.missing), "images of the split have no features and were not captioned: run `make features`"),
            (len(self.skipped), "images have no reference captions and were not scored"),
            (self.empty_references, "references without a word were left out"),
            (self.unfinished, f"captions were cut at {self.search['longest']} words"),
            (self.empty_captions, "captions are empty"),
        ]
        lines += [f"{count} {what}" for count, what in counted if count]
        lines += foreign_warning(self.foreign_references, together)
        return "\n".join(lines)


def foreign_warning(foreign: int, together: int) -> list[str]:
    """A line when more than a tenth of the references have letters that English does not have; else none."""
    if foreign <= FOREIGN_SHARE * together:
        return []
    return [
        f"warning: {foreign} of {together} references have letters that English does not have; "
        "the PTB tokeniser is made for English and parts words at spaces only"
    ]


def cell_lines(cells: Sequence[Cell]) -> list[str]:
    """A line a metric: its score and interval, or why there is none."""
    width = max((len(cell.name) for cell in cells), default=0)
    lines = []
    for cell in cells:
        if cell.score is None:
            lines.append(f"{cell.name:<{width}}  {cell.note}")
        else:
            note = f"  ({cell.note})" if cell.note else ""
            lines.append(f"{cell.name:<{width}}  {cell.score:6.2f}  [{cell.low:.2f}, {cell.high:.2f}]{note}")
    return [f"with {INTERVALS}", *lines] if any(cell.score is not None for cell in cells) else lines


def _bleu_record(bleu: Bleu | None) -> dict[str, Any]:
    if bleu is None:
        return {"skipped": NO_REFERENCES, "bleu_with_penalty": None, "bleu_without_penalty": None}
    return {
        "bleu_with_penalty": _named(bleu.with_penalty),
        "bleu_without_penalty": _named(bleu.without_penalty),
        "brevity_penalty": bleu.penalty,
        "length_ratio": bleu.ratio,
        "caption_words": bleu.caption_words,
        "reference_words": bleu.reference_words,
    }


def _bleu_lines(bleu: Bleu | None) -> list[str]:
    if bleu is None:
        return [f"scores {NO_REFERENCES}"]
    return [
        f"{'':<24}" + "".join(f"{f'BLEU-{n}':>9}" for n in range(1, ORDERS + 1)),
        _row("with brevity penalty", bleu.with_penalty),
        _row("without", bleu.without_penalty),
        f"length ratio {bleu.ratio:.3f} ({bleu.caption_words} words for {bleu.reference_words}), "
        f"brevity penalty {bleu.penalty:.3f}",
    ]


def _named(scores: tuple[float, ...]) -> dict[str, float]:
    return {f"BLEU-{n}": score for n, score in enumerate(scores, start=1)}


def _row(name: str, scores: tuple[float, ...]) -> str:
    return f"{name:<24}" + "".join(f"{score:>9.2f}" for score in scores)
