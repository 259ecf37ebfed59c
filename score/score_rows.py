"""Several sets of captions scored against the same references: a row each, people among them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from attend.score.coco_files import Matched
from attend.score.metrics.bootstrap import Difference, compare
from attend.score.metrics.diversity import Diversity, diversity, novel_captions
from attend.score.metrics.measured import Measured, TokenisedSet, Unmeasured
from attend.score.metrics.panel import Cell, make_cells, mean_of_sets, measure
from attend.score.metrics.references import References
from attend.score.metrics.scoring import tokenised_set
from attend.score.rotation import human_sets, model_sets, rotated


@dataclass(frozen=True)
class Source:
    """Captions to score, by the name of their row."""

    name: str
    matched: Matched
    unfinished: int


@dataclass(frozen=True, eq=False)
class Row:
    """What one set of captions scores. `against` says how many references an image has."""

    name: str
    against: str
    images: int
    results: list[Measured | Unmeasured] = field(repr=False)
    cells: tuple[Cell, ...]
    diversity: Diversity | None = None
    surplus: tuple[str, ...] = ()
    unfinished: int = 0
    empty: int = 0


def score_rows(
    sources: Sequence[Source],
    references: References,
    families: Sequence[str],
    resamples: int,
    human: bool,
    training: Sequence[str],
) -> list[Row]:
    """A row a source; with `human` also one for people against each other and one a source against as many references.

    `training` are the raw training captions, none where they are not known. UserError when `human` and no image has two
    references.
    """
    tokens = [tokenised_set(source.matched.pairs, references) for source in sources]
    turns: list[tuple[str, list[TokenisedSet]]] = []
    if human:
        turning = rotated(references.tokens)
        turns.append(("people, one against the others", human_sets(turning)))
        turns += [
            (f"{source.name}, against the same", model_sets(each.captions, turning))
            for source, each in zip(sources, tokens, strict=True)
        ]
    results = measure([*tokens, *(one for _, sets in turns for one in sets)], families)
    rows = [
        Row(
            name=source.name,
            against=_references_each([each]),
            images=len(each.captions),
            results=found,
            cells=make_cells(found, resamples),
            diversity=_diversity(source, each, training),
            surplus=source.matched.surplus,
            unfinished=source.unfinished,
            empty=sum(not text for text in each.captions.values()),
        )
        for source, each, found in zip(sources, tokens, results, strict=False)
    ]
    remaining = results[len(sources) :]
    for name, sets in turns:
        mean = mean_of_sets(remaining[: len(sets)])
        remaining = remaining[len(sets) :]
        rows.append(Row(name, _references_each(sets), len(sets[0].captions), mean, make_cells(mean, resamples)))
    return rows


def compare_rows(first: Row, second: Row, resamples: int) -> list[Difference]:
    """Every metric that both rows have, on the same draws of the images."""
    mine, yours = _measured(first), _measured(second)
    names = [name for name in mine if name in yours]
    return compare([mine[name] for name in names], [yours[name] for name in names], resamples) if names else []


def _measured(row: Row) -> Mapping[str, Measured]:
    return {each.name: each for each in row.results if isinstance(each, Measured)}


def _diversity(source: Source, each: TokenisedSet, training: Sequence[str]) -> Diversity | None:
    if not each.captions:
        return None
    raw = {image_id: text for image_id, text in source.matched.pairs if image_id in each.captions}
    novel = len(novel_captions(raw, training)) / len(raw) if training else None
    return diversity(each.captions, novel)


def _references_each(sets: Sequence[TokenisedSet]) -> str:
    """How many references an image has: "5", "4 to 6"."""
    counts = {len(texts) for each in sets for texts in each.references.values()}
    if not counts:
        return "0"
    return str(min(counts)) if len(counts) == 1 else f"{min(counts)} to {max(counts)}"
