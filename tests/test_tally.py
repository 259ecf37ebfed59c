"""What workers say adds up, in any order, more than once, and over a second attempt."""

from __future__ import annotations

from attend.extract.cluster.tally import Tally
from attend.extract.timing import Clock


def test_a_shard_that_is_done_again_counts_once():
    heard: list[int] = []
    clock = Clock()
    tally = Tally(clock, heard.append, workers=2)
    for index, taken, busy in [
        (0, 4, 1.0),
        (1, 4, 1.0),
        (0, 2, 0.5),
        (0, 4, 1.0),
        (0, 6, 2.0),
        (1, 6, 3.0),
        (1, 6, 3.0),
    ]:
        tally.note(index, taken, busy)
    assert sum(heard) == 12 and min(heard) > 0 and clock.busy == (2.0 + 3.0) / 2
