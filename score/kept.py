"""The files a scored run keeps in its folder, and whether they still are what would be made again."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from attend.data.atomic import write_atomically
from attend.score.metrics.panel import FAMILIES

Record = dict[str, Any]
FIELDS = (
    *("dataset", "split", "scale", "tokenisation", "intervals", "metrics", "images", "references", "step", "search"),
    *("skipped_without_references", "missing_without_features", "unfinished_captions", "empty_captions"),
    *("bleu_with_penalty", "brevity_penalty", "length_ratio", "caption_words", "reference_words"),
    *("made_from", "captions_sha256"),
)
"""Fields of `scores-SPLIT.json` without which it is of another version."""


def evaluation_paths(folder: Path, split: str) -> tuple[Path, Path, Path]:
    """Where a run's captions, scores and scores of single images of a split are."""
    return folder / f"captions-{split}.json", folder / f"scores-{split}.json", folder / f"per-image-{split}.jsonl"


def write_kept(
    folder: Path, split: str, rows: Sequence[Record], scores: Record, by_image: Iterable[Record]
) -> tuple[Path, Path, Path]:
    """Write the three files, the scores last and with the hash of the captions they are of; returns their paths."""
    captions, score_file, images = evaluation_paths(folder, split)
    lines = ",\n".join(json.dumps(row, ensure_ascii=False) for row in rows)
    content = f"[\n{lines}\n]\n".encode()
    write_atomically(captions, content)
    write_atomically(images, json_lines(by_image))
    write_atomically(score_file, json_text(scores | {"captions_sha256": hashlib.sha256(content).hexdigest()}))
    return captions, score_file, images


def json_text(record: Record) -> bytes:
    """A record as an indented JSON file."""
    return (json.dumps(record, ensure_ascii=False, indent=2) + "\n").encode()


def json_lines(records: Iterable[Record]) -> bytes:
    """A line of JSON a record."""
    return "".join(json.dumps(record, ensure_ascii=False) + "\n" for record in records).encode()


def kept_scores(folder: Path, split: str, made_from: Mapping[str, Any], search: Mapping[str, Any]) -> Record | None:
    """The scores, when their captions are there, unchanged, and made from the same with the same search; else None."""
    captions, scores, _ = evaluation_paths(folder, split)
    try:
        record: Record = json.loads(scores.read_text(encoding="utf-8"))
        same = (record["made_from"], record["search"]) == (made_from, search) and not set(FIELDS) - set(record)
        whole = hashlib.sha256(captions.read_bytes()).hexdigest() == record["captions_sha256"]
    except (OSError, ValueError, TypeError, KeyError):  # absent, damaged or of an older version: made again
        return None
    return record if same and whole else None


def kept_captions(folder: Path, split: str) -> list[Record]:
    """The captions that `kept_scores` vouches for."""
    rows: list[Record] = json.loads(evaluation_paths(folder, split)[0].read_text(encoding="utf-8"))
    return rows


def kept_families(record: Record) -> list[str]:
    """The metrics of kept scores, by the names they are asked for with; those that failed are not among them."""
    numbers = {name for name, cell in record["metrics"].items() if "score" in cell}
    return [family for family in record["metrics_asked"] if numbers.issuperset(FAMILIES[family].names)]
