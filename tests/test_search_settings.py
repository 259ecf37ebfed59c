"""A search as asked for on the command line."""

from __future__ import annotations

import pytest

from attend.errors import UserError
from attend.score.search.settings import search_settings
from attend.train.config import SearchSettings

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
        ("search.beam=0", "beam and longest must be at least 1"),
    ],
)
def test_what_makes_no_sense_is_refused(words: str, message: str) -> None:
    with pytest.raises(UserError, match=message):
        search_settings(RUN, (words,), None, None)
