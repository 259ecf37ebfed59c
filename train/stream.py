"""Mini-batches ready for the device, prepared one thread ahead of the training loop."""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Iterable, Iterator

import numpy as np
import torch

from attend.train.annotations import AnnotationSource
from attend.train.examples import Examples
from attend.train.models.interface import Batch


class BatchStream:
    """Iterates over the planned mini-batches; `waited`: seconds that the consumer spent waiting for data.

    The reader is a thread of this process: nothing passes through shared memory, however small /dev/shm is.
    """

    def __init__(
        self,
        plan: Iterable[np.ndarray],
        examples: Examples,
        source: AnnotationSource,
        device: torch.device,
        dtype: torch.dtype,
        ahead: int = 2,
    ) -> None:
        self.plan, self.examples, self.source = plan, examples, source
        self.device, self.dtype, self.ahead = device, dtype, ahead
        self.waited = 0.0

    def __iter__(self) -> Iterator[Batch]:
        ready: queue.Queue[Batch | BaseException | None] = queue.Queue(self.ahead)
        stop = threading.Event()

        def put(result: Batch | BaseException | None) -> None:
            while not stop.is_set():
                try:
                    return ready.put(result, timeout=0.1)
                except queue.Full:
                    continue

        def prepare() -> None:
            if self.device.type == "cuda":
                torch.cuda.set_device(self.device.index or 0)  # a thread starts on the first GPU
            try:
                for captions in self.plan:
                    if stop.is_set():
                        return
                    put(self._batch(captions))
                put(None)
            except BaseException as error:
                put(error)

        thread = threading.Thread(target=prepare, name="batches", daemon=True)
        thread.start()
        try:
            while True:
                since = time.perf_counter()
                result = ready.get()
                self.waited += time.perf_counter() - since
                if result is None:
                    return
                if isinstance(result, BaseException):
                    raise result
                yield self._to_device(result)
        finally:
            stop.set()
            thread.join()

    def _batch(self, captions: np.ndarray) -> Batch:
        """Captions (B,), all of one length, as a batch in host memory, or where the annotations are kept."""
        annotations = self.source.read(self.examples.images[captions]).to(self.dtype)
        words = torch.from_numpy(np.stack([self.examples.words[k] for k in captions]))  # (B, T)
        lengths = torch.full((len(captions),), words.shape[1])
        return Batch(self._pinned(annotations), self._pinned(words), self._pinned(lengths))

    def _pinned(self, tensor: torch.Tensor) -> torch.Tensor:
        """For a GPU, what is still in host memory goes into pages that it copies from by itself."""
        return tensor.pin_memory() if self.device.type == "cuda" and tensor.device.type == "cpu" else tensor

    def _to_device(self, batch: Batch) -> Batch:
        def move(tensor: torch.Tensor) -> torch.Tensor:
            return tensor.to(self.device, non_blocking=True)

        return Batch(move(batch.annotations), move(batch.words), move(batch.lengths))
