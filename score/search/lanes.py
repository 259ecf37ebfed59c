"""How the beams of one photo, its lanes, go on by a word: B photos · P lanes · R captions in each · K words.

A lane is a beam of its own width. `Required` has a lane for each number of required words said, and captions change
lanes as they say one (grid beam search); with no required word that is the one lane of plain beam search. `Groups` are
lanes that keep away from each other's words (diverse beam search).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import torch
from torch import Tensor
from torch.nn.functional import pad

from attend.data.vocabulary import END
from attend.score.search.likeliest import likeliest
from attend.score.search.rules import NEVER


@dataclass(frozen=True)
class Continuations:
    """The likeliest continuations of each lane, likeliest first; where there are fewer the last guides are NEVER."""

    guides: Tensor  # (B, P, W) what the search maximises
    parents: Tensor  # (B, P, W) int64, lane · R + place of the caption that goes on
    words: Tensor  # (B, P, W) int64


class Lanes(Protocol):
    """One way to share a beam search among lanes."""

    @property
    def count(self) -> int:
        """P."""
        ...

    def start(self, photos: int, like: Tensor) -> Tensor:
        """Guides (B, P, 1) of the empty caption: NEVER in lanes it is not in."""
        ...

    def go_on(self, guides: Tensor, log_probs: Tensor, said: Tensor, places: Tensor, width: int) -> Continuations:
        """From guides (B, P, R), log p of the next words (B, P, R, K), the words said so far (B, P, R, t), and the
        places (B, P) that a lane has left of its `width`."""
        ...

    @property
    def first_result(self) -> int:
        """The lane from which on captions are results."""
        ...

    def still_open(self, live: Tensor, ended: Tensor, best: int) -> Tensor:
        """The photos, (B,) bool, whose results can still change.

        `live` (B, P, W) bounds the scores that captions in progress can reach, `ended` (B, P, W) are the scores of the
        finished ones, best first; `best` captions are wanted.
        """
        ...


@dataclass(frozen=True)
class Required:
    """A lane for each number of the required words said, 0 to all of them; captions end in the last one only."""

    words: tuple[int, ...]

    @property
    def count(self) -> int:
        """See `Lanes.count`."""
        return len(self.words) + 1

    def start(self, photos: int, like: Tensor) -> Tensor:
        """See `Lanes.start`."""
        guides = like.new_full((photos, self.count, 1), NEVER)
        guides[:, 0] = 0
        return guides

    def go_on(self, guides: Tensor, log_probs: Tensor, said: Tensor, places: Tensor, width: int) -> Continuations:
        """See `Lanes.go_on`."""
        if not self.words:
            return widest(guides, log_probs, width)
        words = torch.tensor(self.words, device=said.device)  # (C,)
        have = (said.unsqueeze(-1) == words).any(dim=3)  # (B, P, R, C)
        due = log_probs.gather(3, words.expand(*log_probs.shape[:3], -1)).masked_fill(have, NEVER)  # (B, P, R, C)
        stay = log_probs.clone()
        stay[..., words] = log_probs[..., words].masked_fill(~have, NEVER)
        stay[:, :-1, :, END] = NEVER
        here = widest(guides, stay, width)
        return _widest_of(here, _one_lane_on(guides, due, words), width)

    @property
    def first_result(self) -> int:
        """See `Lanes.first_result`."""
        return len(self.words)

    def still_open(self, live: Tensor, ended: Tensor, best: int) -> Tensor:
        """See `Lanes.still_open`. Whatever is in progress can come to the last lane."""
        return live.flatten(1).max(dim=1).values > ended[:, -1, best - 1]


@dataclass(frozen=True)
class Groups:
    """Lanes one after the other; a word loses `strength` for each caption of the lanes before that says it now.

    What a caption has lost stays with it: the guide is log p less all its losses.
    """

    count: int
    strength: float

    def start(self, photos: int, like: Tensor) -> Tensor:
        """See `Lanes.start`."""
        return like.new_zeros((photos, self.count, 1))

    def go_on(self, guides: Tensor, log_probs: Tensor, said: Tensor, places: Tensor, width: int) -> Continuations:
        """See `Lanes.go_on`."""
        photos, lanes, captions = guides.shape
        taken = log_probs.new_zeros((photos, 1, 1, log_probs.shape[3]))  # (B, 1, 1, K) captions that say each word now
        found: list[Continuations] = []
        for lane in range(lanes):
            one = slice(lane, lane + 1)
            lane_on = widest(guides[:, one], log_probs[:, one] - self.strength * taken, width)
            chosen = (lane_on.guides > NEVER) & (torch.arange(width, device=guides.device) < places[:, one, None])
            counts = torch.zeros_like(taken).scatter_add_(3, lane_on.words.unsqueeze(2), chosen.to(taken).unsqueeze(2))
            taken = taken + counts
            found.append(Continuations(lane_on.guides, lane_on.parents + lane * captions, lane_on.words))
        return Continuations(
            torch.cat([one.guides for one in found], dim=1),
            torch.cat([one.parents for one in found], dim=1),
            torch.cat([one.words for one in found], dim=1),
        )

    @property
    def first_result(self) -> int:
        """See `Lanes.first_result`."""
        return 0

    def still_open(self, live: Tensor, ended: Tensor, best: int) -> Tensor:
        """See `Lanes.still_open`. A lane is followed to its end, since those behind it keep away from it."""
        return (live > NEVER).flatten(1).any(dim=1)


def by_lane(rows: Tensor, guides: Tensor) -> Tensor:
    """Rows of the captioner (B·P·R, X) as (B, P, R, X) beside guides (B, P, R). At first all lanes have one in common:
    (B, X)."""
    photos, lanes, captions = guides.shape
    return rows.view(photos, len(rows) // (photos * captions), captions, rows.shape[1]).expand(-1, lanes, -1, -1)


def widest(guides: Tensor, log_probs: Tensor, width: int) -> Continuations:
    """The `width` likeliest continuations of each lane within itself, from (B, P, R) and (B, P, R, K)."""
    lanes, captions = guides.shape[1:]
    best = min(width, log_probs.shape[3])
    log_probs, words = likeliest(log_probs, best)  # no caption has more than `width` of the best continuations
    own = torch.arange(lanes * captions, device=guides.device).view(1, lanes, captions, 1)
    return _likeliest(guides.unsqueeze(3) + log_probs, own.expand_as(words), words, width)


def _one_lane_on(guides: Tensor, due: Tensor, words: Tensor) -> Continuations:
    """Captions (B, P, R) that say a word they must still say, log p (B, P, R, C), in the lane behind their own."""
    lanes, captions = guides.shape[1:]
    own = torch.arange(lanes * captions, device=guides.device).view(1, lanes, captions, 1)
    totals = pad(guides.unsqueeze(3) + due, (0, 0, 0, 0, 1, 0), value=NEVER)[:, :-1]  # (B, P, R, C), from lane P - 1
    return Continuations(
        totals.flatten(2),
        pad(own.expand_as(due), (0, 0, 0, 0, 1, 0))[:, :-1].flatten(2),
        words.expand_as(due).flatten(2),
    )


def _widest_of(one: Continuations, other: Continuations, width: int) -> Continuations:
    return _likeliest(
        torch.cat([one.guides, other.guides], dim=2),
        torch.cat([one.parents, other.parents], dim=2),
        torch.cat([one.words, other.words], dim=2),
        width,
    )


def _likeliest(totals: Tensor, parents: Tensor, words: Tensor, width: int) -> Continuations:
    """The `width` candidates with the largest totals of each lane; candidates (B, P, …), all of one shape."""
    totals, parents, words = totals.flatten(2), parents.flatten(2), words.flatten(2)
    guides, chosen = totals.topk(min(width, totals.shape[2]), dim=2)
    missing = width - guides.shape[2]
    return Continuations(
        pad(guides, (0, missing), value=NEVER),
        pad(parents.gather(2, chosen), (0, missing)),
        pad(words.gather(2, chosen), (0, missing)),
    )
