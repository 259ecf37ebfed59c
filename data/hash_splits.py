"""Splits for photos that come without any: decided by the hash of each photo's id."""

from __future__ import annotations

from collections.abc import Collection
from hashlib import sha256

VAL_BELOW, TEST_BELOW = 0.1, 0.2
RULE = "by the hash of the photo's name, about 80 % train, 10 % val, 10 % test"


def hash_splits(ids: Collection[str]) -> dict[str, str]:
    """A split for each id: about 80 % train, 10 % val, 10 % test, decided by the id's sha256 and nothing else.

    New photos therefore leave the splits of the old ones as they are. Only where a small set would have no
    photo in a split, one is moved there; fewer than three photos are all train.
    """
    if len(ids) < 3:
        return dict.fromkeys(ids, "train")
    names = by_hash(ids)
    shares = [hash_share(name) for name in names]
    below_val, below_test = (sum(share < limit for share in shares) for limit in (VAL_BELOW, TEST_BELOW))
    val = min(max(1, below_val), len(ids) - 2)
    test = min(max(1, below_test - below_val), len(ids) - val - 1)
    return {
        **dict.fromkeys(names[:val], "val"),
        **dict.fromkeys(names[val : val + test], "test"),
        **dict.fromkeys(names[val + test :], "train"),
    }


def by_hash(ids: Collection[str]) -> list[str]:
    """The ids in an order that looks random and is the same for ever."""
    return sorted(ids, key=lambda name: (hash_share(name), name))


def hash_share(image_id: str) -> float:
    """A number from 0 to 1 that is the id's own."""
    return int(sha256(image_id.encode(errors="surrogateescape")).hexdigest()[:16], 16) / 16**16
