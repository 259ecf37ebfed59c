"""An encoder's weights: `imagenet`, `random:SEED`, or a file with a state dict, checked by name and shape."""

from __future__ import annotations

import hashlib
import math
import re
from collections.abc import Callable, Mapping
from pathlib import Path

import torch
from torch import nn

from attend.data.listing import some
from attend.errors import UserError

StateDict = dict[str, torch.Tensor]


def are_named(weights: str) -> bool:
    """True for `imagenet` and `random:SEED`, the same weights whenever they are named; false for a file."""
    return weights == "imagenet" or weights.startswith("random:")


def weights_name(weights: str) -> str:
    """What a fingerprint calls them: a file by its own name."""
    return weights if are_named(weights) else Path(weights).name


def load_weights(module: nn.Module, weights: str, imagenet: Callable[[], Path], unused: str) -> str:
    """Fill `module` from `weights` (`imagenet`, `random:SEED` or a path); returns the sha256 of what was loaded.

    `imagenet()` gives the file of ImageNet weights. A file may hold half precision, and the rest of the network too:
    names that match the pattern `unused` are passed over. UserError: anything else that does not fit, by name.
    """
    kind, colon, seed = weights.partition(":")
    if kind == "random" and colon:
        if not seed.isdigit():
            raise UserError(f"WEIGHTS={weights}: write random:SEED with a whole number, such as random:1")
        draw_weights(module, int(seed))
    else:
        path = imagenet() if weights == "imagenet" else Path(weights)
        fill(module, read_state_dict(path), path, unused)
    return hash_state(module.state_dict())


def read_state_dict(path: Path) -> StateDict:
    """The tensors in a file, by name. Nothing in the file is executed. UserError: no such file, or not a state dict."""
    if not path.is_file():
        raise UserError(f"WEIGHTS={path}: no such file; give imagenet, random:SEED or the path of a state dict")
    try:
        state = torch.load(path, map_location="cpu", weights_only=True)
    except Exception as error:  # on a damaged file torch.load raises whatever it trips over
        why = next(iter(str(error).splitlines()), type(error).__name__)
        cure = "get it again, or save only the network's state_dict()"
        raise UserError(
            f"WEIGHTS={path} is not a whole file of tensors, and nothing else is opened: {cure} ({why})"
        ) from error
    if not isinstance(state, Mapping) or not all(isinstance(tensor, torch.Tensor) for tensor in state.values()):
        raise UserError(f"WEIGHTS={path} is not a state dict (names → tensors): save the network's state_dict()")
    return dict(state)


def fill(module: nn.Module, state: StateDict, path: Path, unused: str) -> None:
    """Copy `state` into `module`, in float32. UserError: unknown, missing or mis-shaped names, non-finite values."""
    wanted = {name: tensor for name, tensor in module.state_dict().items() if not name.endswith("num_batches_tracked")}
    unknown = [name for name in state if name not in wanted and not re.fullmatch(unused, name)]
    missing = [name for name in wanted if name not in state]
    shapes = [
        f"{name} {tuple(state[name].shape)} instead of {tuple(tensor.shape)}"
        for name, tensor in wanted.items()
        if name in state and state[name].shape != tensor.shape
    ]
    broken = [name for name in wanted if name in state and not bool(torch.isfinite(state[name]).all())]
    kinds = {"lacks": missing, "has the unknown": unknown, "has": shapes, "has values that are not finite in": broken}
    faults = [f"{verb} {some(names)}" for verb, names in kinds.items() if names]
    if faults:
        raise UserError(f"WEIGHTS={path} does not fit this encoder: it {'; it '.join(faults)}; another ENCODER?")
    module.load_state_dict({name: state[name].float() for name in wanted}, strict=False)


def draw_weights(module: nn.Module, seed: int) -> None:
    """Random weights, equal for equal seeds: N(0, 2 / inputs) as for ReLU networks, biases 0, batch norms neutral."""
    generator = torch.Generator().manual_seed(seed)
    for layer in module.modules():
        if isinstance(layer, nn.Conv2d):
            deviation = math.sqrt(2 / layer.weight[0].numel())
            layer.weight.data = torch.randn(layer.weight.shape, generator=generator) * deviation
            if layer.bias is not None:
                nn.init.zeros_(layer.bias)
        elif isinstance(layer, nn.BatchNorm2d):
            layer.reset_parameters()


def hash_state(state: Mapping[str, torch.Tensor]) -> str:
    """sha256 over names, shapes and float32 values, in the order of the names: the same for the same network, whichever
    file, precision of storage or order it came in."""
    digest = hashlib.sha256()
    for name in sorted(state):
        if not name.endswith("num_batches_tracked"):
            tensor = state[name].detach().cpu().float().contiguous()
            digest.update(f"{name}{tuple(tensor.shape)}".encode())
            digest.update(tensor.numpy().tobytes())
    return digest.hexdigest()
