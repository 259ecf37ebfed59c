"""Between a GPU and the host without either waiting: copies run on streams of their own, beside the computation.
On a processor nothing is copied."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
import torch


def upload(photos: list[torch.Tensor], device: torch.device) -> torch.Tensor:
    """uint8 photos (3, H, W) → (B, 3, H, W) on `device`, channels_last; what is computed next waits for it."""
    height, width = photos[0].shape[1:]
    on_gpu = device.type == "cuda"
    pixels = torch.empty((len(photos), height, width, 3), dtype=torch.uint8, pin_memory=on_gpu).permute(0, 3, 1, 2)
    torch.stack(photos, out=pixels)
    if not on_gpu:
        return pixels
    stream, computing = _streams(device)[0], torch.cuda.current_stream(device)
    with torch.cuda.stream(stream):
        there = pixels.to(device, non_blocking=True)
    computing.wait_stream(stream)
    there.record_stream(computing)
    return there


class Arriving:
    """Annotations on their way to the host; `wait` may be called by another thread."""

    def __init__(self, annotations: torch.Tensor) -> None:
        self._event: torch.cuda.Event | None = None
        self._host = annotations
        if annotations.is_cuda:
            stream = _streams(annotations.device)[1]
            self._host = torch.empty(annotations.shape, dtype=annotations.dtype, pin_memory=True)
            stream.wait_stream(torch.cuda.current_stream(annotations.device))
            with torch.cuda.stream(stream):
                self._host.copy_(annotations, non_blocking=True)
                self._event = stream.record_event()
            annotations.record_stream(stream)

    def wait(self) -> np.ndarray:
        """The annotations, once they are all there."""
        if self._event is not None:
            self._event.synchronize()
        return self._host.numpy()


@lru_cache
def _streams(device: torch.device) -> tuple[torch.cuda.Stream, torch.cuda.Stream]:
    """The streams for copies to and from a GPU."""
    return torch.cuda.Stream(device), torch.cuda.Stream(device)
