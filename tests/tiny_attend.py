"""`python -m tests.tiny_attend`: the command line with the encoder `tiny` in it, slow enough to be killed at work, and
with shards of four photos."""

from __future__ import annotations

import os
import time

import pytest
import torch

from attend.cli import main
from attend.extract import extraction, plan, survey
from attend.extract.encoders import ENCODERS, Encoder
from tests.tiny_encoder import TINY

SECONDS_A_PHOTO = 0.02
SECONDS_A_FILE = 0.1
"""How long a file takes to the disk at least, so that a signal can come meanwhile."""


def register(patch: pytest.MonkeyPatch, seconds_a_photo: float = 0.0) -> None:
    """The encoder, the shards of four, and a size estimate that encodes nothing, until the patch is undone."""
    encode = Encoder.encode

    def slowly(self: Encoder, photos: torch.Tensor) -> torch.Tensor:
        time.sleep(seconds_a_photo * len(photos))
        return encode(self, photos)

    def four(items, finished, *_, **__):
        return plan.plan_shards(items, finished, rows=4)

    patch.setitem(ENCODERS, "tiny", TINY)
    patch.setattr(Encoder, "encode", slowly)
    patch.setattr(survey, "plan_shards", four)
    patch.setattr(extraction, "estimate_bytes", lambda items, *_: 100 * len(items))


if __name__ == "__main__":
    with pytest.MonkeyPatch.context() as patch:
        register(patch, SECONDS_A_PHOTO)
        fsync = os.fsync
        patch.setattr(os, "fsync", lambda handle: (time.sleep(SECONDS_A_FILE), fsync(handle)))
        main()
