"""SIGTERM and Ctrl-C end a run at the next mini-batch, with everything saved."""

from __future__ import annotations

import signal
from types import FrameType
from typing import Any

from attend.train import ranks


class StopSignals:
    """Within it the first SIGTERM or SIGINT is only noted, for `asked`.

    A second one acts at once, as it did before, unless `patient`: a cluster may signal both a process and who started
    it, which passes the signal on.
    """

    def __init__(self, patient: bool = False) -> None:
        self.patient = patient
        self._noted = 0
        self._before: dict[int, Any] = {}

    @property
    def asked(self) -> int:
        """The number of the signal that came; SIGHUP when whoever started the processes is gone; 0: go on."""
        return self._noted or (signal.SIGHUP if ranks.orphaned() else 0)

    def __enter__(self) -> StopSignals:
        def note(number: int, frame: FrameType | None) -> None:
            self._noted = number
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
        if self._noted and isinstance(error, ranks.LostProcessError):
            signal.raise_signal(self._noted)  # whoever sent it tells which process was lost
