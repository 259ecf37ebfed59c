"""Rewards, baselines, entropy and coins of hard attention by hand."""

from __future__ import annotations

import math

import pytest
import torch

from attend.errors import UserError
from attend.train.config import LossSettings, ModelSettings, SearchSettings, TrainConfig
from attend.train.hard_settings import HardSettings
from attend.train.losses.hard_objective import HardObjective, throw_coins
from attend.train.losses.reinforce import (
    LeaveOneOutBaseline,
    MovingBaseline,
    credited_rewards,
    entropy,
    places_log_prob,
)
from attend.train.models.hard_attention import HardAttentionLSTM
from attend.train.models.interface import Batch

LOG_PROBS = torch.tensor([[[-1.0, -2.0, -4.0], [-3.0, -3.0, 0.0]], [[-5.0, -1.0, 0.0], [-2.0, -2.0, 0.0]]])
"""Two captions of 3 and 2 words, two samples of each."""
LENGTHS = torch.tensor([3, 2])


def test_what_each_place_is_credited_with():
    caption = credited_rewards(LOG_PROBS, LENGTHS, "caption")
    assert caption[0].tolist() == [[-7, -7, -7], [-6, -6, -6]]
    word = credited_rewards(LOG_PROBS, LENGTHS, "word")
    assert word[1, :, 0].tolist() == [-3, -2]
    assert word[0, 0].tolist() == pytest.approx([-7 / 3] * 3)
    assert credited_rewards(LOG_PROBS, LENGTHS, "remaining")[0].tolist() == [[-7, -6, -4], [-6, -3, 0]]


def test_the_moving_baseline_keeps_nine_tenths_and_is_used_before_it_is_updated():
    baseline = MovingBaseline("caption")
    rewards = credited_rewards(LOG_PROBS, LENGTHS, "caption")
    assert baseline.baseline(rewards, LENGTHS).unique().tolist() == [0]
    baseline.update(LOG_PROBS, LENGTHS)
    assert baseline.value == pytest.approx(0.1 * (-7 - 6 - 6 - 4) / 4)
    baseline.update(LOG_PROBS, LENGTHS)
    assert baseline.value == pytest.approx(0.19 * (-7 - 6 - 6 - 4) / 4)
    assert baseline.baseline(rewards, LENGTHS).unique().tolist() == pytest.approx([baseline.value])


def test_the_baseline_per_word_counts_the_words_that_remain():
    per_word = (-7 / 3 - 6 / 3 - 6 / 2 - 4 / 2) / 4
    word, remaining = MovingBaseline("word"), MovingBaseline("remaining")
    for baseline in (word, remaining):
        baseline.update(LOG_PROBS, LENGTHS)
        assert baseline.value == pytest.approx(0.1 * per_word)
    assert word.baseline(LOG_PROBS, LENGTHS).unique().tolist() == pytest.approx([0.1 * per_word])
    counted = remaining.baseline(LOG_PROBS, LENGTHS) / (0.1 * per_word)
    assert counted[0, 0].tolist() == pytest.approx([3, 2, 1])
    assert counted[1, 1].tolist() == pytest.approx([2, 1, 0])


def test_leave_one_out_is_the_mean_of_the_other_samples():
    rewards = torch.tensor([[[1.0, 5.0], [2.0, 7.0], [6.0, 0.0]]])
    baseline = LeaveOneOutBaseline().baseline(rewards, torch.tensor([2]))
    assert baseline[0].tolist() == [[4, 3.5], [3.5, 2.5], [1.5, 6]]


def test_entropy_and_log_probability_of_places():
    alpha = torch.tensor([[0.5, 0.25, 0.25, 0.0], [1.0, 0.0, 0.0, 0.0]])
    assert entropy(alpha.log()).tolist() == pytest.approx([1.5 * math.log(2), 0])
    assert entropy(torch.full((7,), 1 / 7).log()).item() == pytest.approx(math.log(7))
    taken = places_log_prob(alpha.log(), torch.tensor([[0.0, 0.0, 1.0, 0.0], [1.0, 0.0, 0.0, 0.0]]))
    assert taken.tolist() == pytest.approx([math.log(0.25), 0])


def test_entropy_has_a_gradient_beside_places_that_are_masked():
    scores = torch.tensor([0.3, -0.2, float("-inf")], requires_grad=True)
    entropy(scores.log_softmax(-1)).backward()
    assert torch.isfinite(scores.grad).all()
    assert scores.grad[:2].abs().min() > 0.01


def test_coins_are_the_captions_own_or_one_for_all():
    torch.manual_seed(0)
    own = torch.stack([throw_coins(40, HardSettings()) for _ in range(200)]).float()
    assert own.mean().item() == pytest.approx(0.5, abs=0.02)
    assert own.mean(dim=1).std() < 0.15
    one = torch.stack([throw_coins(40, HardSettings(coin="batch")) for _ in range(400)]).float()
    assert set(one.mean(dim=1).tolist()) == {0.0, 1.0}
    assert one.mean().item() == pytest.approx(0.5, abs=0.1)
    assert not throw_coins(40, HardSettings(expected_share=1.0)).any()
    assert throw_coins(40, HardSettings(expected_share=0.0)).all()


def make_parts(hard: HardSettings, penalty: float = 0.0):
    torch.manual_seed(0)
    model = HardAttentionLSTM(ModelSettings(units=6, embedding=4, dropout=0.0), 5, 9)
    batch = Batch(torch.randn(4, 6, 5), torch.randint(0, 9, (4, 3)), torch.full((4,), 3))
    return model, batch, HardObjective(TrainConfig(hard=hard, loss=LossSettings(penalty)))


def test_the_log_tells_what_the_estimator_did():
    model, batch, objective = make_parts(HardSettings(samples=2, expected_share=0.0, entropy_weight=0.5))
    first = objective(model, batch)
    assert first.figures["sampled"] == 1
    assert first.figures["baseline"] == 0
    assert first.figures["reward"].item() == pytest.approx(-first.words.item(), rel=1e-5)
    assert first.figures["reward_variance"].item() >= 0.9999 * first.figures["reward"].item() ** 2  # about b = 0
    assert 0 < first.figures["entropy"].item() <= math.log(6) + 1e-6
    assert first.minimised.item() == pytest.approx(
        first.words.item() - 0.5 * 3 * first.figures["entropy"].item(), rel=1e-5
    )
    second = objective(model, batch)
    assert second.figures["baseline"].item() == pytest.approx(-0.1 * first.words.item(), rel=1e-5)


def test_without_a_sampled_caption_there_is_no_baseline_in_the_log():
    model, batch, objective = make_parts(HardSettings(expected_share=1.0))
    assert {"baseline", "reward", "reward_variance"}.isdisjoint(objective(model, batch).figures)


def test_gradient_reaches_the_attention_from_samples_alone():
    model, batch, objective = make_parts(HardSettings(expected_share=0.0, entropy_weight=0.0))
    objective(model, batch).minimised.backward()
    for layer in model.attention.key_layers:
        assert layer.weight.grad.norm() > 0
    assert model.attention.score.weight.grad.norm() > 0
    query = model.from_hidden.weight.grad[4 * 6 : 4 * 6 + 5]
    assert query.norm() > 0


def test_the_penalty_acts_on_alpha_where_it_is_asked_for():
    model, batch, objective = make_parts(HardSettings(expected_share=0.0, reward_weight=0.0, entropy_weight=0.0), 0.3)
    loss = objective(model, batch)
    assert loss.minimised.item() == pytest.approx(loss.words.item() + 0.3 * loss.figures["penalty"].item(), rel=1e-5)
    loss.minimised.backward()
    assert model.attention.score.weight.grad.norm() > 0


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        (HardSettings(coin="photo"), "hard.coin=photo is unknown: one of image, batch"),
        (HardSettings(reward="none"), "hard.reward=none is unknown: one of caption, word, remaining"),
        (HardSettings(baseline="none"), "hard.baseline=none is unknown: moving or leave_one_out"),
        (HardSettings(baseline="leave_one_out"), "set hard.samples=2 or more"),
        (HardSettings(entropy_over="no"), "hard.entropy_over=no is unknown"),
    ],
)
def test_settings_that_make_no_sense_are_named(settings, message):
    with pytest.raises(UserError, match=message.replace(".", r"\.")):
        HardObjective(TrainConfig(hard=settings))


def test_an_unknown_context_is_named_before_training():
    with pytest.raises(UserError, match=r"search\.context=best is unknown: one of expected, argmax, sample"):
        HardObjective(TrainConfig(search=SearchSettings(context="best")))
