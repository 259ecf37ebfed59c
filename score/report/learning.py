"""Learning curves of a run: the likelihood of what people wrote against BLEU of what the model writes."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from attend.score.report.curves import Line, Mark, curves_svg

Log = Sequence[dict[str, Any]]


def learning_curves(log: Log) -> list[tuple[str, str]]:
    """Titles and SVG of the likelihood per word and of validation BLEU-4 over the steps; none for what the log does not
    tell. Where both are known, the best of each is marked in both."""
    training = [(step, -value) for step, value in _points(log, "step", "loss_per_word")]
    marks = _best(log)
    likelihood = [
        Line("training, with dropout", "training", training),
        Line("validation", "validation", _points(log, "validation", "log_likelihood")),
    ]
    bleu = [
        Line("with brevity penalty", "with", _points(log, "validation", "bleu4")),
        Line("without", "without", _points(log, "validation", "bleu4_without_penalty")),
    ]
    named = [
        ("Log-likelihood per word", curves_svg("log-likelihood per word by training step", likelihood, marks=marks)),
        ("BLEU-4 on validation photos", curves_svg("validation BLEU-4 by training step", bleu, lowest=0, marks=marks)),
    ]
    return [(title, svg) for title, svg in named if svg]


def divergence(log: Log) -> str:
    """A sentence on whether likelihood and BLEU agree about the best weights; "" where one of them is not known."""
    best = _best(log)
    if len(best) < 2:
        return ""
    bleu, likelihood = best
    if bleu.step == likelihood.step:
        return f"BLEU-4 and the validation likelihood are best at the same step, {bleu.step:,}."
    order = "before" if likelihood.step < bleu.step else "after"
    return (
        f"The validation likelihood is best at step {likelihood.step:,}, {order} BLEU-4 at step {bleu.step:,}: the two "
        "part, as the paper saw, and weights are selected on BLEU-4."
    )


def _points(log: Log, event: str, name: str) -> list[tuple[float, float]]:
    return [(line["step"], line[name]) for line in log if line["kind"] == event and line.get(name) is not None]


def _best(log: Log) -> list[Mark]:
    """Of which validation the weights were kept, by BLEU-4, and where the likelihood is highest, the first step of
    equals; none unless both are known."""
    kept = [line["step"] for line in log if line["kind"] == "validation" and line.get("kept")]
    points = [point for point in _points(log, "validation", "log_likelihood") if math.isfinite(point[1])]
    if not (kept and points):
        return []
    likeliest = max(points, key=lambda point: point[1])[0]
    return [Mark(kept[-1], "best BLEU-4", "with"), Mark(int(likeliest), "best likelihood", "validation")]
