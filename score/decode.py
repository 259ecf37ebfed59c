"""Captions for many photos of a feature store."""

from __future__ import annotations

from collections.abc import Sequence

import torch

from attend.data.items import Item
from attend.data.store_reader import FeatureStore
from attend.data.vocabulary import Vocabulary
from attend.errors import UserError
from attend.progress import Progress
from attend.score.search.caption import Caption
from attend.score.search.find import find_captions
from attend.train.config import SearchSettings
from attend.train.models.interface import Captioner

PHOTOS_AT_ONCE = 64


def split_items(store: FeatureStore, split: str, images: int = 0) -> list[Item]:
    """The items of a split that have features: the first `images` of them, or all (0). UserError when none has."""
    items = [item for item in store.items if item.split == split]
    if not items:
        counts = {
            name: sum(item.split == name for item in store.items) for name in {item.split for item in store.items}
        }
        there = ", ".join(f"{name} ({count})" for name, count in sorted(counts.items()))
        raise UserError(f"{store.folder} has no photo in the split {split}; its splits: {there}")
    return items[: images or None]


def share_of_photos(store: FeatureStore, image_ids: Sequence[str], rank: int, world: int) -> list[str]:
    """The photos that process `rank` of `world` captions: every `world`-th batch of those that one process would make.

    So each photo is captioned together with the same others, whatever the number of processes.
    """
    order = _in_store_order(store, image_ids)
    batches = [order[start : start + PHOTOS_AT_ONCE] for start in range(0, len(order), PHOTOS_AT_ONCE)]
    return [image_id for batch in batches[rank::world] for image_id in batch]


def caption_images(
    captioner: Captioner,
    vocabulary: Vocabulary,
    store: FeatureStore,
    image_ids: Sequence[str],
    settings: SearchSettings,
    device: torch.device,
    label: str = "",
) -> dict[str, Caption]:
    """The best caption of each image, in the order of `image_ids`. The captioner is in evaluation mode on `device`.

    With a `label` the progress is shown under it.
    """
    order = _in_store_order(store, image_ids)
    captions: dict[str, Caption] = {}
    progress = Progress(len(order), label, "captions") if label else None
    for start in range(0, len(order), PHOTOS_AT_ONCE):
        batch = order[start : start + PHOTOS_AT_ONCE]
        annotations = torch.from_numpy(store.read(batch)).to(device).float()  # (B, L, D)
        found = find_captions(captioner, annotations, None, vocabulary, settings)
        captions.update((image_id, best) for image_id, [best] in zip(batch, found, strict=True))
        if progress is not None:
            progress.update(len(batch))
    if progress is not None:
        progress.close()
    return {image_id: captions[image_id] for image_id in image_ids}


def _in_store_order(store: FeatureStore, image_ids: Sequence[str]) -> list[str]:
    """As they lie in the shards."""
    wanted = set(image_ids)
    return [image_id for image_id in store.ids if image_id in wanted]
