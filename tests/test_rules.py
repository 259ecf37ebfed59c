"""The rules of captions: word by word as written down by hand, and a full beam against all captions that obey."""

from __future__ import annotations

import itertools
import math
from dataclasses import replace
from typing import Any

import pytest
import torch

from attend.data.vocabulary import SPECIAL, Vocabulary
from attend.errors import UserError
from attend.score.search.beam import beam_search
from attend.score.search.find import find_captions
from attend.score.search.rules import NEVER, Rules, make_rules
from attend.train.config import SearchSettings
from tests.table_captioner import END, FULL, LARGER, LONGEST, UNKNOWN, Table, all_captions, path_of, photos

A, B, C = 2, 3, 4
ZOO = Vocabulary((*SPECIAL, "dog", "dogs", "'s", "ball"))


def barred(rules: Rules, *said: int) -> set[int]:
    """The words of five that may not come after some."""
    allowed = rules.allow(torch.zeros(1, 5), torch.tensor([said], dtype=torch.int64).view(1, len(said)))
    return set((allowed[0] == NEVER).nonzero().flatten().tolist())


@pytest.mark.parametrize(
    ("run", "said", "expected"),
    [
        (1, (), set()),
        (1, (A,), {A}),
        (1, (A, B, A), {A, B}),
        (2, (A,), set()),
        (2, (A, A), {A}),
        (2, (A, B, A), {B}),
        (2, (A, B, A, C, A), {B, C}),
        (2, (A, B, C), set()),
        (3, (A, B), set()),
        (3, (A, B, C, A, B), {C}),
        (3, (A, A, A), {A}),
        (3, (A, B, A, A, B), {A}),
        (4, (A, B, C, A, B, C), {A}),
        (4, (A, B, C, A, B), set()),
        (0, (A, A, A), set()),
    ],
)
def test_a_word_that_would_repeat_a_run_is_barred(run: int, said: tuple[int, ...], expected: set[int]) -> None:
    assert barred(Rules((), (), 0, run), *said) == expected


def test_the_end_waits_for_the_shortest_caption_and_some_words_never_come() -> None:
    assert [barred(Rules((), (), 2, 0), *(A,) * said) for said in range(4)] == [{END}, {END}, set(), set()]
    assert barred(Rules((UNKNOWN, B), (), 0, 0), A) == {UNKNOWN, B}
    kept = Rules((B,), (), 0, 0).allow(torch.tensor([[-1.0, -2.0, -3.0, -4.0, -5.0]]), torch.zeros(1, 0).long())
    assert kept.tolist() == [[-1, -2, -3, -math.inf, -5]]


def repeats(path: tuple[int, ...], run: int) -> bool:
    """Whether a run of that many words comes twice."""
    words = [word for word in path if word != END]
    runs = [tuple(words[start : start + run]) for start in range(len(words) - run + 1)]
    return len(set(runs)) < len(runs)


def full_beam(table: Table, count: int, best: int, **settings: Any) -> list[list[tuple[int, ...]]]:
    chosen = replace(SearchSettings(beam=FULL, longest=LONGEST, suppress_unknown=False), **settings)
    found = beam_search(table, photos(*range(count)), None, LARGER, chosen, best)  # type: ignore[arg-type]
    return [[path_of(caption) for caption in captions] for captions in found]


@pytest.mark.parametrize("run", [1, 2, 3])
@pytest.mark.parametrize("power", [0.0, 1.0])
@pytest.mark.parametrize("best", [1, 40])
@pytest.mark.fault("a caption that repeats itself", "search.no_repeat bars it, exactly", "Captions and pictures")
def test_without_repeats_a_full_beam_finds_the_best_of_all_that_do_not_repeat(
    run: int, power: float, best: int
) -> None:
    table = Table(4, len(LARGER), dtype=torch.float64)
    table.log_probs[:, :, 3] = table.log_probs[:, :, 3].roll(1, -1)
    truth = [all_captions(table, image, power, lambda path: not repeats(path, run))[:best] for image in range(4)]
    found = full_beam(table, 4, best, no_repeat=run, length_normalisation=power)
    assert found == [[path for _, _, path in captions] for captions in truth]
    if run < 3 and best > 1:
        plain = full_beam(table, 4, best, length_normalisation=power)
        assert any(repeats(path, run) for paths in plain for path in paths), "the rule had something to do"


@pytest.mark.parametrize(
    "rules", [{"shortest": 2}, {"forbidden": "b"}, {"shortest": 3, "forbidden": "a", "no_repeat": 1}]
)
def test_other_rules_and_all_together(rules: dict[str, Any]) -> None:
    table = Table(4, len(LARGER), dtype=torch.float64)
    banned = [word for word in (A, B, C) if LARGER.words[word] == rules.get("forbidden")]

    def obeys(path: tuple[int, ...]) -> bool:
        words = [word for word in path if word != END]
        return (
            len(words) >= rules.get("shortest", 0)
            and not set(banned) & set(words)
            and not ("no_repeat" in rules and repeats(path, rules["no_repeat"]))
        )

    truth = [all_captions(table, image, 0.0, obeys)[:10] for image in range(4)]
    assert full_beam(table, 4, 10, **rules) == [[path for _, _, path in captions] for captions in truth]


def test_words_are_read_as_captions_are() -> None:
    settings = SearchSettings(required="Dog, BALL", forbidden="dogs")
    assert make_rules(settings, ZOO) == Rules((UNKNOWN, 3), (2, 5), 0, 0)
    assert make_rules(SearchSettings(required="dog's,dog"), ZOO).required == (2, 4)
    assert make_rules(SearchSettings(suppress_unknown=False), ZOO).never == ()


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"required": "dgo"}, r"search\.required: dgo is not among the 4 words this captioner knows: did you mean dog"),
        ({"forbidden": "qqqq"}, r"search\.forbidden: qqqq is not among the 4 words this captioner knows$"),
        ({"required": "<unknown>"}, r"search\.required: unknown is not among the 4 words"),
        ({"required": ",!"}, r"search\.required=,!: there is no word in it"),
        ({"required": "dog,ball", "forbidden": "ball"}, r"search\.required and search\.forbidden both have ball"),
        ({"required": "dog,ball", "longest": 2}, r"search\.required: 2 words and the end do not fit into search\.lon"),
    ],
)
@pytest.mark.fault(
    "a required word that the captioner does not know", "refused, with the near words", "Captions and pictures"
)
def test_words_that_cannot_be_are_refused(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(UserError, match=message):
        make_rules(SearchSettings(**settings), ZOO)


@pytest.mark.fault("rules that no caption can obey", "refused, the rules are named", "Captions and pictures")
def test_rules_that_leave_nothing_are_named() -> None:
    table, small = Table(1, len(LARGER)), {"suppress_unknown": True, "longest": LONGEST}
    barring = SearchSettings(shortest=3, no_repeat=1, forbidden="a,b", **small)
    names = r"search\.forbidden=a,b, search\.shortest=3, search\.no_repeat=1, search\.longest=4"
    with pytest.raises(UserError, match=rf"no caption was found that obeys {names}: loosen one, or widen search\.beam"):
        find_captions(table, photos(0), None, LARGER, barring)  # type: ignore[arg-type]
    with pytest.raises(UserError, match=r"no caption was found that obeys .*: loosen one$"):
        find_captions(table, photos(0), None, LARGER, replace(barring, method="sample"))  # type: ignore[arg-type]


def test_every_word_barred_is_the_same_as_none_of_its_captions() -> None:
    """All runs over five words up to four long: what `allow` bars is what would make a run come twice."""
    for run, length in itertools.product((1, 2, 3), range(4)):
        for said in itertools.product((A, B), repeat=length):
            if not repeats(said, run):
                expected = {word for word in (1, A, B, C) if repeats((*said, word), run)}
                assert barred(Rules((), (), 0, run), *said) == expected
