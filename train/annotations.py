"""Annotations of the training photos: kept after the first read where all of them fit, else read each time."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import torch
from torch import Tensor

from attend.data.store_reader import FeatureStore
from attend.free_memory import free_memory


class AnnotationSource:
    """Reads annotations by row number of `image_ids`.

    Rule: each photo is read from the store once and kept, on the GPU when rows x L x D float16 fit in `cache_share` of
    its free memory at the start, else in host memory when they fit in `cache_share` of that, once for each of the
    `processes` on this machine; otherwise every mini-batch reads its own rows.
    """

    def __init__(
        self,
        store: FeatureStore,
        image_ids: Sequence[str],
        cache_share: float,
        device: torch.device | None = None,
        processes: int = 1,
    ) -> None:
        self.store, self.image_ids = store, image_ids
        shape = (len(image_ids), store.places, store.channels)
        self.bytes = 2 * int(np.prod(shape))
        self.where = cache_place(self.bytes, cache_share, device or torch.device("cpu"), processes)
        self.kept = None if self.where is None else torch.empty(shape, dtype=torch.float16, device=self.where)
        self.present = np.zeros(len(image_ids), dtype=bool)

    @property
    def cached(self) -> bool:
        """Whether what was read is kept."""
        return self.kept is not None

    def read(self, rows: np.ndarray) -> Tensor:
        """Rows (B,), in any order with repeats → annotations (B, L, D) float16, where they are kept."""
        if self.kept is None:
            return torch.from_numpy(self.store.read([self.image_ids[row] for row in rows]))
        absent = np.unique(rows[~self.present[rows]])
        if len(absent):
            fresh = torch.from_numpy(self.store.read([self.image_ids[row] for row in absent]))
            self.kept[torch.from_numpy(absent).to(self.where)] = fresh.to(self.where)
            self.present[absent] = True
        return self.kept.index_select(0, torch.from_numpy(rows).to(self.where))


def cache_place(size: int, share: float, device: torch.device, processes: int = 1) -> torch.device | None:
    """Where `size` bytes are kept: the GPU, host memory, or nowhere (None). See `AnnotationSource`."""
    if device.type == "cuda" and size <= share * torch.cuda.mem_get_info(device)[0]:
        return device
    return torch.device("cpu") if size * processes <= share * free_memory() else None
