"""Progress: a bar on a terminal, a plain line now and then everywhere else."""

from __future__ import annotations

import sys
import time
from types import TracebackType

from tqdm import tqdm

SECONDS_BETWEEN_LINES = 15.0


def say(line: str) -> None:
    """Print one line to standard output, above a bar where there is one."""
    tqdm.write(line, file=sys.stdout)
    sys.stdout.flush()


class Progress:
    """Counts `total` things. On a terminal a tqdm bar; elsewhere one line every few seconds and one at the end.

    Not `shown`: nothing is printed.
    """

    def __init__(self, total: int, label: str, unit: str, shown: bool = True) -> None:
        self.total, self.label, self.unit, self.shown = total, label, unit, shown
        self.done, self.skipped, self.notes = 0, 0, ""
        self.started = self.last_line = time.monotonic()
        bar = shown and sys.stderr.isatty()
        self.bar = tqdm(total=total, desc=label, unit=f" {unit}", dynamic_ncols=True) if bar else None

    def update(self, count: int = 1, notes: str = "") -> None:
        """Count `count` more; `notes` is shown behind the rate."""
        self.done += count
        self.notes = notes or self.notes
        if self.bar is not None:
            self.bar.set_postfix_str(self.notes, refresh=False)
            self.bar.update(count)
        elif time.monotonic() - self.last_line > SECONDS_BETWEEN_LINES:
            self._line()

    def skip(self, count: int) -> None:
        """Things done before this start: they count, but not for the rate."""
        self.done += count
        self.skipped += count
        if self.bar is not None:
            self.bar.initial = count
            self.bar.update(count)

    def close(self) -> None:
        """End the bar, or print the last line."""
        if self.bar is not None:
            self.bar.close()
        else:
            self._line()

    def _line(self) -> None:
        self.last_line = time.monotonic()
        if not self.shown:
            return
        rate = (self.done - self.skipped) / max(self.last_line - self.started, 1e-9)
        print(
            f"{self.label}: {self.done}/{self.total} {self.unit}, {rate:.1f} {self.unit}/s  {self.notes}".rstrip(),
            file=sys.stderr,
            flush=True,
        )

    def __enter__(self) -> Progress:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
