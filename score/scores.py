"""The scores of one run on one split, with all that says what the numbers mean: as JSON and as a table."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from attend.score.metrics.bleu import ORDERS, Bleu
from attend.score.metrics.tokens import TOKENISATION

FOREIGN_SHARE = 0.1
"""A larger share of references with letters that English does not have is warned of; `café` now and then is English."""


@dataclass(frozen=True)
class Scores:
    """Corpus BLEU of one caption an image, and what was scored, with what settings."""

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
    bleu: Bleu

    def to_record(self) -> dict[str, Any]:
        """Plain data for `scores-SPLIT.json`."""
        bleu = self.bleu
        fewest, most, together = self.references
        return {
            "run": self.run,
            "dataset": self.dataset,
            "split": self.split,
            "scale": "0 to 100",
            "tokenisation": TOKENISATION,
            "bleu_with_penalty": _named(bleu.with_penalty),
            "bleu_without_penalty": _named(bleu.without_penalty),
            "brevity_penalty": bleu.penalty,
            "length_ratio": bleu.ratio,
            "caption_words": bleu.caption_words,
            "reference_words": bleu.reference_words,
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
        bleu, (fewest, most, together) = self.bleu, self.references
        each = f"{fewest}" if fewest == most else f"{fewest} to {most}"
        lines = [
            f"{self.run} on {self.dataset}, split {self.split}: {self.images} images, {each} references each",
            f"beam {self.search['beam']}, length normalisation {self.search['length_normalisation']}, "
            + ("" if self.search["context"] == "expected" else f"context {self.search['context']}, ")
            + f"features {self.features['encoder']} ({self.features['weights']}), PTB tokens, scale 0 to 100",
            "",
            f"{'':<24}" + "".join(f"{f'BLEU-{n}':>9}" for n in range(1, ORDERS + 1)),
            _row("with brevity penalty", bleu.with_penalty),
            _row("without", bleu.without_penalty),
            f"length ratio {bleu.ratio:.3f} ({bleu.caption_words} words for {bleu.reference_words}), "
            f"brevity penalty {bleu.penalty:.3f}",
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
        if self.foreign_references > FOREIGN_SHARE * together:
            lines.append(
                f"warning: {self.foreign_references} of {together} references have letters that English does not have; "
                "the PTB tokeniser is made for English and parts words at spaces only"
            )
        return "\n".join(lines)


def _named(scores: tuple[float, ...]) -> dict[str, float]:
    return {f"BLEU-{n}": score for n, score in enumerate(scores, start=1)}


def _row(name: str, scores: tuple[float, ...]) -> str:
    return f"{name:<24}" + "".join(f"{score:>9.2f}" for score in scores)
