"""SIGTERM and Ctrl-C end a run at the next mini-batch, with everything saved."""

from __future__ import annotations

import signal
from types import FrameType
from typing import Any


class StopSignals:
    """Within it the first SIGTERM or SIGINT is only noted in `asked`; a second one acts at once, as it did before."""

    def __init__(self) -> None:
        self.asked = ""
        self._before: dict[int, Any] = {}

    def __enter__(self) -> StopSignals:
        def note(number: int, frame: FrameType | None) -> None:
            self.asked = signal.Signals(number).name
            signal.signal(number, self._before[number])

        for number in (signal.SIGTERM, signal.SIGINT):
            try:
                self._before[number] = signal.signal(number, note)
            except ValueError:  # not the main thread: signals are the caller's
                break
        return self

    def __exit__(self, *error: object) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)
