"""The doubly stochastic penalty (section 4.2.1, eq. 14)."""

from __future__ import annotations

from torch import Tensor

from attend.train.losses.likelihood import steps_mask


def coverage_penalty(attention: Tensor, lengths: Tensor, mask: Tensor | None = None) -> Tensor:
    """Σ_i (1 - Σ_t alpha_ti)² for each caption, (B,): a sum over places, in the paper's scale, before λ.

    attention (B, T, L), lengths (B,), mask (B, L) or None; steps behind a caption's length and masked places do not
    count. The authors' code takes the mean over places and the sum over the batch instead; see `LossSettings`.
    """
    steps = steps_mask(lengths, attention.shape[1]).unsqueeze(-1)  # (B, T, 1)
    uncovered = (1 - attention.masked_fill(~steps, 0).sum(dim=1)).square()  # (B, L)
    if mask is not None:
        uncovered = uncovered.masked_fill(~mask, 0)
    return uncovered.sum(dim=1)
