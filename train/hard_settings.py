"""How hard attention is trained: the settings of section 4.1, where the paper and the authors' code differ."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class HardSettings:
    """How hard attention learns (section 4.1). Weights are against the words' loss: a sum over steps, a mean over the
    captions of a mini-batch."""

    samples: int = 1
    """N: sequences of places drawn for each caption in a step (the paper's N; the authors' code: 1)."""
    expected_share: float = 0.5
    """Probability that a caption gets the expected context at all its steps instead of a sample (paper: 0.5)."""
    coin: str = "image"
    """`image`: each caption of a mini-batch throws its own coin for that (paper). `batch`: one coin for all of them
    (authors' code)."""
    reward: str = "caption"
    """What a place is credited with, in nats: `caption` log p(y|s) of the whole caption (paper); `word` the same
    divided by its words, the end included (authors' code); `remaining` log p of the words from that place on: the
    expected gradient of `caption` with less variance."""
    reward_weight: float = 1.0
    """λ_r. The paper gives no number; with `caption` and `remaining` 1 is the exact gradient of the bound (eq. 10-11).
    The authors' 1/10, summed over the batch, is 6.4 for 64 captions, and goes with `word`."""
    baseline: str = "moving"
    """What is subtracted from the reward: `moving` b ← 0.9 b + 0.1 mean log p, once a mini-batch (paper), in nats a
    caption for `caption`, else a word; `leave_one_out` the mean of the caption's other samples, needs 2 or more."""
    entropy_weight: float = 0.128
    """λ_e, against the entropy summed over steps. The paper gives no number; the authors' 0.002, summed over the batch
    too, is 0.128 for 64 captions."""
    entropy_over: str = "sampled"
    """Captions that the entropy term counts: `sampled`, so that the others follow the soft gradient; `all` (authors'
    code)."""
