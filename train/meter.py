"""What the log tells of several training steps."""

from __future__ import annotations

import time

from attend.train import ranks
from attend.train.step import StepResult
from attend.train.stream import BatchStream


class Meter:
    """Collects the results of steps, and the time they took, until `take`, which all processes call together."""

    def __init__(self, stream: BatchStream) -> None:
        self.stream = stream
        self.results: list[StepResult] = []
        self.since = time.monotonic()

    def add(self, result: StepResult) -> None:
        """One more step."""
        self.results.append(result)

    def take(self) -> dict[str, float]:
        """Means over captions, the rate, and the share of the time that the slowest process waited for data; then
        starts afresh."""
        now = time.monotonic()
        shares = ranks.gathered((self.results, self.stream.waited))
        results = [result for results, _ in shares for result in results]
        figures = summarise(results, now - self.since, max(waited for _, waited in shares))
        self.results, self.since, self.stream.waited = [], now, 0.0
        return figures


def summarise(results: list[StepResult], seconds: float, waited: float) -> dict[str, float]:
    """Means over the captions of several steps that took `seconds`, `waited` of them for data.

    A figure that only some of the steps have, or that is a mean over other things, is a mean over those.
    """
    captions = sum(result.captions for result in results)
    words = sum(result.words for result in results)

    def mean(name: str) -> float:
        return sum(getattr(result, name) * result.captions for result in results) / captions

    def mean_figure(name: str) -> float:
        having = [result for result in results if name in result.figures]
        counts = [result.counts.get(name, result.captions) for result in having]
        values = [result.figures[name] for result in having]
        return sum(value * count for value, count in zip(values, counts, strict=True)) / sum(counts)

    return {
        "loss": mean("loss"),
        "words_loss": mean("words_loss"),
        "loss_per_word": mean("words_loss") * captions / words,
        **{name: mean_figure(name) for name in sorted({name for result in results for name in result.figures})},
        "gradient_norm": mean("gradient_norm"),
        "captions_per_second": captions / max(seconds, 1e-9),
        "data_wait": waited / max(seconds, 1e-9),
    }
