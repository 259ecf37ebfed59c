"""Rows of scores with all that says what the numbers mean, as plain data."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from attend.data.listing import some
from attend.score.metrics.bootstrap import CONFIDENCE, Difference
from attend.score.metrics.cider import NAME as CIDER
from attend.score.metrics.references import References
from attend.score.metrics.tokens import TOKENISATION
from attend.score.paper import SOURCE, paper_rows
from attend.score.score_rows import Row
from attend.score.scores import SCALE, foreign_warning
from attend.score.seeds import Spread


@dataclass(frozen=True)
class Comparison:
    """Two rows against each other, metric by metric."""

    first: str
    second: str
    differences: list[Difference]


@dataclass(frozen=True)
class ScoreTable:
    """What `attend score` prints and writes."""

    source: str
    """Where the references come from."""
    dataset: str | None
    references: References
    rows: list[Row]
    resamples: int
    comparisons: list[Comparison]
    spreads: list[Spread]
    remarks: list[str]

    def to_record(self) -> dict[str, Any]:
        """Plain data for a JSON file."""
        fewest, most, together = self.references.counts
        paper = paper_rows(self.dataset)
        return {
            "scale": SCALE,
            "tokenisation": TOKENISATION,
            "references": {
                "source": self.source,
                "fewest": fewest,
                "most": most,
                "all": together,
                "empty_left_out": self.references.empty,
                "not_in_english_letters": self.references.foreign,
                "images_without": list(self.references.skipped),
            },
            "intervals": {"confidence": CONFIDENCE, "resamples": self.resamples},
            "rows": [_row_record(row) for row in self.rows],
            "comparisons": [_comparison_record(each) for each in self.comparisons],
            "over_seeds": {each.name: {"mean": each.mean, "deviation": each.deviation} for each in self.spreads},
            "paper": {"source": SOURCE, "rows": paper} if paper else None,
            "notes": self.notes(),
        }

    def notes(self) -> list[str]:
        """How the numbers were made, and everything that was left out, a line each."""
        skipped, empty = len(self.references.skipped), self.references.empty
        general = [
            f"references: {self.source}; tokens: {TOKENISATION}; scale {SCALE}",
            f"in brackets: {CONFIDENCE:.0%} of {self.resamples:,} bootstrap resamples of the images; BLEU and METEOR "
            f"are computed anew from each, {CIDER} keeps the document frequencies of all images",
            f"{CIDER} is what pycocoevalcap and the COCO server call CIDEr",
        ]
        if len({row.against for row in self.rows}) > 1:
            general.append("more references give higher BLEU, METEOR and ROUGE-L: compare only columns with as many")
        left_out = [
            (skipped, "images have no reference captions and were not scored"),
            (empty, "references without a word were left out"),
        ]
        return [
            *general,
            *(note for row in self.rows for note in _row_notes(row)),
            *(f"{count} {what}" for count, what in left_out if count),
            *foreign_warning(self.references.foreign, self.references.counts[2]),
            *([f"paper: {SOURCE}"] if paper_rows(self.dataset) else []),
            *self.remarks,
        ]


def _row_notes(row: Row) -> list[str]:
    counted = [
        (len(row.surplus), f"captions are of other images and were left out: {some(row.surplus)}"),
        (row.unfinished, "captions were cut at the length limit"),
        (row.empty, "captions are empty"),
    ]
    return [
        f"{row.name}: {row.images} images, {row.against} references each",
        *(f"{row.name}: {count} {what}" for count, what in counted if count),
        *(f"{row.name}: {line}" for line in (row.diversity.lines() if row.diversity else [])),
        *(f"{row.name}: {cell.name}: {cell.note}" for cell in row.cells if cell.note),
    ]


def _row_record(row: Row) -> dict[str, Any]:
    return {
        "name": row.name,
        "references_each": row.against,
        "images": row.images,
        "metrics": {cell.name: cell.to_record() for cell in row.cells},
        "captions": row.diversity.to_record() if row.diversity else None,
        "surplus": list(row.surplus),
        "unfinished_captions": row.unfinished,
        "empty_captions": row.empty,
    }


def _comparison_record(each: Comparison) -> dict[str, Any]:
    metrics = {
        one.name: {
            "first": one.first,
            "second": one.second,
            "difference": one.first - one.second,
            "interval": [one.low, one.high],
            "first_better": one.better,
        }
        for one in each.differences
    }
    return {"first": each.first, "second": each.second, "metrics": metrics}
