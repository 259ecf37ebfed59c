"""Stacking keeps photos and their layout. (On a processor; with a GPU, the same through its copy streams.)"""

from __future__ import annotations

import numpy as np
import pytest
import torch

from attend.extract.transfer import Arriving, upload

DEVICES = ["cpu", pytest.param("cuda", marks=pytest.mark.skipif(not torch.cuda.is_available(), reason="no GPU"))]


@pytest.mark.parametrize("device", DEVICES)
def test_there_and_back(device):
    generator = torch.Generator().manual_seed(1)
    photos = [torch.randint(0, 256, (3, 5, 7), dtype=torch.uint8, generator=generator) for _ in range(4)]
    pixels = upload(photos, torch.device(device))
    assert pixels.device.type == device and pixels.is_contiguous(memory_format=torch.channels_last)
    np.testing.assert_array_equal(Arriving(pixels.half()).wait(), torch.stack(photos).half().numpy())
