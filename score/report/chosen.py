"""Which captions a report shows, in which order, and with which scores."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from attend.errors import UserError

METRICS = ("BLEU-4", "METEOR", "ROUGE-L", "CIDEr-D", "SPICE")
"""Metrics that mean something for one caption, as the gallery offers them. BLEU-4 is smoothed per sentence."""
GROUPS = ("best", "median", "worst")


@dataclass(frozen=True)
class Shown:
    """One caption of the report. `record` is its line in `captions-SPLIT.json`, `scores` what it scores alone."""

    record: Mapping[str, Any]
    scores: dict[str, float]

    @property
    def image_id(self) -> str:
        """The id of its photo."""
        return str(self.record["image_id"])


def by_score(captions: Sequence[Mapping[str, Any]], by_image: Mapping[str, Mapping[str, Any]]) -> list[Shown]:
    """All captions, best sentence BLEU-4 first, those without references last; equal ones as they are in the file."""
    shown = [Shown(caption, _scores(caption, by_image.get(caption["image_id"], {}))) for caption in captions]
    return sorted(shown, key=lambda one: -one.scores.get("BLEU-4", -1.0))


def _scores(caption: Mapping[str, Any], alone: Mapping[str, Any]) -> dict[str, float]:
    if caption["sentence_bleu4"] is None:
        return {}
    return {"BLEU-4": caption["sentence_bleu4"]} | {
        name: alone[name] for name in METRICS if name != "BLEU-4" and alone.get(name) is not None
    }


def spread_over(ranked: Sequence[Shown], most: int) -> list[Shown]:
    """At most `most` (0: all) of them, evenly over the ranks, the first and the last among them."""
    count = len(ranked)
    if not most or count <= most:
        return list(ranked)
    if most == 1:
        return [ranked[0]]
    return [ranked[round(number * (count - 1) / (most - 1))] for number in range(most)]


def choose(ranked: Sequence[Shown], most: int, always: Collection[str]) -> list[Shown]:
    """The photos of the report, best first: those of `always`, and others evenly over the ranks until there are `most`
    (0: all)."""
    first = [one for one in ranked if one.image_id in always]
    others = [one for one in ranked if one.image_id not in always]
    filled = spread_over(others, max(most - len(first), 0)) if most == 0 or most > len(first) else []
    chosen = {one.image_id for one in (*first, *filled)}
    return [one for one in ranked if one.image_id in chosen]


def groups(ranked: Sequence[Shown], each: int) -> dict[str, list[int]]:
    """Positions in `ranked` of the `each` best, middle and worst captions that have a score; none twice.

    With fewer than three groups' worth of captions every group gets a third of them.
    """
    scored = sum("BLEU-4" in one.scores for one in ranked)
    each = min(each, max(1, scored // 3))
    middle = max(each, (scored - each) // 2)
    places = list(range(scored))
    parts = (places[:each], places[middle : middle + each], places[max(middle + each, scored - each) :])
    return dict(zip(GROUPS, parts, strict=True))


def panel_ids(
    ranked: Sequence[Shown], examples: Sequence[str], count: int | None, named: Sequence[str]
) -> frozenset[str]:
    """The photos that get a picture of all their words: `count` of them evenly over the ranks, or, where it is None,
    the `examples`; and those `named`. UserError: one that has no caption in the split."""
    captioned = {one.image_id for one in ranked}
    if strangers := [image_id for image_id in named if image_id not in captioned]:
        raise UserError(
            f"--panel {strangers[0]}: no caption of that photo in this split; image ids are in captions-*.json"
        )
    if count is None:
        return frozenset([*examples, *named])
    spread = spread_over(ranked, count) if count else []
    return frozenset([*(one.image_id for one in spread), *named])
