"""VGG is torchvision's VGG, cut before the last pooling."""

from __future__ import annotations

import pytest
import torch
import torchvision

from attend.extract.vgg import VGG
from attend.extract.weights import draw_weights


@pytest.mark.parametrize(("name", "layers"), [("vgg19", 36), ("vgg16", 30)])
def test_names_and_features_are_torchvisions(name, layers):
    with torch.device("meta"):
        whole = getattr(torchvision.models, name)(weights=None)
    reference = whole.features[:layers].to_empty(device="cpu")
    ours = VGG(name)
    draw_weights(ours, 3)
    state = ours.state_dict()
    theirs = {f"features.{key}" for key in reference.state_dict()}
    assert set(state) == theirs and theirs <= set(whole.state_dict())
    reference.load_state_dict({key.removeprefix("features."): value for key, value in state.items()})
    photo = torch.rand(1, 3, 64, 96)
    with torch.inference_mode():
        torch.testing.assert_close(ours(photo), reference(photo), rtol=1e-5, atol=1e-6)
        assert ours(photo).shape == (1, 512, 4, 6)
