"""Photos through the encoder side by side on a processor, each on one thread from end to end."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor

import torch


class Lanes:
    """`count` threads in which torch computes on one thread alone.

    The sums of a convolution shared among threads depend on how many share it; here a photo's features do not. Nor does
    a lane wait for another at the end of every operation, which on a processor with other work to do costs most of the
    time (bench/encoder.py).
    """

    def __init__(self, count: int) -> None:
        others = torch.get_num_threads()
        started = threading.Barrier(count + 1)

        def start() -> None:
            torch.set_num_threads(1)
            torch.get_num_threads()  # the first look takes the number of the process: now, while that is 1
            started.wait()

        self._pool = ThreadPoolExecutor(count, thread_name_prefix="encode", initializer=start)
        for _ in range(count):
            self._pool.submit(int)
        started.wait()
        torch.set_num_threads(others)  # for the threads that others start from now on

    def map(self, work: Callable[[torch.Tensor], torch.Tensor], blocks: Iterable[torch.Tensor]) -> list[torch.Tensor]:
        """`work` done on each block, in order."""
        return list(self._pool.map(work, blocks))
