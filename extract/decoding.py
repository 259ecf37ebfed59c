"""Photos decoded ahead of the encoder, by threads (Pillow lets go of Python's lock while it decodes)."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Generator, Iterable
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path

from attend.extract.images import Photo
from attend.extract.opening import PhotoError

Read = Callable[[Path], Photo]
"""Reads one photo. Raises PhotoError."""


def decode_ahead(
    paths: Iterable[Path], read: Read, threads: int, ahead: int
) -> Generator[Photo | PhotoError, None, None]:
    """The photo of each path, in order, or why there are none. At most `ahead` photos are held."""
    waiting: deque[Future[Photo | PhotoError]] = deque()
    pool = ThreadPoolExecutor(threads, thread_name_prefix="decode")
    try:
        for path in paths:
            waiting.append(pool.submit(_attempt, read, path))
            if len(waiting) >= ahead:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()
    finally:
        pool.shutdown(wait=True, cancel_futures=True)


def _attempt(read: Read, path: Path) -> Photo | PhotoError:
    try:
        return read(path)
    except PhotoError as error:
        return error
