"""Annotations equal torchvision's features, place by place, and a photo's do not depend on its company."""

from __future__ import annotations

import pytest
import torch
import torchvision
from torchvision.transforms import v2

from attend.errors import UserError
from attend.extract import encoders
from attend.extract.encoders import BLOCK, ENCODERS, build_encoder, fingerprint
from attend.extract.images import Preprocessing, prepare, read_photo
from tests.tiny_encoder import CPU, drawn_photo, tiny_encoder

NORMALISE = v2.Normalize(encoders.IMAGENET_MEAN, encoders.IMAGENET_STD)


def torchvision_features(layers: int, state: dict[str, torch.Tensor], photo: torch.Tensor) -> torch.Tensor:
    """(196, 512) of one uint8 photo, as anybody would compute it with torchvision, in float32."""
    with torch.device("meta"):
        network = torchvision.models.vgg19(weights=None).features[:layers]
    network = network.to_empty(device="cpu")
    network.load_state_dict({name.removeprefix("features."): value for name, value in state.items()})
    normalised = NORMALISE(photo.float() / 255)
    with torch.inference_mode():
        features = network(normalised[None])[0]  # (512, 14, 14)
    return torch.stack([features[:, row, column] for row in range(14) for column in range(14)])


def relative(ours: torch.Tensor, theirs: torch.Tensor) -> float:
    return float((ours.float() - theirs).norm() / theirs.norm())


@pytest.mark.slow
def test_vgg19_is_torchvisions_conv5_4_in_both_precisions():
    photo = prepare(drawn_photo(1, (300, 260)), Preprocessing("crop"))
    encoder = build_encoder("vgg19", "random:4", CPU, "float32")
    theirs = torchvision_features(36, encoder._module.state_dict(), photo)
    ours = encoder.encode(photo[None])
    assert ours.shape == (1, 196, 512) and ours.dtype == torch.float16
    assert relative(ours[0], theirs) < 4e-4  # float16 has 11 bits
    half = build_encoder("vgg19", "random:4", CPU, "bfloat16").encode(photo[None])
    assert relative(half[0], theirs) < 0.03  # bfloat16 has 8 bits, sixteen layers


@pytest.mark.shared
@pytest.mark.slow
def test_real_weights_on_a_real_photo(shared):
    path = shared / "weights/vgg19_layout_vgg16_weights_fp16.pth"
    photo = read_photo(shared / "data/coco_mini/images/000000000139.jpg", Preprocessing("crop")).pixels
    encoder = build_encoder("vgg19", str(path), CPU, "float32")
    state = {name: value.float() for name, value in torch.load(path, weights_only=True).items()}
    ours = encoder.encode(photo[None])[0]
    assert relative(ours, torchvision_features(36, state, photo)) < 4e-4
    assert 0.85 < float((ours == 0).float().mean()) < 0.99  # after a ReLU: mostly zeros, as measured on real features
    assert encoder.weights == path.name


@pytest.mark.parametrize("name", ["tiny", "efficientnet_lite0"])
@pytest.mark.parametrize("block", [1, 4])
@pytest.mark.fault("a photo alone, and the same in a batch of another size", "the same features, bit for bit", "Photos")
def test_a_photo_alone_and_in_any_batch_has_the_same_features(monkeypatch, name, block):
    monkeypatch.setitem(BLOCK, "cpu", block)
    encoder = tiny_encoder(monkeypatch) if name == "tiny" else build_encoder(name, "imagenet", CPU, "float32")
    size = ENCODERS[name].size
    photos = torch.stack([prepare(drawn_photo(k, (size, size)), Preprocessing("whole", size, size)) for k in range(5)])
    together = encoder.encode(photos)
    for number in range(5):
        assert torch.equal(encoder.encode(photos[number : number + 1])[0], together[number])
    assert torch.equal(encoder.encode(photos.flip(0)), together.flip(0))


@pytest.mark.parametrize(("name", "precision"), [("efficientnet_lite0", "float32"), ("vgg16", "bfloat16")])
@pytest.mark.fault("another number of cores", "the same features, bit for bit", "Scale and hardware")
def test_the_number_of_cores_does_not_change_the_features(name, precision):
    """The whole process may have several threads: an encoder's sums must not be shared among them."""
    size = ENCODERS[name].size
    photos = torch.stack([prepare(drawn_photo(k, (size, size)), Preprocessing("whole", size, size)) for k in range(3)])
    before = torch.get_num_threads()
    alone = build_encoder(name, "random:2", CPU, precision, lanes=1).encode(photos)
    try:
        torch.set_num_threads(3)
        several = build_encoder(name, "random:2", CPU, precision, lanes=3)
        assert torch.get_num_threads() == 3
        assert torch.equal(several.encode(photos), alone)
    finally:
        torch.set_num_threads(before)


def test_places_are_row_major(monkeypatch):
    encoder = tiny_encoder(monkeypatch)
    photo = torch.zeros(1, 3, 32, 32, dtype=torch.uint8)
    dark = encoder.encode(photo)[0]
    photo[:, :, :16, 16:] = 255  # light in row 0, column 1
    changed = (encoder.encode(photo)[0] != dark).any(dim=1)
    assert changed.tolist() == [False, True, False, False]


def test_efficientnet_sees_pixels_around_127():
    encoder = build_encoder("efficientnet_lite0", "random:1", CPU, "float32")
    seen = []
    encoder._module.register_forward_pre_hook(lambda _module, inputs: seen.append(inputs[0]))
    encoder.encode(
        torch.arange(0, 256, 51, dtype=torch.uint8).repeat_interleave(3).reshape(6, 3, 1, 1).expand(6, 3, 224, 224)
    )
    values = torch.cat(seen)[:, 0, 0, 0].sort().values  # in the order of the lanes
    torch.testing.assert_close(values, (torch.arange(0, 256, 51) - 127) / 128)


def test_overflow_becomes_infinite_for_the_writer_to_name(monkeypatch):
    encoder = tiny_encoder(monkeypatch)
    encoder._module.look.bias.data.fill_(1e5)
    assert torch.isinf(encoder.encode(torch.zeros(1, 3, 32, 32, dtype=torch.uint8))).all()


def test_the_fingerprint_names_all_that_decides_a_feature(monkeypatch):
    first = fingerprint(tiny_encoder(monkeypatch), Preprocessing("crop", 32, 36))
    assert (first.encoder, first.layer, first.weights, first.precision) == ("tiny", "look", "random:1", "float32")
    assert first.preprocessing["mean"] == [0.5] * 3 and first.preprocessing["resize"] == 36
    assert first != fingerprint(tiny_encoder(monkeypatch, "random:2"), Preprocessing("crop", 32, 36))
    assert first != fingerprint(tiny_encoder(monkeypatch), Preprocessing("whole", 32, 36))


def test_unknown_encoders_precisions_and_devices():
    with pytest.raises(UserError, match="ENCODER=vgg11 is unknown: one of vgg19, vgg16, efficientnet_lite0"):
        build_encoder("vgg11", "random:1", CPU, "float32")
    with pytest.raises(UserError, match="PRECISION=float8 is unknown: auto, float32 or bfloat16"):
        build_encoder("efficientnet_lite0", "random:1", CPU, "float8")
    with pytest.raises(UserError, match="DEVICE=meta: features are made on cpu or cuda"):
        build_encoder("efficientnet_lite0", "random:1", torch.device("meta"), "float32")
