"""How far the workers are, all together."""

from __future__ import annotations

import threading

from attend.extract.run_shard import Step
from attend.extract.timing import Clock


class Tally:
    """Adds up what is heard of each shard, in any order and more than once: a shard that is done again counts once."""

    def __init__(self, clock: Clock, progress: Step, workers: int) -> None:
        self._clock, self._progress, self._workers = clock, progress, workers
        self._taken: dict[int, int] = {}
        self._busy: dict[int, float] = {}
        self._lock = threading.Lock()

    def note(self, index: int, taken: int, busy: float) -> None:
        """Of shard `index` so many photos were taken up, and its encoding took `busy` seconds so far."""
        with self._lock:
            photos = taken - self._taken.get(index, 0)
            seconds = busy - self._busy.get(index, 0.0)
            if seconds > 0:
                self._busy[index] = busy
                self._clock.add(seconds / self._workers)
            if photos > 0:
                self._taken[index] = taken
                self._progress(photos)
