"""bench/decode.py compares equal work: its peer is a right beam search, and its limit counts what is computed."""

from __future__ import annotations

import pytest
import torch
from torch.utils.flop_counter import FlopCounterMode

from attend.data.vocabulary import END, SPECIAL, Vocabulary
from attend.score.search.beam import beam_search
from attend.train.config import SearchSettings
from attend.train.models.interface import NO_WORD
from tests.bench_module import bench_module

CPU = torch.device("cpu")
WORDS, PLACES, CHANNELS, STEPS = 30, 6, 8, 5


@pytest.mark.parametrize("ending", [2.0, -20.0])
@pytest.mark.parametrize("beam", [1, 3, 5])
def test_the_peer_finds_the_same_captions(beam: int, ending: float) -> None:
    """Captions that end, and captions that are all cut, of which both take the likeliest."""
    decode, peer_search = bench_module("decode"), bench_module("peer_search")
    model = decode.drawn_captioner(16, CHANNELS, WORDS, 3.0, CPU)
    with torch.no_grad():
        model.word_output.to_words.bias[END] = ending
    annotations = torch.randn(20, PLACES, CHANNELS, generator=torch.Generator().manual_seed(1))
    vocabulary = Vocabulary((*SPECIAL, *(f"w{number}" for number in range(WORDS - len(SPECIAL)))))
    settings = SearchSettings(beam=beam, longest=STEPS, suppress_unknown=False)
    ours = [best for [best] in beam_search(model, annotations, None, vocabulary, settings)]
    assert any(caption.finished for caption in ours) is (ending > 0)
    for photo, caption in zip(annotations, ours, strict=True):
        total, words = peer_search.peer_caption(model, photo, beam, STEPS)
        assert tuple(words) == caption.ids
        assert total == pytest.approx(caption.log_prob, abs=1e-4)


def test_the_limit_counts_the_products_that_torch_counts() -> None:
    """One photo, beam 3, all steps with three captions: torch's own counter sees every product but the scores' and
    the first state's, which are counted here by hand."""
    decode = bench_module("decode")
    model, beam = decode.drawn_captioner(16, CHANNELS, WORDS, 3.0, CPU), 3
    counted, tanhs, _ = decode.work(model, PLACES, STEPS, beam, at_once=1)
    with torch.no_grad(), FlopCounterMode(display=False) as counter:
        state = model.start(torch.rand(1, PLACES, CHANNELS))
        start = counter.get_total_flops()
        keys = 2 * PLACES * CHANNELS * CHANNELS
        one_key_matrix = 2 * CHANNELS**3  # the two key layers are made one
        state = state.select(torch.zeros(beam, dtype=torch.int64))
        for _ in range(STEPS):
            _, state, _ = model.step(state, torch.full((beam,), NO_WORD))
        steps = counter.get_total_flops() - start
    scores = 2 * STEPS * beam * PLACES * CHANNELS
    assert start >= keys + one_key_matrix
    assert counted - keys in (steps, steps + scores)  # a compiled pass for the scores is not seen
    assert tanhs > STEPS * beam * PLACES * CHANNELS
