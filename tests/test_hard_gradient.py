"""The gradient of hard attention in float64: every sequence of places enumerated, against the estimator's mean."""

from __future__ import annotations

import itertools
from dataclasses import dataclass, replace

import pytest
import torch
from torch import Tensor
from torch.nn.functional import one_hot

from attend.train.config import LossSettings, ModelSettings, TrainConfig
from attend.train.hard_settings import HardSettings
from attend.train.losses.hard_objective import HardObjective
from attend.train.losses.objective import WordsObjective
from attend.train.models.attention_lstm import AttentionLSTM
from attend.train.models.hard_attention import HardAttentionLSTM
from attend.train.models.interface import Batch

L, D, K, T = 3, 4, 6, 2
SETTINGS = ModelSettings(units=4, embedding=3, attention_layers=1, init_layers=1, dropout=0.0)
TWINS = 400
"""Equal captions in one batch: its gradient is the mean of so many estimates."""
BATCHES = 60


def make_model(kind=HardAttentionLSTM) -> HardAttentionLSTM:
    torch.manual_seed(3)
    model = kind(SETTINGS, D, K).double()
    with torch.no_grad():
        for weight in model.parameters():
            weight.normal_(std=0.8)
    return model


def twins(copies: int, steps: int = T) -> Batch:
    generator = torch.Generator().manual_seed(5)
    annotations = 2 * torch.randn((1, L, D), generator=generator, dtype=torch.float64)
    words = torch.randint(0, K, (1, steps), generator=generator)
    return Batch(annotations.expand(copies, -1, -1), words.expand(copies, -1), torch.full((copies,), steps))


def config_of(hard: HardSettings, penalty: float = 0.0) -> TrainConfig:
    return TrainConfig(hard=hard, loss=LossSettings(penalty))


def gradient(model, loss: Tensor) -> Tensor:
    """The gradient as one vector; 0 where nothing reached a weight."""
    parts = torch.autograd.grad(loss, list(model.parameters()), allow_unused=True, materialize_grads=True)
    return torch.cat([part.flatten() for part in parts])


@dataclass(frozen=True)
class Forced:
    """A choice of places that was made beforehand, (T,)."""

    places: tuple[int, ...]

    def weights(self, alpha: Tensor, log_alpha: Tensor, step: int) -> Tensor:
        return one_hot(torch.tensor(self.places[step]), L).to(alpha).expand_as(alpha)

    def keep(self, images: Tensor) -> Forced:
        return self


def expected_gradient(model, steps: int, score_weight: float, entropy_weight: float) -> Tensor:
    """Of -E_s[log p(y|s)] with the probabilities' part times `score_weight`, minus λ_e E_s[∂ entropy]: exhaustive.

    With `score_weight` 1 and no entropy it is the exact gradient of the bound of eq. 10.
    """
    batch = twins(1, steps)
    total = torch.zeros(())
    for places in itertools.product(range(L), repeat=steps):
        state = replace(model.start(batch.annotations), choice=Forced(places))
        output = model.read(state, batch.inputs)
        likelihood = output.log_probs[0, torch.arange(steps), batch.words[0]].sum()
        alpha = output.log_alpha[0].exp()
        probability = alpha[torch.arange(steps), torch.tensor(places)].prod()
        entropies = -(alpha * alpha.log()).sum()
        total = (
            total
            - probability.detach() * (likelihood + entropy_weight * entropies)
            - score_weight * probability * likelihood.detach()
        )
    return gradient(model, total)


def assert_mean_is(model, hard: HardSettings, expected: Tensor, steps: int = T) -> None:
    """The mean of many estimates lies within its standard error of what is expected, in every weight together."""
    objective = HardObjective(config_of(hard))
    torch.manual_seed(11)
    copies = TWINS // hard.samples
    estimates = torch.stack([gradient(model, objective(model, twins(copies, steps)).minimised) for _ in range(BATCHES)])
    error = estimates.std(dim=0) / BATCHES**0.5
    moving = error > 1e-12
    distance = ((estimates.mean(dim=0) - expected)[moving] / error[moving]).square()
    # Each term is the square of about one standard normal number; the largest of 200 such is below 5² nearly always.
    assert distance.mean() < 2.5
    assert distance.max() < 25
    torch.testing.assert_close(estimates.mean(dim=0)[~moving], expected[~moving], atol=1e-12, rtol=0)


@pytest.mark.slow
@pytest.mark.parametrize("steps", [2, 3])
@pytest.mark.parametrize("reward", ["caption", "word", "remaining"])
@pytest.mark.parametrize(
    ("baseline", "samples"), [("moving", 1), ("moving", 3), ("leave_one_out", 2), ("leave_one_out", 5)]
)
def test_the_estimators_mean_is_the_expected_gradient(reward, baseline, samples, steps):
    model = make_model()
    hard = HardSettings(samples, 0.0, "image", reward, 0.7, baseline, 2.0)
    score_weight = 0.7 / steps if reward == "word" else 0.7
    assert_mean_is(model, hard, expected_gradient(model, steps, score_weight, 2.0), steps)


@pytest.mark.parametrize("coin", ["image", "batch"])
@pytest.mark.parametrize("entropy_over", ["sampled", "all"])
def test_with_coins_it_is_the_mean_of_sampled_and_soft(coin, entropy_over):
    model = make_model()
    hard = HardSettings(1, 0.5, coin, "caption", 1.0, "moving", 2.0, entropy_over)
    soft = gradient(model, -model(twins(1)).log_probs[0, torch.arange(T), twins(1).words[0]].sum())
    if entropy_over == "all":
        log_alpha = model(twins(1)).log_alpha[0]
        soft += gradient(model, 2.0 * (log_alpha.exp() * log_alpha).sum())
    assert_mean_is(model, hard, (expected_gradient(model, T, 1.0, 2.0) + soft) / 2)


@pytest.mark.parametrize("samples", [1, 3])
def test_with_the_coin_on_expected_it_is_the_soft_gradient_exactly(samples):
    hard, soft = make_model(), make_model(AttentionLSTM)
    assert hard.state_dict().keys() == soft.state_dict().keys()
    objective = HardObjective(config_of(HardSettings(samples=samples, expected_share=1.0)))
    batch = Batch(torch.randn(5, L, D, dtype=torch.float64), torch.randint(0, K, (5, T)), torch.full((5,), T))
    of_hard = gradient(hard, objective(hard, batch).minimised)
    of_soft = gradient(soft, WordsObjective(TrainConfig())(soft, batch).minimised)
    torch.testing.assert_close(of_hard, of_soft, atol=1e-13, rtol=0)
    if samples == 1:
        assert torch.equal(of_hard, of_soft)


def test_a_wrong_gradient_would_be_seen():
    model = make_model()
    hard = HardSettings(expected_share=0.0, reward_weight=0.7, entropy_weight=2.0)
    for score_weight, entropy_weight in ((0.6, 2.0), (0.7, 1.0)):
        with pytest.raises(AssertionError):
            assert_mean_is(model, hard, expected_gradient(model, T, score_weight, entropy_weight))


@pytest.mark.slow
def test_rewards_from_the_place_on_vary_less_than_those_of_the_whole_caption():
    model = make_model()
    for baseline in ("moving", "leave_one_out"):
        spread = {}
        for reward in ("caption", "remaining"):
            objective = HardObjective(config_of(HardSettings(4, 0.0, "image", reward, 1.0, baseline, 0.0)))
            torch.manual_seed(2)
            found = torch.stack([gradient(model, objective(model, twins(1, 8)).minimised) for _ in range(200)])
            spread[reward] = found[60:].var(dim=0).sum().item()  # the moving baseline has settled by then
        assert spread["remaining"] < 0.75 * spread["caption"]
