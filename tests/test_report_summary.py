"""The table of scores in a report: intervals, what is missing and why, and the paper's rows where they belong."""

from __future__ import annotations

import pytest

from attend.score.report.summary import Cell, about_the_table, headline, notes, score_table


def record(dataset: str = "flickr8k", split: str = "test", **changes: object) -> dict:
    metrics = {
        "BLEU-4": {"score": 20.0, "interval": [19.0, 21.5]},
        "BLEU-4 without penalty": {"score": 20.5, "interval": [19.5, 22.0]},
        "METEOR": {"missing": "failed: no Java"},
    }
    return {
        "dataset": dataset,
        "split": split,
        "metrics": metrics,
        "images": 1000,
        "references": {"fewest": 4, "most": 5, "all": 4990},
        "search": {"beam": 5, "length_normalisation": 0.7},
        "bleu_with_penalty": {},
        "length_ratio": 0.98,
        "caption_words": 9800,
        "reference_words": 10000,
        "brevity_penalty": 0.98,
        "missing_without_features": ["x"],
        "skipped_without_references": [],
        "unfinished_captions": 3,
        "empty_captions": 0,
        "scale": "0 to 100",
        "tokenisation": "PTB",
        "intervals": "95% intervals",
    } | changes


def test_the_papers_rows_stand_beside_the_run_and_only_for_its_datasets() -> None:
    table = score_table([record()])
    assert [row.name for row in table.rows] == ["this run, test", "paper, soft", "paper, hard"]
    column = table.columns.index("BLEU-4 without penalty")
    assert table.rows[0].cells[column] == Cell(20.5, 19.5, 22.0)
    assert [row.cells[column].score for row in table.rows[1:]] == [19.5, 21.3]  # Table 1 of the paper
    assert "BLEU-4" in table.columns and "SPICE" not in table.columns
    assert [row.name for row in score_table([record("scenes")]).rows] == ["this run, test"]


def test_a_metric_without_a_number_says_why() -> None:
    table = score_table([record("scenes")])
    assert table.rows[0].cells[table.columns.index("METEOR")] == Cell(why="failed: no Java")
    assert headline(record()) == [("BLEU-4", Cell(20.0, 19.0, 21.5))]
    assert "METEOR: failed: no Java." in notes(record())


@pytest.mark.fault("scores of a split the paper does not report", "said beside the table", "Captions and pictures")
def test_another_split_than_the_papers_is_said() -> None:
    assert not any("of the test split, this run" in line for line in about_the_table([record()]))
    assert any(
        "of the test split, this run's first row of val" in line for line in about_the_table([record(split="val")])
    )
    assert not any("aper" in line for line in about_the_table([record("scenes", "val")]))


def test_what_was_left_out_is_counted() -> None:
    lines = notes(record())
    assert lines[:2] == [
        "flickr8k, split test: 1,000 photos, 4 to 5 references each.",
        "Search: beam 5, length normalisation 0.7.",
    ]
    assert "1 photos without features were not captioned." in lines
    assert "3 captions were cut at the length limit." in lines
    assert not any("empty" in line or "without references" in line for line in lines)
    assert not any("Length ratio" in line for line in notes(record(bleu_with_penalty=None)))
