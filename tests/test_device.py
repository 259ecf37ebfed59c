"""Which device, and which precision on it."""

from __future__ import annotations

import pytest
import torch

from attend import device
from attend.device import bfloat16_pays, choose_device, choose_precision
from attend.errors import UserError

CPU = torch.device("cpu")


def test_auto_takes_the_gpu_when_there_is_one(monkeypatch):
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    assert choose_device("auto") == CPU
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    assert choose_device("auto") == torch.device("cuda")


@pytest.mark.parametrize("name", ["gpu", "meta", "xpu", "cuda:x"])
@pytest.mark.fault("a DEVICE that is none", "refused, the choices are listed", "Scale and hardware")
def test_no_device_is_named(name):
    with pytest.raises(UserError, match=f"DEVICE={name} is no device to compute on: auto, cpu, cuda or cuda:N"):
        choose_device(name)


def test_the_processor_is_one_device():
    assert choose_device("cpu:0").type == "cpu"
    with pytest.raises(UserError, match="DEVICE=cpu:1: the processor is one device, cpu"):
        choose_device("cpu:1")


@pytest.mark.fault("DEVICE=cuda without that GPU", "refused: what is there, and the cure", "Scale and hardware")
def test_a_gpu_that_is_not_there_is_named(monkeypatch):
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    with pytest.raises(UserError, match=r"DEVICE=cuda: this torch .* finds no GPU"):
        choose_device("cuda")
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    monkeypatch.setattr(torch.cuda, "device_count", lambda: 1)
    with pytest.raises(UserError, match="DEVICE=cuda:7: this machine has 1 GPUs"):
        choose_device("cuda:7")


@pytest.mark.parametrize(
    ("amx", "avx512", "amd", "pays"),
    [(True, False, False, True), (False, True, True, True), (False, True, False, False), (False, False, True, False)],
)
@pytest.mark.fault(
    "bfloat16 on a processor that is slower with it", "float32 is taken, by a rule", "Scale and hardware"
)
def test_bfloat16_only_where_a_processor_gains_by_it(monkeypatch, amx, avx512, amd, pays):
    monkeypatch.setattr(torch.cpu, "get_capabilities", lambda: {"amx_tile": amx, "avx512_bf16": avx512})
    monkeypatch.setattr(device, "_made_by_amd", lambda: amd)
    assert bfloat16_pays(CPU) is pays
    assert choose_precision("auto", CPU) == ("bfloat16" if pays else "float32")
    assert choose_precision("float32", CPU) == "float32"


def test_an_unknown_precision_is_named():
    with pytest.raises(UserError, match="PRECISION=half is unknown: auto, float32 or bfloat16"):
        choose_precision("half", CPU)
