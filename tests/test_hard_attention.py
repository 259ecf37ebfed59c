"""Hard attention at test time: expected, likeliest and drawn places, in search, scores, captions and pictures alike."""

from __future__ import annotations

from dataclasses import replace

import pytest
import torch

from attend.data.vocabulary import SPECIAL, Vocabulary
from attend.errors import UserError
from attend.score.search.beam import beam_search
from attend.score.search.context import with_context
from attend.score.search.settings import search_settings
from attend.train.config import ModelSettings, SearchSettings
from attend.train.models.attention_lstm import AttentionLSTM
from attend.train.models.hard_attention import HardAttentionLSTM
from attend.train.models.interface import Batch
from attend.train.models.place_choice import DrawnAgain, Likeliest, SampledOrExpected

B, L, D, K, T = 4, 6, 5, 9, 5
VOCABULARY = Vocabulary((*SPECIAL, "a", "b", "c", "d", "e", "f", "g"))


def make(kind=HardAttentionLSTM):
    torch.manual_seed(0)
    model = kind(ModelSettings(units=7, embedding=4), D, K)
    with torch.no_grad():
        for weight in model.parameters():
            weight.normal_(std=0.8)
    return model.eval()


def annotations() -> torch.Tensor:
    torch.manual_seed(1)
    return torch.randn(B, L, D).half().float()


def a_batch() -> Batch:
    torch.manual_seed(2)
    return Batch(annotations(), torch.randint(0, K, (B, T)), torch.full((B,), T))


def test_the_expected_context_is_soft_attention():
    with torch.no_grad():
        hard, soft = make()(a_batch()), make(AttentionLSTM)(a_batch())
    assert torch.equal(hard.log_probs, soft.log_probs)
    assert torch.equal(hard.attention, soft.attention)


def test_argmax_reads_the_annotation_of_the_likeliest_place_alone():
    batch = a_batch()
    with torch.no_grad():
        output = make().looking("argmax", 0)(batch)
        assert torch.equal(output.attention.argmax(-1), output.log_alpha.argmax(-1))
        assert output.attention.sort(-1).values[..., -2:].unique().tolist() == [0, 1]
        # A photo with that annotation at every place of the first step gives the same first word.
        place = output.attention[0, 0].argmax()
        state = make().start(batch.annotations[:1])
        only = replace(state.image, annotations=batch.annotations[:1, place : place + 1].expand(-1, L, -1))
        first = make().step(replace(state, image=only), torch.tensor([-1]))[0]
    torch.testing.assert_close(first[0], output.log_probs[0, 0], atol=1e-6, rtol=0)


def test_looking_otherwise_shares_the_weights_and_leaves_the_model_alone():
    model = make()
    other = model.looking("argmax", 0)
    assert other.embedding.weight is model.embedding.weight
    assert (model.context, other.context) == ("expected", "argmax")
    assert not other.training
    with pytest.raises(UserError, match=r"search\.context=best is unknown: one of expected, argmax, sample"):
        model.looking("best", 0)


def test_drawn_places_follow_alpha():
    alpha = torch.tensor([0.6, 0.3, 0.1, 0.0])
    photos = torch.randn(3000, 2, 3)
    choice = DrawnAgain.of(photos, seed=1)
    log_alpha = alpha.log().expand(len(photos), 1, -1)
    drawn = choice.weights(log_alpha.exp(), log_alpha, 3)
    assert drawn.sum(-1).eq(1).all()
    assert drawn.mean(dim=(0, 1)).tolist() == pytest.approx(alpha.tolist(), abs=0.03)
    again = choice.weights(log_alpha.exp(), log_alpha, 4)
    agreement = (drawn * again).sum(-1).mean().item()  # independent draws agree with probability Σ alpha²
    assert agreement == pytest.approx(alpha.square().sum().item(), abs=0.03)


def test_samples_of_training_follow_alpha_and_the_others_get_alpha():
    torch.manual_seed(0)
    alpha = torch.tensor([0.6, 0.3, 0.1, 0.0]).expand(2, 4000, -1)
    weights = SampledOrExpected(torch.tensor([True, False])).weights(alpha, alpha.log(), 0)
    assert weights[0].unique().tolist() == [0, 1]
    assert weights[0].mean(0).tolist() == pytest.approx([0.6, 0.3, 0.1, 0.0], abs=0.03)
    assert torch.equal(weights[1], alpha[1])
    assert SampledOrExpected(torch.tensor([True, False])).keep(torch.tensor([1])).sampled.tolist() == [False]


def captions(context: str, seed: int = 1, photos: torch.Tensor | None = None, beam: int = 3):
    settings = SearchSettings(beam=beam, longest=6, context=context, seed=seed)
    shown = annotations() if photos is None else photos
    return [best for [best] in beam_search(make(), shown, None, VOCABULARY, settings)]


@pytest.mark.parametrize("context", ["argmax", "sample"])
@pytest.mark.fault(
    "what hard attention looked at", "one cell a word, the one the word was made with", "Captions and pictures"
)
def test_a_caption_shows_the_places_it_was_made_with(context):
    model = make()
    for photo, caption in zip(annotations(), captions(context), strict=True):
        assert caption.attention.max(axis=1).tolist() == [1] * len(caption.ids)
        assert caption.attention.sum() == len(caption.ids)
        # Read back, the caption has the same places and the same probabilities: what a report shows is what was done.
        batch = Batch(photo.unsqueeze(0), torch.tensor([[*caption.ids, 0]]), torch.tensor([len(caption.ids) + 1]))
        with torch.no_grad():
            output = with_context(model, SearchSettings(context=context))(batch)
        assert output.attention[0, :-1].tolist() == caption.attention.tolist()
        taken = output.log_probs[0, torch.arange(len(caption.ids)), torch.tensor(caption.ids, dtype=torch.long)]
        torch.testing.assert_close(taken, torch.from_numpy(caption.word_log_probs), atol=1e-5, rtol=0)


def test_one_seed_gives_the_same_captions_alone_and_in_a_batch_and_another_gives_others():
    first, again, other = captions("sample"), captions("sample"), captions("sample", seed=2)
    assert [caption.ids for caption in first] == [caption.ids for caption in again]
    assert [caption.ids for caption in first] != [caption.ids for caption in other]
    for row, caption in enumerate(first):
        [alone] = captions("sample", photos=annotations()[row : row + 1])
        assert alone.ids == caption.ids
        assert alone.attention.tolist() == caption.attention.tolist()


def test_a_beam_keeps_its_photos_draws():
    choice = DrawnAgain.of(annotations(), 1)
    assert choice.keep(torch.tensor([2, 0])).seeds == (choice.seeds[2], choice.seeds[0])
    assert Likeliest().keep(torch.tensor([1])) == Likeliest()


def test_what_does_not_apply_is_named():
    with pytest.raises(UserError, match=r"search\.context=argmax: no effect on this run, only VARIANT=hard"):
        beam_search(make(AttentionLSTM), annotations(), None, VOCABULARY, SearchSettings(context="argmax"))
    with pytest.raises(UserError, match=r"search\.seed: no effect without search\.method=sample or search\.con"):
        search_settings(SearchSettings(), ("search.seed=3",), None, None)
    assert search_settings(SearchSettings(), ("search.seed=3 search.context=sample",), None, None).seed == 3
