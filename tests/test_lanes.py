"""Required words and diverse groups: against all captions that there are, and against the same searches in lists."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import Any

import pytest
import torch
from torch import Tensor

from attend.score.search.beam import beam_search
from attend.score.search.caption import Caption
from attend.train.config import SearchSettings
from tests.table_captioner import END, FULL, LARGER, LONGEST, Table, all_captions, log_prob, path_of, photos

A, B, C = 2, 3, 4
Path = tuple[int, ...]


def search(table: Table, annotations: Tensor, best: int = 1, **settings: Any) -> list[list[Caption]]:
    chosen = replace(SearchSettings(beam=FULL, longest=LONGEST, suppress_unknown=False), **settings)
    return beam_search(table, annotations, None, LARGER, chosen, best)  # type: ignore[arg-type]


def paths(found: list[list[Caption]]) -> list[list[Path]]:
    return [[path_of(caption) for caption in captions] for captions in found]


@pytest.mark.parametrize("required", ["a", "a,b", "c,a,b"])
@pytest.mark.parametrize("power", [0.0, 1.0])
@pytest.mark.parametrize("best", [1, 30])
@pytest.mark.fault("a caption that must hold some words", "the best of all that hold them", "Captions and pictures")
def test_a_full_beam_finds_the_best_of_all_captions_with_the_words(required: str, power: float, best: int) -> None:
    table = Table(5, len(LARGER), dtype=torch.float64)
    words = set(LARGER.encode(required.split(",")))
    truth = [all_captions(table, image, power, lambda path: words <= set(path))[:best] for image in range(5)]
    found = search(table, photos(*range(5)), best, required=required, length_normalisation=power)
    assert paths(found) == [[path for _, _, path in captions] for captions in truth]
    for image, captions in enumerate(found):
        own = [log_prob(table, image, path_of(caption)) for caption in captions]
        assert [caption.log_prob for caption in captions] == pytest.approx(own, abs=1e-12)
        for caption in captions:
            steps = [log_prob(table, image, caption.ids[: t + 1]) for t in range(len(caption.ids))]
            assert caption.word_log_probs.cumsum() == pytest.approx(steps, abs=1e-12)


@pytest.mark.parametrize("beam", [1, 2])
def test_a_narrow_beam_holds_them_too(beam: int) -> None:
    """Whatever the model thinks of the words: here it thinks them a thousand times less likely than the others."""
    table = Table(60, len(LARGER))
    table.log_probs[..., [A, C]] -= 7
    for captions in search(table, photos(*range(60)), required="c,a", beam=beam):
        assert {A, C} <= set(captions[0].ids)


def required_in_lists(table: Table, image: int, words: set[int], beam: int, power: float) -> list[Path]:
    """Grid beam search for one photo, run to the limit."""
    lanes: list[list[tuple[float, Path]]] = [[(0.0, ())], *([] for _ in words)]
    ended: list[tuple[bool, float, Path]] = []
    for _ in range(LONGEST):
        fresh: list[list[tuple[float, Path]]] = [[] for _ in lanes]
        for lane in lanes:
            for _, path in lane:
                for word in range(len(LARGER)):
                    longer = (*path, word)
                    said = len(words & set(longer))
                    if word != END or said == len(words):
                        fresh[said].append((log_prob(table, image, longer), longer))
        lanes = [sorted(lane, reverse=True)[:beam] for lane in fresh]
        lanes[-1] = lanes[-1][: beam - len(ended)]
        ended += [(True, total / len(path) ** power, path) for total, path in lanes[-1] if path[-1] == END]
        lanes[-1] = [entry for entry in lanes[-1] if entry[1][-1] != END]
    cut = [(False, total / LONGEST**power, path) for total, path in lanes[-1]]
    return [path for _, _, path in sorted(ended + cut, reverse=True)]


@pytest.mark.parametrize("beam", [1, 2, 3, 6])
@pytest.mark.parametrize("power", [0.0, 0.7])
@pytest.mark.parametrize("required", ["b", "a,c"])
def test_a_narrow_beam_is_the_search_in_lists_and_stopping_early_changes_nothing(
    required: str, power: float, beam: int
) -> None:
    table, words = Table(25, len(LARGER), dtype=torch.float64), set(LARGER.encode(required.split(",")))
    for best in {1, beam}:
        found = paths(search(table, photos(*range(25)), best, required=required, beam=beam, length_normalisation=power))
        truth = [required_in_lists(table, image, words, beam, power)[:best] for image in range(25)]
        assert found == truth


def groups_in_lists(
    table: Table, image: int, groups: int, strength: float, beam: int, power: float
) -> list[list[tuple[bool, float, Path]]]:
    """Diverse beam search for one photo: the captions of each group, best first."""
    live: list[list[tuple[float, Path]]] = [[(0.0, ())] for _ in range(groups)]
    ended: list[list[tuple[bool, float, Path]]] = [[] for _ in range(groups)]
    for _ in range(LONGEST):
        said_now: Counter[int] = Counter()
        for group in range(groups):
            longer = [
                (
                    guide
                    + log_prob(table, image, (*path, word))
                    - log_prob(table, image, path)
                    - strength * said_now[word],
                    (*path, word),
                )
                for guide, path in live[group]
                for word in range(len(LARGER))
            ]
            kept = sorted(longer, reverse=True)[: beam - len(ended[group])]
            said_now.update(path[-1] for _, path in kept)
            for _, path in kept:
                if path[-1] == END:
                    ended[group].append((True, log_prob(table, image, path) / len(path) ** power, path))
            live[group] = [(guide, path) for guide, path in kept if path[-1] != END]
    return [
        sorted(
            [*ended[group], *((False, log_prob(table, image, path) / LONGEST**power, path) for _, path in live[group])],
            reverse=True,
        )
        for group in range(groups)
    ]


def in_turn(groups: list[list[tuple[bool, float, Path]]]) -> list[Path]:
    """The best of each group, then the second of each, and so on; each path once."""
    found: list[Path] = []
    for rank in range(max(map(len, groups))):
        of_rank = sorted((group[rank] for group in groups if rank < len(group)), reverse=True)
        found += [path for _, _, path in of_rank]
    return list(dict.fromkeys(found))


@pytest.mark.parametrize("groups", [2, 3])
@pytest.mark.parametrize("strength", [0.3, 1.0, 5.0])
@pytest.mark.parametrize("beam", [1, 2, 4])
def test_diverse_groups_are_the_search_in_lists(groups: int, strength: float, beam: int) -> None:
    table, changes = Table(20, len(LARGER), dtype=torch.float64), {"groups": groups, "diversity": strength}
    for best in {1, groups, groups * beam}:
        found = paths(search(table, photos(*range(20)), best, method="diverse", beam=beam, **changes))
        truth = [in_turn(groups_in_lists(table, image, groups, strength, beam, 0.0))[:best] for image in range(20)]
        assert found == truth


@pytest.mark.parametrize("beam", [1, 3, FULL])
@pytest.mark.parametrize("power", [0.0, 1.0])
def test_one_group_is_beam_search(beam: int, power: float) -> None:
    table, best = Table(20, len(LARGER)), min(beam, 5)
    one = search(table, photos(*range(20)), best, method="diverse", groups=1, beam=beam, length_normalisation=power)
    plain = search(table, photos(*range(20)), best, beam=beam, length_normalisation=power)
    assert paths(one) == paths(plain)
    assert [[caption.log_prob for caption in captions] for captions in one] == [
        [caption.log_prob for caption in captions] for captions in plain
    ]


def test_groups_that_do_not_mind_each_other_find_the_same_and_no_caption_comes_twice() -> None:
    table = Table(10, len(LARGER))
    found = search(table, photos(*range(10)), 9, method="diverse", groups=3, diversity=0.0, beam=3)
    assert paths(found) == paths(search(table, photos(*range(10)), 3, beam=3))


def test_a_group_keeps_away_from_the_words_before_it() -> None:
    """p = 0.5 a, 0.3 b, 0.19 c at each step: greedy says a; from log 0.5 - 0.6 < log 0.3 on the second group says b."""
    table = Table(1, len(LARGER))
    table.log_probs[:] = torch.tensor([0.005, 0.005, 0.5, 0.3, 0.19]).log()
    for strength, second in ((0.5, ()), (0.6, ((B,) * LONGEST,))):
        [found] = paths(search(table, photos(0), 2, method="diverse", groups=2, diversity=strength, beam=1))
        assert tuple(found) == ((A,) * LONGEST, *second)
    [found] = paths(search(table, photos(0), 3, method="diverse", groups=3, diversity=1.0, beam=1))
    assert [path[0] for path in found] == [A, B, C]


@pytest.mark.parametrize("settings", [{"required": "a,c"}, {"method": "diverse", "groups": 2, "diversity": 0.7}])
def test_a_photo_alone_is_as_in_a_batch(settings: dict[str, Any]) -> None:
    table = Table(12, len(LARGER))
    order = torch.randperm(12, generator=torch.Generator().manual_seed(1)).tolist()
    together = search(table, photos(*order), 2, beam=2, **settings)
    for image, captions in zip(order, together, strict=True):
        [alone] = search(table, photos(image), 2, beam=2, **settings)
        assert paths([captions]) == paths([alone])
        assert [caption.log_prob for caption in captions] == [caption.log_prob for caption in alone]


def test_no_photos_no_captions() -> None:
    assert search(Table(1, len(LARGER)), photos(), required="a") == []
    assert search(Table(1, len(LARGER)), photos(), method="diverse") == []
