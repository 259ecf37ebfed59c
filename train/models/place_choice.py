"""How hard attention takes the place it looks at: drawn in training; the likeliest or drawn at test time.

A choice turns alpha (B, R, L) into the weights (B, R, L) that the context is made with. No choice at all means alpha
itself, the expected context.
"""

from __future__ import annotations

import zlib
from dataclasses import dataclass
from typing import Protocol, Self

import numpy as np
import torch
from torch import Tensor
from torch.nn.functional import one_hot

from attend.train.share import multinomial


class PlaceChoice(Protocol):
    """One rule for all steps of a caption."""

    def weights(self, alpha: Tensor, log_alpha: Tensor, step: int) -> Tensor:
        """alpha (B, R, L) and its logarithm at `step` (from 0) → weights (B, R, L), which sum to 1 over the places."""
        ...

    def keep(self, images: Tensor) -> Self:
        """The same rule for the photos `images` (indices, (B',)) only."""
        ...


@dataclass(frozen=True)
class SampledOrExpected:
    """Training (section 4.1): s_t ~ Multinoulli(alpha_t) for the captions marked in `sampled`, alpha for the others.

    Draws from torch's own generator of the device. No gradient goes through a sample.
    """

    sampled: Tensor  # (B,) bool

    def weights(self, alpha: Tensor, log_alpha: Tensor, step: int) -> Tensor:
        """See `PlaceChoice.weights`."""
        places = multinomial(alpha.detach().flatten(0, 1)).view(alpha.shape[:2])  # (B, R)
        chosen = one_hot(places, alpha.shape[-1]).to(alpha.dtype)
        return torch.where(self.sampled.view(-1, 1, 1), chosen, alpha)

    def keep(self, images: Tensor) -> SampledOrExpected:
        """See `PlaceChoice.keep`."""
        return SampledOrExpected(self.sampled[images])


@dataclass(frozen=True)
class Likeliest:
    """Test time, `argmax`: all weight on the place with the largest alpha."""

    def weights(self, alpha: Tensor, log_alpha: Tensor, step: int) -> Tensor:
        """See `PlaceChoice.weights`."""
        return one_hot(log_alpha.argmax(dim=-1), alpha.shape[-1]).to(alpha.dtype)

    def keep(self, images: Tensor) -> Likeliest:
        """See `PlaceChoice.keep`."""
        return self


@dataclass(frozen=True)
class DrawnAgain:
    """Test time, `sample`: a place drawn from alpha, the same one whenever the photo is captioned with the same seed.

    s_t = argmax_i (log alpha_ti + g_ti) with Gumbel noise g is a draw from Multinoulli(alpha_t). The noise depends on
    the seed, the photo's annotations and the step alone: so all captions in progress for a photo are compared under
    the same luck, a photo alone gets what it gets in a batch, and reading a caption back shows where the search looked.
    """

    seeds: tuple[tuple[int, int], ...]  # one a photo

    @classmethod
    def of(cls, annotations: Tensor, seed: int) -> DrawnAgain:
        """The choice for photos with annotations (B, L, D)."""
        return cls(tuple((seed, number) for number in photo_numbers(annotations)))

    def weights(self, alpha: Tensor, log_alpha: Tensor, step: int) -> Tensor:
        """See `PlaceChoice.weights`."""
        noise = np.stack([np.random.default_rng([*seed, step]).gumbel(size=alpha.shape[-1]) for seed in self.seeds])
        noisy = log_alpha + torch.from_numpy(noise).to(log_alpha).unsqueeze(1)  # (B, R, L)
        return one_hot(noisy.argmax(dim=-1), alpha.shape[-1]).to(alpha.dtype)

    def keep(self, images: Tensor) -> DrawnAgain:
        """See `PlaceChoice.keep`."""
        return DrawnAgain(tuple(self.seeds[image] for image in images.tolist()))


def photo_numbers(annotations: Tensor) -> list[int]:
    """A number for each photo that its annotations (B, L, D) alone decide, for a seed."""
    halves = annotations.detach().half().cpu().numpy()  # as they are stored
    return [zlib.crc32(photo.tobytes()) for photo in halves]
