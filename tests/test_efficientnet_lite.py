"""EfficientNet-Lite0 pads as TensorFlow does, and with its ImageNet weights it knows what it sees."""

from __future__ import annotations

import pytest
import torch

from attend.extract.efficientnet_lite import EfficientNetLite0, SameConv
from attend.extract.encoders import build_encoder
from attend.extract.imagenet import efficientnet_lite0_file
from attend.extract.images import Preprocessing, read_photo
from attend.extract.weights import read_state_dict
from tests.tiny_encoder import CPU


def same_by_hand(row: list[float], kernel: list[float], stride: int) -> list[float]:
    """TensorFlow's documented rule on one row: ceil(n / stride) outputs, padding split, the odd one at the end."""
    outputs = -(-len(row) // stride)
    padding = max((outputs - 1) * stride + len(kernel) - len(row), 0)
    before = padding // 2
    padded = [0.0] * before + row + [0.0] * (padding - before)
    return [sum(k * padded[o * stride + i] for i, k in enumerate(kernel)) for o in range(outputs)]


@pytest.mark.parametrize("side", [5, 6, 7, 8, 224])
@pytest.mark.parametrize(("size", "stride"), [(1, 1), (3, 1), (3, 2), (5, 1), (5, 2)])
def test_same_padding_in_both_directions(side, size, stride):
    row = [float((7 * place) % 11) for place in range(side)]
    kernel = [float(1 + place) for place in range(size)]
    expected = torch.tensor(same_by_hand(row, kernel, stride))
    across = SameConv(1, 1, size, stride)
    across.weight.data = torch.zeros(1, 1, size, size)
    # a photo whose rows are all equal and a kernel that looks along one row only: the middle row shows the rule
    across.weight.data[0, 0, size // 2] = torch.tensor(kernel)
    photo = torch.tensor(row).expand(1, 1, side, side)
    with torch.inference_mode():
        sideways = across(photo)
        across.weight.data = across.weight.data.transpose(2, 3).contiguous()
        downwards = across(photo.transpose(2, 3).contiguous())
    assert sideways.shape == downwards.shape == (1, 1, len(expected), len(expected))
    middle = len(expected) // 2
    torch.testing.assert_close(sideways[0, 0, middle], expected)
    torch.testing.assert_close(downwards[0, 0, :, middle], expected)


def test_the_package_holds_exactly_this_network_and_its_head():
    network = EfficientNetLite0()
    state = read_state_dict(efficientnet_lite0_file())
    ours = {name for name in network.state_dict() if not name.endswith("num_batches_tracked")}
    beyond = {name for name in state if not name.endswith("num_batches_tracked")} - ours
    assert beyond == {"_fc.weight", "_fc.bias"} and ours <= set(state)
    network.load_state_dict(state, strict=False)
    with torch.inference_mode():
        grid = network.eval()(torch.zeros(1, 3, 224, 224))
    assert grid.shape == (1, 1280, 7, 7) and float(grid.min()) >= 0 and float(grid.max()) <= 6  # ReLU6


COCO_TRUTH = {
    "000000054718": {101, 385, 386},  # COCO's annotators: an elephant. ImageNet: tusker, Indian, African elephant
    "000000519208": {101, 385, 386},
    "000000415748": {101, 385, 386},
    "000000073326": {760},  # refrigerator
    "000000113488": {466, 547, 705},  # train: bullet train, electric locomotive, passenger car
    "000000332078": {717},  # truck: pickup
    "000000349184": {703},  # bench: park bench
    "000000377575": {265, 266, 267},  # dog: poodles
    "000000084533": {665, 670},  # motorcycle: moped, motor scooter
    "000000466137": {850},  # teddy bear: teddy
}
"""Photo of COCO with one thing that fills it → the ImageNet classes for that thing."""


@pytest.mark.shared
def test_it_recognises_photographs(shared):
    encoder = build_encoder("efficientnet_lite0", "imagenet", CPU, "float32")
    state = read_state_dict(efficientnet_lite0_file())
    right = 0
    for name, classes in COCO_TRUTH.items():
        pixels = read_photo(shared / "data/coco_mini/images" / f"{name}.jpg", Preprocessing("crop")).pixels
        pooled = encoder.encode(pixels[None]).float().mean(dim=1)  # (1, 1280)
        best = int((pooled @ state["_fc.weight"].T + state["_fc.bias"]).argmax())
        right += best in classes
    assert right == len(COCO_TRUTH)
