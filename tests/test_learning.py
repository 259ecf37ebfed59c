"""Learning curves of a report: the likelihood against BLEU, and where the two part."""

from __future__ import annotations

import xml.etree.ElementTree as ET

from attend.score.report.curves import HEIGHT, LEFT, RIGHT, TOP, WIDTH
from attend.score.report.learning import divergence, learning_curves


def log(likelihood: list[float | None], bleu: list[float]) -> list[dict]:
    validations = [
        {
            "kind": "validation",
            "step": 100 * (n + 1),
            "bleu4": b,
            "bleu4_without_penalty": b + 1,
            "log_likelihood": p,
            "kept": b > max(bleu[:n], default=-1),
        }
        for n, (p, b) in enumerate(zip(likelihood, bleu, strict=True))
    ]
    return [{"kind": "start", "step": 0}, {"kind": "step", "step": 50, "loss_per_word": 3.0}, *validations]


def test_the_best_of_both_are_marked_where_they_are() -> None:
    (title, first), (_, second) = learning_curves(log([-3.0, -2.0, -2.5, -2.7], [5.0, 9.0, 12.0, 11.0]))
    assert title == "Log-likelihood per word"
    for svg in (first, second):
        marks = [path.attrib for path in ET.fromstring(svg).iter("path") if "mark" in path.attrib["class"]]
        across = (WIDTH - RIGHT - LEFT) / 400
        assert [mark["class"] for mark in marks] == ["mark with", "mark validation"]
        assert [float(mark["d"].split()[0][1:]) for mark in marks] == [LEFT + 300 * across, LEFT + 200 * across]
        assert all(mark["d"].endswith(f"{TOP}V{HEIGHT - 34}") for mark in marks)
    training = [path for path in ET.fromstring(first).iter("path") if path.attrib["class"] == "line training"]
    assert len(training) == 2, "the curve and its line in the legend"


def test_the_divergence_is_told_in_words() -> None:
    assert "best at step 200, before BLEU-4 at step 300" in divergence(log([-3.0, -2.0, -2.5], [5.0, 9.0, 12.0]))
    assert "best at step 300, after BLEU-4 at step 200" in divergence(log([-3.0, -2.0, -1.5], [5.0, 9.0, 8.0]))
    assert "at the same step, 200" in divergence(log([-3.0, -2.0, -2.5], [5.0, 9.0, 8.0]))


def test_the_weights_that_were_kept_count_not_the_highest_number_of_the_log() -> None:
    lines = log([-3.0, -2.0], [0.002, 0.001])
    lines[-1]["kept"] = True  # without four right words in a row BLEU-4 says nothing, and likelihood decided
    assert "at the same step, 200" in divergence(lines)


def test_an_older_log_has_curves_without_marks() -> None:
    old = log([None, None], [5.0, 9.0])
    (_, first), (_, second) = learning_curves(old)
    assert "mark" not in first + second and "validation" not in first.split("aria-label")[1].split(">", 1)[1]
    assert divergence(old) == ""
    assert learning_curves([]) == []
