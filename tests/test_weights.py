"""Weights fit by name and shape or are refused by name; equal values have equal hashes however they were stored."""

from __future__ import annotations

import pickle
import re

import pytest
import torch

from attend.errors import UserError
from attend.extract.weights import are_named, draw_weights, hash_state, load_weights, read_state_dict, weights_name
from tests.tiny_encoder import TinyNetwork, no_imagenet

UNUSED = r"head\.(weight|bias)"


def a_state() -> dict[str, torch.Tensor]:
    network = TinyNetwork()
    draw_weights(network, 5)
    return network.state_dict()


def load(path, module=None) -> str:
    return load_weights(module or TinyNetwork(), str(path), no_imagenet, UNUSED)


def test_a_file_fills_the_network_and_the_head_of_the_whole_is_passed_over(tmp_path):
    state = a_state()
    torch.save(state | {"head.weight": torch.ones(3)}, tmp_path / "w.pth")
    network = TinyNetwork()
    sha256 = load(tmp_path / "w.pth", network)
    assert all(torch.equal(network.state_dict()[name], value) for name, value in state.items())
    assert sha256 == hash_state(state)


def test_half_precision_loads_as_float32(tmp_path):
    state = a_state()
    torch.save({name: value.half() for name, value in state.items()}, tmp_path / "w.pth")
    network = TinyNetwork()
    load(tmp_path / "w.pth", network)
    assert network.look.weight.dtype == torch.float32
    assert torch.equal(network.look.weight, state["look.weight"].half().float())


def test_the_hash_is_of_the_values(tmp_path):
    state = {name: value.half().float() for name, value in a_state().items()}
    torch.save({name: value.half() for name, value in reversed(state.items())}, tmp_path / "half.pth")
    torch.save(state, tmp_path / "full.pth", _use_new_zipfile_serialization=False)
    assert load(tmp_path / "half.pth") == load(tmp_path / "full.pth")
    state["look.bias"][0] += 1e-6
    assert hash_state(state) != load(tmp_path / "full.pth")
    assert hash_state({"a": torch.zeros(2, 3)}) != hash_state({"a": torch.zeros(3, 2)})


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"extra.weight": torch.ones(1)}, "it has the unknown extra.weight; another ENCODER?"),
        ({"look.bias": None}, "it lacks look.bias; another ENCODER?"),
        (
            {"look.weight": torch.ones(4, 3, 8, 8)},
            "it has look.weight (4, 3, 8, 8) instead of (4, 3, 16, 16); another ENCODER?",
        ),
        (
            {"look.bias": torch.full((4,), torch.inf)},
            "it has values that are not finite in look.bias; another ENCODER?",
        ),
        (
            {"look.bias": None, "look.weight": None, **{f"x{k}": torch.ones(1) for k in range(6)}},
            "it lacks look.weight, look.bias; it has the unknown x0, x1, x2, x3 and 2 more; another ENCODER?",
        ),
    ],
)
@pytest.mark.fault("weights of another network", "refused: missing, unknown and mis-shaped names", "Training")
def test_what_does_not_fit_is_named(tmp_path, change, message):
    path = tmp_path / "w.pth"
    state = {name: value for name, value in (a_state() | change).items() if value is not None}
    torch.save(state, path)
    with pytest.raises(UserError, match=f"^{re.escape(f'WEIGHTS={path} does not fit this encoder: {message}')}$"):
        load(path)


@pytest.mark.fault(
    "a file of weights that is cut off or something else", "refused, with the cure", "Installation and own data"
)
def test_files_that_are_no_state_dict(tmp_path):
    with pytest.raises(UserError, match="no such file; give imagenet, random:SEED or the path of a state dict"):
        load(tmp_path / "gone.pth")
    torch.save([1, 2], tmp_path / "list.pth")
    with pytest.raises(UserError, match="is not a state dict"):
        load(tmp_path / "list.pth")
    for content in (b"", b"GIF89a", b"PK\x03\x04 cut off", b"\x80\x02}q", b"{}"):
        (tmp_path / "bad.pth").write_bytes(content)
        with pytest.raises(
            UserError, match=r"is not a whole file of tensors, and nothing else is opened: get it again, or save"
        ):
            load(tmp_path / "bad.pth")


@pytest.mark.fault("a program inside a file of weights", "not run; refused", "Training")
def test_a_program_in_a_file_is_not_run(tmp_path):
    class Program:
        def __reduce__(self):
            return (pytest.fail, ("the file was executed",))

    torch.save({"look.weight": Program()}, tmp_path / "program.pth")
    with pytest.raises(UserError, match=r"is not a whole file of tensors, and nothing else is opened"):
        read_state_dict(tmp_path / "program.pth")
    with (tmp_path / "plain.pth").open("wb") as file:
        pickle.dump(Program(), file)
    with pytest.raises(UserError, match="plain"):
        read_state_dict(tmp_path / "plain.pth")


def test_random_weights_follow_the_seed_and_keep_the_signal():
    assert load("random:1") == load("random:1") != load("random:2")
    for wrong in ("random:", "random:x", "random:-1"):
        with pytest.raises(UserError, match="write random:SEED with a whole number"):
            load(wrong)


def test_thirty_random_layers_neither_fade_nor_blow_up():
    layers = [layer for _ in range(30) for layer in (torch.nn.Conv2d(16, 16, 3, padding=1), torch.nn.ReLU())]
    network = torch.nn.Sequential(*layers)
    draw_weights(network, 1)
    photo = torch.rand(1, 16, 12, 12)
    with torch.inference_mode():
        assert 0.01 < float(network(photo).std() / photo.std()) < 100


def test_names_are_names_and_files_are_called_by_theirs():
    assert are_named("imagenet") and are_named("random:7") and not are_named("../weights/imagenet.pth")
    assert [weights_name(weights) for weights in ("imagenet", "random:7", "../w/own.pth")] == [
        "imagenet",
        "random:7",
        "own.pth",
    ]
