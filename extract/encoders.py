"""The encoders: photos in, annotations out. A new one is a line in `ENCODERS`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

import torch
from torch import nn
from torch.nn import functional as F

from attend.data.manifest import Fingerprint
from attend.device import PRECISIONS, choose_precision, cores
from attend.errors import UserError
from attend.extract.efficientnet_lite import EfficientNetLite0
from attend.extract.imagenet import efficientnet_lite0_file, torchvision_file
from attend.extract.images import Preprocessing
from attend.extract.lanes import Lanes
from attend.extract.vgg import VGG
from attend.extract.weights import are_named, load_weights, weights_name

IMAGENET_MEAN, IMAGENET_STD = (0.485, 0.456, 0.406), (0.229, 0.224, 0.225)

BLOCK = {"cpu": 1, "cuda": 50}
"""Photos in one pass through the network, always exactly so many, the last pass filled up: libraries choose their
algorithms by the shape, so only a fixed shape makes a photo's features the same alone and in any batch. A processor
takes one photo a pass and several passes at once, each on a thread of its own."""


@dataclass(frozen=True)
class Architecture:
    """One kind of encoder. The network sees (pixel / 255 - mean) / std and gives (B, channels, rows, columns)."""

    layer: str
    grid: tuple[int, int]
    channels: int
    size: int
    resize: int
    mean: tuple[float, float, float]
    std: tuple[float, float, float]
    build: Callable[[], nn.Module]
    imagenet: Callable[[], Path]
    unused: str
    """Pattern of the names a file of the whole network has beyond this part of it."""


def _vgg(name: str, layer: str) -> Architecture:
    build, file = partial(VGG, name), partial(torchvision_file, name)
    heads = r"classifier\.\d\.(weight|bias)"
    return Architecture(layer, (14, 14), 512, 224, 256, IMAGENET_MEAN, IMAGENET_STD, build, file, heads)


ENCODERS = {
    "vgg19": _vgg("vgg19", "conv5_4 after ReLU"),
    "vgg16": _vgg("vgg16", "conv5_3 after ReLU"),
    "efficientnet_lite0": Architecture(
        layer="head after ReLU6",
        grid=(7, 7),
        channels=1280,
        size=224,
        resize=256,
        mean=(127 / 255, 127 / 255, 127 / 255),
        std=(128 / 255, 128 / 255, 128 / 255),
        build=EfficientNetLite0,
        imagenet=efficientnet_lite0_file,
        unused=r"_fc\.(weight|bias)|.*num_batches_tracked",
    ),
}


class Encoder:
    """A network with its weights on a device. Build it once a process with `build_encoder`."""

    def __init__(
        self,
        name: str,
        module: nn.Module,
        weights: str,
        weights_file: str,
        weights_sha256: str,
        device: torch.device,
        precision: str,
        lanes: int,
    ) -> None:
        self.name, self.weights, self.weights_file, self.weights_sha256 = name, weights, weights_file, weights_sha256
        self.device, self.precision, self.block = device, precision, BLOCK[device.type]
        self.architecture = ENCODERS[name]
        self.grid, self.channels = self.architecture.grid, self.architecture.channels
        self._dtype = PRECISIONS[precision]
        self._module = module.eval().to(device, self._dtype).to(memory_format=torch.channels_last)
        mean, std = (torch.tensor(values) for values in (self.architecture.mean, self.architecture.std))
        self._scale = (1 / (255 * std)).view(3, 1, 1).to(device)
        self._shift = (-mean / std).view(3, 1, 1).to(device)
        self._lanes = Lanes(lanes) if device.type == "cpu" else None

    def encode(self, pixels: torch.Tensor) -> torch.Tensor:
        """uint8 (B, 3, H, W) on any device → annotations (B, L, D) float16 on this device, places row-major.

        A photo's annotations do not depend on the photos beside it. Beyond float16's range they are infinite.
        """
        pixels = pixels.to(self.device, non_blocking=True)
        blocks = pixels.split(self.block)
        passes = self._lanes.map(self._pass, blocks) if self._lanes else [self._pass(block) for block in blocks]
        return torch.cat(passes)

    @torch.inference_mode()
    def _pass(self, pixels: torch.Tensor) -> torch.Tensor:
        count = len(pixels)
        if count < self.block:
            pixels = F.pad(pixels, (0, 0, 0, 0, 0, 0, 0, self.block - count))
        photos = (pixels.float() * self._scale + self._shift).to(self._dtype, memory_format=torch.channels_last)
        with torch.backends.cudnn.flags(enabled=True, benchmark=False, deterministic=True, allow_tf32=False):
            grid = self._module(photos)  # (block, D, rows, columns)
        return grid[:count].permute(0, 2, 3, 1).reshape(count, -1, self.channels).to(torch.float16)  # (B, L, D)


def build_encoder(name: str, weights: str, device: torch.device, precision: str, lanes: int | None = None) -> Encoder:
    """The encoder `name` with `weights` (`imagenet`, `random:SEED` or a path), in `precision` or, with `auto`, in
    bfloat16 where that pays. `lanes`: how many photos a processor encodes at once; one a core when it is not said.

    UserError: a name that is unknown, weights that do not fit or cannot be had.
    """
    architecture = architecture_of(name)
    if device.type not in BLOCK:
        raise UserError(f"DEVICE={device}: features are made on {' or '.join(BLOCK)}")
    precision = choose_precision(precision, device)
    with torch.device("meta"):
        module = architecture.build()
    module.to_empty(device="cpu")
    sha256 = load_weights(module, weights, architecture.imagenet, architecture.unused)
    file = "" if are_named(weights) else str(Path(weights).absolute())
    return Encoder(name, module, weights_name(weights), file, sha256, device, precision, lanes or cores())


def architecture_of(name: str) -> Architecture:
    """UserError: a name that is unknown."""
    if name not in ENCODERS:
        raise UserError(f"ENCODER={name} is unknown: one of {', '.join(ENCODERS)}")
    return ENCODERS[name]


def fingerprint(encoder: Encoder, preprocessing: Preprocessing) -> Fingerprint:
    """What decides the numbers in a store."""
    made = describe(encoder.name, encoder.architecture, encoder.precision, preprocessing)
    return replace(made, weights=encoder.weights, weights_sha256=encoder.weights_sha256)


def describe(name: str, architecture: Architecture, precision: str, preprocessing: Preprocessing) -> Fingerprint:
    """The fingerprint of an encoder but for its weights, which need not be loaded for it."""
    pixels = preprocessing.to_record() | {"mean": list(architecture.mean), "std": list(architecture.std)}
    return Fingerprint(name, architecture.layer, "", "", precision, pixels)
