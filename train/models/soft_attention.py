"""Deterministic "soft" attention (section 4.2, eq. 4-6 and 13)."""

from __future__ import annotations

from typing import cast

import torch
from torch import Tensor, nn
from torch.nn.functional import linear as linear_function

from attend.train.models.additive_scores import KeyGradient, additive_scores
from attend.train.models.initial_weights import linear
from attend.train.models.wide import wide


class SoftAttention(nn.Module):
    """e_ti = v·tanh(p_i + W_h h_{t-1}) + c, alpha_t = softmax over places, z_t = Σ_i alpha_ti a_i.

    The keys p = W_a a + b_a depend on the photo only. With more than one layer, D→D layers with tanh follow, still
    before h is added.  # arctic: n_layers_att; there is no non-linearity between the first and the second layer
    The projection W_h h is not here: the decoder reads h once for everything that needs it.
    """

    def __init__(self, channels: int, layers: int) -> None:
        super().__init__()
        self.query_width = channels
        self.key_layers = nn.ModuleList(linear(channels, channels) for _ in range(layers))
        self.score = linear(channels, 1)  # v and c

    def keys(self, annotations: Tensor) -> Tensor:
        """Annotations (B, L, D) → keys p (B, L, D), once per photo.

        On a processor always in float32: its tanh of bfloat16 takes six times as long.
        """
        first, *others = cast("list[nn.Linear]", list(self.key_layers))
        precise = wide if annotations.device.type == "cpu" else (lambda keys: keys)
        if not others:
            return precise(first(annotations))
        second, *others = others
        keys = precise(two_as_one(first, second, annotations)).tanh()
        for layer in others:
            keys = precise(layer(keys)).tanh()
        return keys

    def scores(self, keys: Tensor, query: Tensor, mask: Tensor | None, gathered: KeyGradient | None = None) -> Tensor:
        """Query W_h h of all captions in progress (B, R, D) → e (B, R, L) float32, -inf where there is no place.

        `gathered` comes with keys from `share_keys`.
        """
        scores = wide(
            additive_scores(keys, query, self.score.weight[0], gathered) + self.score.bias
        )  # arctic: tanh, not ReLU
        return scores if mask is None else scores.masked_fill(~mask.unsqueeze(1), float("-inf"))

    def forward(
        self, annotations: Tensor, keys: Tensor, query: Tensor, mask: Tensor | None, gathered: KeyGradient | None = None
    ) -> tuple[Tensor, Tensor]:
        """Query W_h h of all captions in progress (B, R, D) → context z (B, R, D) and alpha (B, R, L) float32."""
        alpha = self.scores(keys, query, mask, gathered).softmax(dim=-1)
        return weighted_context(annotations, alpha), alpha


def two_as_one(first: nn.Linear, second: nn.Linear, inputs: Tensor) -> Tensor:
    """second(first(inputs)) as one product: W2 (W1 x + b1) + b2 = (W2 W1) x + (W2 b1 + b2).

    There are many more places than channels: a third of the multiplications, forward and backward.
    """
    with torch.autocast(inputs.device.type, enabled=False):
        weight = second.weight @ first.weight
        bias = second.weight @ first.bias + second.bias
    return linear_function(inputs, weight, bias)


def weighted_context(annotations: Tensor, weights: Tensor) -> Tensor:
    """z = Σ_i w_i a_i: annotations (B, L, D), weights (B, R, L) → (B, R, D)."""
    return torch.bmm(weights.to(annotations.dtype), annotations)
