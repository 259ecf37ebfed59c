"""All metrics of sets of captions, side by side: one that fails says why in its place and costs the others nothing."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from attend.errors import UserError
from attend.score.metrics.bleu import ORDERS, bleu_metrics
from attend.score.metrics.bootstrap import CONFIDENCE, RESAMPLES, interval, resample
from attend.score.metrics.cider import NAME as CIDER
from attend.score.metrics.cider import cider
from attend.score.metrics.measured import Measured, TokenisedSet, Unmeasured, mean_over_sets
from attend.score.metrics.meteor import NAME as METEOR
from attend.score.metrics.meteor import meteor
from attend.score.metrics.rouge import NAME as ROUGE
from attend.score.metrics.rouge import rouge
from attend.score.metrics.spice import NAME as SPICE
from attend.score.metrics.spice import spice

BLEUS = tuple(f"BLEU-{n}{kind}" for kind in ("", " without penalty") for n in range(1, ORDERS + 1))
NO_REFERENCES = "skipped: no image has a reference caption"


@dataclass(frozen=True)
class Family:
    """Metrics that are computed together."""

    names: tuple[str, ...]
    measure: Callable[[Sequence[TokenisedSet]], list[list[Measured]]]


FAMILIES = {
    "bleu": Family(BLEUS, bleu_metrics),
    "meteor": Family((METEOR,), meteor),
    "rouge": Family((ROUGE,), rouge),
    "cider": Family((CIDER,), cider),
    "spice": Family((SPICE,), spice),
}
DEFAULT = ("bleu", "meteor", "rouge", "cider")


def chosen_families(words: str) -> tuple[str, ...]:
    """The families named in `words`, with commas or spaces between them. UserError for one that does not exist."""
    names = tuple(dict.fromkeys(words.replace(",", " ").lower().split()))
    unknown = [name for name in names if name not in FAMILIES]
    if unknown or not names:
        raise UserError(f"unknown metric {unknown[0] if unknown else words!r}: choose from {', '.join(FAMILIES)}")
    return names


def measure(sets: Sequence[TokenisedSet], families: Sequence[str]) -> list[list[Measured | Unmeasured]]:
    """Every metric of every set, in the order of `families`."""
    results: list[list[Measured | Unmeasured]] = [[] for _ in sets]
    for family in families:
        found: Sequence[Sequence[Measured | Unmeasured]]
        try:
            if not all(each.captions for each in sets):
                found = [[Unmeasured(name, NO_REFERENCES) for name in FAMILIES[family].names] for _ in sets]
            else:
                found = FAMILIES[family].measure(sets)
        except Exception as error:  # its cell says why
            reason = str(error) if isinstance(error, UserError) else f"{type(error).__name__}: {error}"
            found = [[Unmeasured(name, f"failed: {reason}") for name in FAMILIES[family].names] for _ in sets]
        for result, part in zip(results, found, strict=True):
            result.extend(part)
    return results


def mean_of_sets(results: Sequence[Sequence[Measured | Unmeasured]]) -> list[Measured | Unmeasured]:
    """Each metric's mean over several sets of captions of the same images; unmeasured in one, unmeasured in all."""
    means: list[Measured | Unmeasured] = []
    for parts in zip(*results, strict=True):
        whole = [part for part in parts if isinstance(part, Measured)]
        missing = [part for part in parts if isinstance(part, Unmeasured)]
        means.append(missing[0] if missing else mean_over_sets(whole))
    return means


@dataclass(frozen=True)
class Cell:
    """One metric as it is reported: a score with its interval, or the reason why there is none."""

    name: str
    score: float | None
    low: float = 0.0
    high: float = 0.0
    note: str = ""

    def to_record(self) -> dict[str, Any]:
        """Plain data. A metric without a number has no `score`, and says why."""
        if self.score is None:
            return {"missing": self.note}
        return {"score": self.score, "interval": [self.low, self.high]} | ({"note": self.note} if self.note else {})


def make_cells(
    results: Sequence[Measured | Unmeasured],
    resamples: int = RESAMPLES,
    seed: int = 1,
    confidence: float = CONFIDENCE,
) -> tuple[Cell, ...]:
    """The cells of one set of captions, in the order of `results`."""
    measured = [each for each in results if isinstance(each, Measured)]
    rows = resample(measured, resamples, seed) if measured else ()
    draws = dict(zip([each.name for each in measured], rows, strict=True))
    return tuple(
        Cell(each.name, each.score, *interval(draws[each.name], confidence), note=each.note)
        if isinstance(each, Measured)
        else Cell(each.name, None, note=each.reason)
        for each in results
    )
