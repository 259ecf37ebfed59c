"""SIGTERM and Ctrl-C end a run at the next mini-batch, with everything saved."""

from __future__ import annotations

import signal
from types import FrameType
from typing import Any

from attend.train.ranks import LostProcessError


class StopSignals:
    """Within it the first SIGTERM or SIGINT is only noted in `asked`, by its number; 0: none came.

    A second one acts at once, as it did before, unless `patient`: a cluster may signal both a process and who started
    it, which passes the signal on.
    """

    def __init__(self, patient: bool = False) -> None:
        self.asked, self.patient = 0, patient
        self._before: dict[int, Any] = {}

    def __enter__(self) -> StopSignals:
        def note(number: int, frame: FrameType | None) -> None:
            self.asked = number
            if not self.patient:
                signal.signal(number, self._before[number])

        for number in (signal.SIGTERM, signal.SIGINT):
            try:
                self._before[number] = signal.signal(number, note)
            except ValueError:  # not the main thread: signals are the caller's
                break
        return self

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)
        if self.asked and isinstance(error, LostProcessError):
            signal.raise_signal(self.asked)  # whoever sent it tells which process was lost
