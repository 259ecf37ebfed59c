"""A mini-batch that is shared out gives the gradient and the random numbers of the whole one."""

from __future__ import annotations

from collections import Counter

import pytest
import torch
from torch import nn

from attend.settings import read_settings
from attend.train.config import TrainConfig
from attend.train.config_file import override_config
from attend.train.models.dropout import Dropout
from attend.train.models.interface import Batch
from attend.train.models.variants import build_captioner, build_objective
from attend.train.own_words import read_own_words
from attend.train.share import Share, computing, drawn, mean_of_batch, multinomial, share_of

L, D, K, T, B = 4, 5, 9, 6, 5


def test_every_caption_is_counted_once_and_shares_differ_by_one_at_most():
    for total in (1, 2, 5, 64):
        for world in (1, 2, 3, 8):
            shares = [share_of(total, rank, world) for rank in range(world)]
            counted = Counter(k for share in shares if share.counted for k in range(total)[share.rows])
            assert counted == Counter(range(total))
            assert max(share.counted for share in shares) - min(share.counted for share in shares) <= 1
            assert sum(share.weight for share in shares) == pytest.approx(1)


def test_a_process_to_which_no_caption_falls_computes_one_and_counts_none():
    shares = [share_of(1, rank, 2) for rank in range(2)]
    assert shares == [Share(0, 1, 1, 0), Share(0, 1, 1, 1)]


def test_rows_that_are_drawn_are_those_of_the_whole():
    torch.manual_seed(3)
    whole = drawn(torch.empty(2 * B, 3), lambda rows: rows.normal_())
    for rank in range(3):
        share = share_of(B, rank, 3)
        torch.manual_seed(3)
        with computing(share):
            mine = drawn(torch.empty(2 * share.count, 3), lambda rows: rows.normal_())  # two samples a caption
        assert torch.equal(mine, whole[2 * share.first : 2 * (share.first + share.count)])


def test_rows_that_do_not_divide_among_the_captions_are_an_error():
    for rows in (3, 7):
        with computing(share_of(5, 0, 2)), pytest.raises(ValueError, match=f"{rows} rows are no equal number for each"):
            drawn(torch.empty(rows, 4), torch.Tensor.normal_)


def test_alone_dropout_and_multinomial_are_torchs_own():
    values, weights = torch.randn(7, 4, 3), torch.rand(50, 9)
    torch.manual_seed(2)
    ours, places = Dropout(0.3)(values), multinomial(weights)
    torch.manual_seed(2)
    assert torch.equal(ours, nn.functional.dropout(values, 0.3))
    assert torch.equal(places, torch.multinomial(weights, 1).squeeze(1))
    assert torch.equal(Dropout(0.3).eval()(values), values)


def test_what_has_no_weight_is_never_drawn():
    weights = torch.tensor([[0.0, 1e-30, 0.0, 1e-30]]).expand(2000, -1)
    assert set(multinomial(weights).tolist()) == {1, 3}


def test_a_mean_over_the_batch_weighs_the_share():
    assert mean_of_batch(torch.tensor(6.0)) == 6
    with computing(share_of(5, 0, 2)):  # two captions of five; the other process adds its three
        assert mean_of_batch(torch.tensor(5.0)) == pytest.approx(2)


def a_batch() -> Batch:
    torch.manual_seed(1)
    return Batch(torch.randn(B, L, D), torch.randint(1, K, (B, T)), torch.full((B,), T))


SETTINGS = {
    "soft": "loss.doubly_stochastic=0.5 optim.label_smoothing=0.1",
    "hard": "hard.samples=2 hard.reward=remaining hard.baseline=leave_one_out",
    "mean": "",
    "nic": "",
}


@pytest.mark.parametrize("variant", SETTINGS)
@pytest.mark.parametrize("world", [2, 3, 7])
def test_gradients_of_the_shares_add_up_to_that_of_the_whole(variant, world):
    """With dropout, samples and scheduled sampling: seven processes share out five captions."""
    general = "model.units=7 model.embedding=4 model.dropout=0.5 optim.scheduled_sampling=0.4"
    config = override_config(TrainConfig(), read_settings([general, SETTINGS[variant]]))
    torch.manual_seed(0)
    model = build_captioner(variant, config.model, D, K).double().train()
    for weight in model.parameters():
        nn.init.normal_(weight, std=0.4)

    def gradient(rank: int, processes: int) -> tuple[float, list[torch.Tensor]]:
        share, whole = share_of(B, rank, processes), a_batch()
        batch = Batch(whole.annotations[share.rows].double(), whole.words[share.rows], whole.lengths[share.rows])
        torch.manual_seed(5)
        model.zero_grad()
        with computing(share):
            batch = read_own_words(model, batch, config.optim.scheduled_sampling)
            loss = build_objective(variant, config)(model, batch).minimised * share.weight
        loss.backward()
        return loss.item(), [weight.grad.clone() for weight in model.parameters()]

    parts = [gradient(rank, world) for rank in range(world)]
    expected_loss, expected = gradient(0, 1)
    assert sum(loss for loss, _ in parts) == pytest.approx(expected_loss, rel=1e-12)
    for position, whole in enumerate(expected):
        torch.testing.assert_close(sum(gradients[position] for _, gradients in parts), whole, rtol=1e-9, atol=1e-12)
