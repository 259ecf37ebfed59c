"""What is said of a search beside its scores."""

from __future__ import annotations

from dataclasses import asdict

import pytest

from attend.score.search.told import OF_METHOD, tell_search
from attend.train.config import SearchSettings
from attend.train.search_settings import METHODS


def test_a_beam_search_is_told_by_its_width_and_ranking() -> None:
    assert tell_search({"beam": 5, "length_normalisation": 0.7}) == "beam 5, length normalisation 0.7"
    assert tell_search(asdict(SearchSettings(beam=3))) == "beam 3, length normalisation 0"


@pytest.mark.fault("scores of sampled captions", "their method is said, no beam", "Scores")
def test_other_methods_are_named_and_told_by_what_they_use() -> None:
    sampled = asdict(SearchSettings(method="sample", temperature=0.5, top_k=4, seed=7))
    assert tell_search(sampled) == "method sample, temperature 0.5, top k 4, top p 1, seed 7"
    diverse = asdict(SearchSettings(method="diverse", beam=2, groups=4, diversity=0.25))
    assert tell_search(diverse) == "method diverse, beam 2, groups 4, diversity 0.25, length normalisation 0"


def test_rules_in_force_are_told() -> None:
    ruled = asdict(SearchSettings(beam=1, shortest=2, no_repeat=3, required="dog", forbidden="cat,mat"))
    assert tell_search(ruled).endswith(", shortest 2, no repeat 3, required dog, forbidden cat,mat")


def test_every_method_can_be_told() -> None:
    assert set(OF_METHOD) == set(METHODS)
