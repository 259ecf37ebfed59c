"""Annotations of the training photos: from memory when all of them fit, else from the shards each time."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import psutil
import torch
from torch import Tensor

from attend.data.store_reader import FeatureStore


class AnnotationSource:
    """Reads annotations by row number of `image_ids`.

    Rule: when rows x L x D float16 fit in `cache_share` of the memory that is free at the start, every photo is read
    from the store once and kept; otherwise every mini-batch reads its own rows.
    """

    def __init__(self, store: FeatureStore, image_ids: Sequence[str], cache_share: float) -> None:
        self.store, self.image_ids = store, image_ids
        shape = (len(image_ids), store.places, store.channels)
        self.bytes = 2 * int(np.prod(shape))
        self.cached = self.bytes <= cache_share * psutil.virtual_memory().available
        self.kept = torch.empty(shape, dtype=torch.float16) if self.cached else None
        self.present = np.zeros(len(image_ids), dtype=bool)

    def read(self, rows: np.ndarray) -> Tensor:
        """Rows (B,), in any order with repeats → annotations (B, L, D) float16."""
        if self.kept is None:
            return torch.from_numpy(self.store.read([self.image_ids[row] for row in rows]))
        absent = np.unique(rows[~self.present[rows]])
        if len(absent):
            fresh = torch.from_numpy(self.store.read([self.image_ids[row] for row in absent]))
            self.kept[torch.from_numpy(absent)] = fresh
            self.present[absent] = True
        return self.kept.index_select(0, torch.from_numpy(rows))
