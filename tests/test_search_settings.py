"""A search as asked for on the command line."""

from __future__ import annotations

from dataclasses import asdict, replace
from pathlib import Path

import pytest

from attend.errors import UserError
from attend.score.search.settings import search_settings, told
from attend.train.config import SearchSettings, TrainConfig
from attend.train.config_file import in_force
from tests.command_line import attend

RUN = SearchSettings(beam=5, length_normalisation=0.7, longest=20)


def test_options_come_after_settings_and_both_after_the_runs_own() -> None:
    assert search_settings(RUN, (), None, None) == RUN
    changed = search_settings(RUN, ("search.beam=2 search.longest=9",), None, 0.0)
    assert changed == SearchSettings(beam=2, length_normalisation=0.0, longest=9)
    assert search_settings(RUN, ("search.beam=2",), 3, None).beam == 3


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("model.units=3", "--set model: only settings of the search"),
        ("search.bean=3", "did you mean search.beam"),
        ("search.beam=0", "search.beam=0 is out of range: at least 1"),
        ("search.top_p=0 search.method=sample", "search.top_p=0.0 is out of range: more than 0 and at most 1"),
        ("search.temperature=0 search.method=sample", "search.temperature=0.0 is out of range: more than 0"),
        ("search.method=best", "search.method=best is unknown: one of beam, diverse, sample"),
        ("search.required=dog search.method=sample", "search.required=dog: only search.method=beam can promise words"),
        ("search.required=dog search.method=diverse", "search.required=dog: only search.method=beam can promise"),
        ("search.shortest=20", "search.shortest=20 words and the end do not fit into search.longest=20"),
    ],
)
def test_what_makes_no_sense_is_refused(words: str, message: str) -> None:
    with pytest.raises(UserError, match=message):
        search_settings(RUN, (words,), None, None)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("search.groups=2", "search.groups: no effect without search.method=diverse, leave it out"),
        ("search.diversity=1 search.method=sample", "search.diversity: no effect without search.method=diverse"),
        ("search.temperature=1", "search.temperature: no effect without search.method=sample"),
        ("search.top_k=3 search.method=diverse", "search.top_k: no effect without search.method=sample"),
        ("search.top_p=0.5", "search.top_p: no effect without search.method=sample"),
        ("search.method=sample search.beam=5", "search.beam: no effect without search.method=beam or diverse"),
        ("search.method=sample search.length_normalisation=1", "search.length_normalisation: no effect without"),
        ("search.seed=1", "search.seed: no effect without search.method=sample or search.context=sample"),
    ],
)
@pytest.mark.fault("a setting without effect in the chosen way to search", "refused by name", "Captions and pictures")
def test_what_would_do_nothing_is_refused_whatever_its_value(words: str, message: str) -> None:
    with pytest.raises(UserError, match=message):
        search_settings(RUN, (words,), None, None)


def test_options_that_would_do_nothing_are_refused_too() -> None:
    with pytest.raises(UserError, match=r"search\.beam: no effect"):
        search_settings(RUN, ("search.method=sample",), 3, None)


def test_every_setting_of_a_method_is_taken_with_it() -> None:
    for words, changes in (
        ("search.method=diverse search.groups=2 search.diversity=1.5", {"groups": 2, "diversity": 1.5}),
        (
            "search.method=sample search.temperature=0.7 search.top_k=9 search.top_p=0.9 search.seed=4",
            {"temperature": 0.7, "top_k": 9, "top_p": 0.9, "seed": 4},
        ),
        ("search.required=dog,ball search.forbidden=cat", {"required": "dog,ball", "forbidden": "cat"}),
    ):
        method = changes_method(words)
        assert search_settings(RUN, (words,), None, None) == replace(RUN, method=method, **changes)


def changes_method(words: str) -> str:
    """The method that words name, or the default."""
    return next((word.split("=")[1] for word in words.split() if word.startswith("search.method")), "beam")


def test_what_is_in_force_leaves_out_what_has_no_effect() -> None:
    shown = in_force(TrainConfig(), "soft")
    assert "search.beam" in shown and not {"search.groups", "search.top_p", "search.seed"} & set(shown)
    drawn = in_force(TrainConfig(search=SearchSettings(method="sample")), "soft")
    assert {"search.top_p", "search.seed"} <= set(drawn) and "search.beam" not in drawn


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("search.top_p=0.5", "search.top_p: no effect without search.method=sample"),
        ("search.seed=3", "search.seed: no effect without search.method=sample or search.context=sample"),
        ("search.method=draw", "search.method=draw is unknown"),
        ("search.shortest=30", "do not fit into search.longest=30"),
    ],
)
def test_training_refuses_the_same(words: str, message: str, tmp_path: Path) -> None:
    done = attend("train", "--dataset", "unheard", "--out", tmp_path, "--set", words)
    assert done.code == 2
    assert message in done.err


def test_a_search_is_told_without_what_has_no_effect_and_with_what_is_not_the_default() -> None:
    assert told({"beam": 5, "length_normalisation": 0.7}) == "beam 5, length normalisation 0.7"
    ruled = asdict(SearchSettings(required="dog", shortest=4, context="argmax"))
    assert told(ruled) == "beam 5, length normalisation 0.0, shortest 4, required dog, context argmax"
    drawn = asdict(SearchSettings(method="sample", beam=9, top_p=0.9, seed=7))
    assert told(drawn) == "method sample, top p 0.9, seed 7"
