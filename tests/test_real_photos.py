"""The pipeline on real photos, cut down to what a test can afford: 200 photos, a few steps, the real commands."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import torch
from torchvision.models import vgg19

from attend import load_captioner
from attend.data.store_reader import FeatureStore
from attend.extract.images import Preprocessing, read_photo

pytestmark = [pytest.mark.shared, pytest.mark.slow]

PHOTOS = 200
SETTINGS = (
    "model.units=64 model.embedding=64 model.dropout=0.1 words.min_count=2 optim.learning_rate=4e-3 optim.averaging=0 "
    "optim.epochs=6 search.beam=2 validation.images=20 validation.every=3"
)


def attend(*arguments: object, cwd: Path) -> subprocess.CompletedProcess[str]:
    """Run the command line as a person would, from another folder."""
    command = [sys.executable, "-m", "attend", *map(str, arguments)]
    done = subprocess.run(command, cwd=cwd, capture_output=True, text=True, env={**os.environ, "OMP_NUM_THREADS": "2"})
    assert done.returncode == 0, done.stderr[-2000:]
    return done


@pytest.fixture(scope="module")
def work(shared, tmp_path_factory) -> Path:
    """A folder with a Flickr8k of 160 training and 40 validation photos, its features, and a run of one epoch."""
    folder = tmp_path_factory.mktemp("real photos")
    source = shared / "data" / "flickr8k"
    table = json.loads((source / "dataset_flickr8k.json").read_text(encoding="utf-8"))
    train = [image for image in table["images"] if image["split"] == "train"][: PHOTOS - 40]
    val = [image for image in table["images"] if image["split"] == "val"][:40]
    (folder / "flickr8k").mkdir()
    (folder / "flickr8k" / "images").symlink_to(source / "images")
    (folder / "flickr8k" / "dataset_flickr8k.json").write_text(
        json.dumps({"images": train + val, "dataset": "flickr8k"})
    )
    weights = shared / "weights" / "vgg19_layout_vgg16_weights_fp16.pth"
    told = attend("features", "--dataset", "flickr8k", "--data", "flickr8k", "--weights", weights, cwd=folder)
    assert "200 of 200 photos to do" in told.stdout
    attend("train", "--dataset", "flickr8k", "--set", SETTINGS, cwd=folder)
    return folder


def test_the_store_is_small_and_whole_and_a_second_run_does_nothing(work, shared):
    store = FeatureStore(work / "artifacts" / "features" / "flickr8k" / "vgg19")
    assert len(store) == PHOTOS
    assert (store.places, store.channels) == (196, 512)
    assert store.manifest.fingerprint.preprocessing["fit"] == "whole"
    assert sum(shard.bytes for shard in store.manifest.shards) / PHOTOS < 25 * 1024
    assert "all is as the manifest says" in attend("verify", "--dataset", "flickr8k", cwd=work).stdout
    weights = shared / "weights" / "vgg19_layout_vgg16_weights_fp16.pth"
    again = attend("features", "--dataset", "flickr8k", "--data", "flickr8k", "--weights", weights, cwd=work)
    assert "nothing to extract" in again.stdout


def test_features_of_real_photos_equal_torchvisions(work, shared):
    """The file's VGG-16 values in torchvision's own VGG-19, in float32; bfloat16 keeps 8 bits of each number."""
    store = FeatureStore(work / "artifacts" / "features" / "flickr8k" / "vgg19")
    network = vgg19(weights=None).features[:36]
    state = torch.load(shared / "weights" / "vgg19_layout_vgg16_weights_fp16.pth", weights_only=True)
    network.load_state_dict({name.removeprefix("features."): value.float() for name, value in state.items()})
    mean, deviation = torch.tensor([0.485, 0.456, 0.406]), torch.tensor([0.229, 0.224, 0.225])
    tolerance = {"float32": 2e-3, "bfloat16": 5e-2}[store.manifest.fingerprint.precision]
    for item in store.items[:3]:
        pixels = read_photo(item.path, Preprocessing("whole")).pixels.float() / 255
        with torch.no_grad():
            grid = network(((pixels - mean.view(3, 1, 1)) / deviation.view(3, 1, 1)).unsqueeze(0))
        expected = grid[0].flatten(1).T.numpy()  # (196, 512)
        stored = store.read([item.image_id])[0].astype(np.float32)
        assert np.abs(stored - expected).max() <= tolerance * expected.max()


def test_bleu_writes_captions_and_scores(work):
    told = attend("bleu", "--dataset", "flickr8k", "--split", "val", cwd=work).stdout
    run = work / "artifacts" / "runs" / "flickr8k-vgg19-soft"
    captions = json.loads((run / "captions-val.json").read_text(encoding="utf-8"))
    scores = json.loads((run / "scores-val.json").read_text(encoding="utf-8"))
    assert len(captions) == scores["images"] == 40
    assert scores["references"]["all"] == 200
    assert scores["bleu_with_penalty"]["BLEU-1"] > 0
    assert "without" in told
    assert "length ratio" in told


@pytest.mark.fault(
    "a folder of unlabelled photos, from another working folder", "captioned", "Installation and own data"
)
def test_a_folder_of_other_photos_is_captioned_and_each_has_the_same_features_alone(work, shared):
    photos = sorted((shared / "data" / "coco_mini" / "images").iterdir())[:12]
    (work / "own").mkdir()
    for photo in photos:
        (work / "own" / photo.name).symlink_to(photo)
    told = attend("caption", "--run", "flickr8k-vgg19-soft", "--images", "own", cwd=work).stdout
    lines = [json.loads(line) for line in told.splitlines()]
    assert [Path(line["image_id"]).name for line in lines] == [photo.name for photo in photos]
    assert all(len(line["word_log_probs"]) == len(line["words"]) for line in lines)
    captioner = load_captioner(work / "artifacts" / "runs" / "flickr8k-vgg19-soft")
    together = captioner.encode(photos[:4])
    for number, photo in enumerate(photos[:4]):
        assert torch.equal(captioner.encode([photo])[0], together[number])
    store = FeatureStore(work / "artifacts" / "features" / "flickr8k" / "vgg19")
    item = store.items[7]
    assert np.array_equal(captioner.encode([item.path])[0].numpy(), store.read([item.image_id])[0])
