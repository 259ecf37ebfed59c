"""Between a GPU and the processor without either waiting. On a processor nothing is copied."""

from __future__ import annotations

import numpy as np
import torch


class Arriving:
    """Annotations on their way to the host; `wait` may be called by another thread."""

    def __init__(self, annotations: torch.Tensor) -> None:
        self._event: torch.cuda.Event | None = None
        self._host = annotations
        if annotations.is_cuda:
            self._host = torch.empty(annotations.shape, dtype=annotations.dtype, pin_memory=True)
            self._host.copy_(annotations, non_blocking=True)
            self._event = torch.cuda.Event()
            self._event.record()

    def wait(self) -> np.ndarray:
        """The annotations, once they are all there."""
        if self._event is not None:
            self._event.synchronize()
        return self._host.numpy()


def stack(photos: list[torch.Tensor], device: torch.device) -> torch.Tensor:
    """uint8 photos (3, H, W) → (B, 3, H, W), in pinned memory when they will go to a GPU."""
    shape = (len(photos), *photos[0].permute(1, 2, 0).shape)  # channels_last: (B, H, W, 3)
    pixels = torch.empty(shape, dtype=torch.uint8, pin_memory=device.type == "cuda").permute(0, 3, 1, 2)
    return torch.stack(photos, out=pixels)
