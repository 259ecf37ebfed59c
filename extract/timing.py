"""How much of the time the encoder worked: what it did not is time it waited for photos or for the disk."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager

import torch


class Clock:
    """Started when made. `share` is the encoder's part of the time since then."""

    def __init__(self) -> None:
        self.started = time.perf_counter()
        self._busy = 0.0
        self._events: list[tuple[torch.cuda.Event, torch.cuda.Event]] = []

    @contextmanager
    def encoding(self, device: torch.device) -> Iterator[None]:
        """Around one call of the encoder; on a GPU, where calls return at once, events measure what it really took."""
        if device.type == "cuda":
            begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
            begin.record()
            yield
            end.record()
            self._events.append((begin, end))
        else:
            begun = time.perf_counter()
            yield
            self._busy += time.perf_counter() - begun

    def add(self, seconds: float) -> None:
        """Encoding that happened elsewhere."""
        self._busy += seconds

    @property
    def busy(self) -> float:
        """Seconds of encoding so far."""
        while self._events and self._events[0][1].query():
            begin, end = self._events.pop(0)
            self._busy += begin.elapsed_time(end) / 1000
        return self._busy

    @property
    def seconds(self) -> float:
        """Seconds since the start."""
        return time.perf_counter() - self.started

    @property
    def share(self) -> float:
        """Encoding time over all time, 0 to 1."""
        return self.busy / max(self.seconds, 1e-9)
