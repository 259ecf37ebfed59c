"""One photo after another: the model is used by one thread, and only so many photos wait for it."""

from __future__ import annotations

import threading
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any

from attend.score.captioner import LoadedCaptioner
from attend.score.serve.answer import Limits, UploadError, answer
from attend.train.config import SearchSettings

MOST_WAITING = 8
STOPPING = "the server is being stopped: start it again"


class Worker:
    """Captions photos in a thread of its own, in the order they come."""

    def __init__(self, captioner: LoadedCaptioner, search: SearchSettings, limits: Limits, best: int) -> None:
        self.captioner, self.search, self.limits, self.best = captioner, search, limits, best
        self._pool = ThreadPoolExecutor(1, thread_name_prefix="captions")
        self._places = threading.BoundedSemaphore(MOST_WAITING)

    def caption(self, name: str, content: bytes) -> Future[dict[str, Any]]:
        """`answer` in the thread. UploadError: too many photos wait already, or the worker is closed."""
        if not self._places.acquire(blocking=False):
            raise UploadError(503, f"{MOST_WAITING} photos are waiting already: try again in a moment")
        try:
            future = self._pool.submit(answer, self.captioner, name, content, self.search, self.limits, self.best)
        except RuntimeError:  # closed
            raise UploadError(503, STOPPING) from None
        future.add_done_callback(lambda _: self._places.release())
        return future

    def close(self) -> None:
        """Drop what waits and end the thread."""
        self._pool.shutdown(wait=True, cancel_futures=True)
