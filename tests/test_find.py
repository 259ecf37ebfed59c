"""Every way to search with every registered captioner and with an ensemble, and what is asked for too much."""

from __future__ import annotations

from typing import Any

import pytest
import torch

from attend.data.vocabulary import SPECIAL, Vocabulary
from attend.errors import UserError
from attend.score.ensemble import Ensemble
from attend.score.search.caption import Caption
from attend.score.search.find import check_best, find_captions, most_captions
from attend.train.config import SearchSettings
from attend.train.models.variants import VARIANTS
from tests.test_read_back import a_model, annotations

VOCABULARY = Vocabulary((*SPECIAL, "a", "b", "c", "d", "e"))
WAYS: dict[str, dict[str, Any]] = {
    "beam": {},
    "diverse": {"method": "diverse", "groups": 2, "diversity": 1.0},
    "sample": {"method": "sample", "temperature": 0.8, "top_k": 5, "top_p": 0.95},
    "required": {"required": "c,e"},
    "rules": {"no_repeat": 2, "forbidden": "d", "shortest": 2},
}


@pytest.fixture(params=[*sorted(VARIANTS), "ensemble"], scope="module")
def model(request):
    if request.param == "ensemble":
        return Ensemble([a_model("soft"), a_model("hard")]).eval()
    return a_model(request.param)


def captions(model, photos: torch.Tensor, best: int, **settings: Any) -> list[list[Caption]]:
    chosen = SearchSettings(**{"beam": 3, "longest": 8, **settings})
    if chosen.method == "sample":
        chosen = SearchSettings(**{"longest": 8, **settings})
    return find_captions(model, photos, None, VOCABULARY, chosen, best)


@pytest.mark.parametrize("way", WAYS)
def test_a_photo_alone_is_as_in_a_batch_and_words_obey(model, way: str) -> None:
    together = captions(model, annotations(), 3, **WAYS[way])
    for row, found in enumerate(together):
        assert 1 <= len(found) <= 3
        [alone] = captions(model, annotations()[row : row + 1], 3, **WAYS[way])
        assert [one.ids for one in found] == [one.ids for one in alone]
        assert [one.log_prob for one in found] == pytest.approx([one.log_prob for one in alone], abs=1e-4)
        for one in found:
            assert one.attention.shape == (len(one.ids), 6)
            assert one.attention.sum(axis=1) == pytest.approx([1] * len(one.ids), abs=1e-5)
            if way == "required":
                assert {"c", "e"} <= set(one.words)
            if way == "rules":
                pairs = list(zip(one.ids, one.ids[1:], strict=False))
                assert len(set(pairs)) == len(pairs) and "d" not in one.words and len(one.words) >= 2


def test_log_probabilities_are_the_models_own_whatever_the_way(model) -> None:
    from attend.score.read_back import read_back

    for way in WAYS:
        for row, found in enumerate(captions(model, annotations(), 3, **WAYS[way])):
            for one in found:
                [read] = read_back(model, annotations()[row : row + 1], [one.words], VOCABULARY, SearchSettings())
                assert one.word_log_probs == pytest.approx(read.word_log_probs, abs=1e-4)
                if one.finished:
                    assert one.log_prob == pytest.approx(read.log_prob, abs=1e-4)


@pytest.mark.parametrize(
    ("settings", "best", "message"),
    [
        (SearchSettings(beam=3), 4, r"4 captions a photo: search\.beam=3 has 3, widen it"),
        (SearchSettings(beam=3, method="diverse", groups=2), 7, r"search\.beam=3 in 2 groups has 6, widen it"),
        (SearchSettings(beam=3), 0, "0 captions a photo: ask for at least 1"),
    ],
)
@pytest.mark.fault("more captions than the beam holds", "refused, with what to widen", "Captions and pictures")
def test_more_captions_than_there_are_places_is_refused(settings: SearchSettings, best: int, message: str) -> None:
    with pytest.raises(UserError, match=message):
        check_best(settings, best)
    with pytest.raises(UserError, match=message):
        find_captions(a_model("soft"), annotations(), None, VOCABULARY, settings, best)


def test_as_many_as_there_are_places_or_any_number_of_draws() -> None:
    check_best(SearchSettings(beam=3), 3)
    check_best(SearchSettings(beam=3, method="diverse", groups=2), 6)
    check_best(SearchSettings(beam=1, method="sample"), 1000)


def test_settings_that_do_not_go_together_are_refused_from_python_too() -> None:
    with pytest.raises(UserError, match=r"search\.method=beams is unknown"):
        captions(a_model("soft"), annotations(), 1, method="beams")
    with pytest.raises(UserError, match=r"only search\.method=beam can promise words"):
        captions(a_model("soft"), annotations(), 1, method="diverse", required="a")


def test_as_many_captions_as_a_search_can_have() -> None:
    assert most_captions(SearchSettings(beam=4)) == 4
    assert most_captions(SearchSettings(method="diverse", beam=2, groups=3)) == 6
    assert most_captions(SearchSettings(method="sample")) is None
