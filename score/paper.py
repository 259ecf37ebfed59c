"""What the paper reports for its own models, to stand beside ours."""

from __future__ import annotations

SOURCE = (
    "Xu et al. 2015, Table 1: test split, single models on VGG-19 features, BLEU without the brevity penalty, "
    "scale 0 to 100; the table names no tokeniser"
)
COLUMNS = (*(f"BLEU-{n} without penalty" for n in range(1, 5)), "METEOR")
ROWS = {
    "flickr8k": {"soft": (67.0, 44.8, 29.9, 19.5, 18.93), "hard": (67.0, 45.7, 31.4, 21.3, 20.30)},
    "flickr30k": {"soft": (66.7, 43.4, 28.8, 19.1, 18.49), "hard": (66.9, 43.9, 29.6, 19.9, 18.46)},
    "coco": {"soft": (70.7, 49.2, 34.4, 24.3, 23.90), "hard": (71.8, 50.4, 35.7, 25.0, 23.04)},
}
"""By dataset and kind of attention, the numbers of `COLUMNS`."""


def paper_rows(dataset: str | None) -> dict[str, dict[str, float]]:
    """Table rows by name, each a score by metric; none for a dataset that is not in the paper."""
    rows = ROWS.get(dataset or "", {})
    return {f"paper, {kind}": dict(zip(COLUMNS, numbers, strict=True)) for kind, numbers in rows.items()}
