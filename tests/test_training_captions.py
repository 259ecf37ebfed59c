"""Which captions a captioner is trained on."""

from __future__ import annotations

import dataclasses
from collections import Counter
from pathlib import Path

import pytest
import torch

from attend.data.items import Item
from attend.data.items_file import write_items
from attend.data.manifest import Manifest
from attend.data.vocabulary import Vocabulary
from attend.errors import UserError
from attend.settings import read_settings
from attend.train.config import TrainConfig
from attend.train.config_file import override_config, read_preset
from attend.train.examples import captions_beyond, make_examples, training_captions, training_splits
from attend.train.training import Request, train
from tests.tiny_store import make_store

ITEMS = [
    Item("a", Path("a"), "train", tuple(f"train {number}" for number in range(7))),
    Item("b", Path("b"), "restval", tuple(f"rest {number}" for number in range(6))),
    Item("c", Path("c"), "val", ("val",)),
    Item("d", Path("d"), "test", ("test",)),
    Item("e", Path("e"), "none", ("none",)),
]


def first_words(restval: bool, most: int) -> Counter[str]:
    return Counter(words[0] for _, words in training_captions(ITEMS, training_splits(ITEMS, restval), most))


def test_restval_is_trained_on_only_when_it_is_wanted() -> None:
    assert first_words(restval=False, most=0) == {"train": 7}
    assert first_words(restval=True, most=0) == {"train": 7, "rest": 6}


def test_the_first_captions_of_a_photo() -> None:
    assert first_words(restval=True, most=5) == {"train": 5, "rest": 5}
    kept = training_captions(ITEMS, ("train",), 5)
    assert [words for _, words in kept] == [["train", str(number)] for number in range(5)]
    assert [captions_beyond(ITEMS, ("train", "restval"), most) for most in (0, 5, 6, 7)] == [0, 3, 1, 0]


@pytest.mark.fault("restval of a dataset that has none", "refused by name", "Captions and splits")
def test_restval_of_a_dataset_without_it_is_refused_by_name() -> None:
    with pytest.raises(UserError, match=r"words\.restval=yes: the store has no photo in the split restval"):
        training_splits([item for item in ITEMS if item.split != "restval"], restval=True)


def test_the_paper_trains_on_five_captions_of_cocos_train_alone() -> None:
    for variant in ("soft", "hard"):
        words = read_preset("coco", variant).words
        assert (words.restval, words.captions, words.size) == (False, 5, 10_000)
    for name in ("flickr8k", "flickr30k", "folder", "scenes"):
        assert (read_preset(name, "soft").words.restval, read_preset(name, "soft").words.captions) == (False, 0)
    assert override_config(TrainConfig(), read_settings(["words.restval=yes"])).words.restval


def test_without_a_caption_the_cure_is_said() -> None:
    with pytest.raises(
        UserError, match=r"no training caption: run `make features` again with captions of train photos"
    ):
        make_examples([], None, 100)  # type: ignore[arg-type]


class Judged:
    """A validation of nothing."""

    bleu4, standing = 1.0, (1.0, 0.0)

    pictures = ()

    def as_log(self) -> dict[str, float]:
        return {"bleu4": self.bleu4}


def train_on(folder: Path, items: list[Item], words: str) -> list[str]:
    """Train one epoch on a store with these items; returns what was said."""
    store = make_store(folder / "store", images=len(items))
    placed = [Item(f"{number}.png", item.path, item.split, item.captions) for number, item in enumerate(items)]
    manifest = Manifest.load(store)
    dataclasses.replace(manifest, items_sha256=write_items(store, placed)).save(store)
    settings = "model.units=8 model.embedding=4 optim.precision=float32 optim.epochs=1 batches.size=2"
    config = override_config(TrainConfig(), read_settings([settings, words]))
    said: list[str] = []
    request = Request(store, "tiny", "soft", folder / "run", config, torch.device("cpu"), resume=False)
    train(request, lambda *_: lambda model: Judged(), said.append)
    return "\n".join(said).splitlines()


def test_a_run_on_restval_has_its_words(tmp_path: Path) -> None:
    said = train_on(tmp_path, ITEMS, "words.restval=yes words.captions=5")
    assert "2 training photos, 10 captions, 9 words" in said  # train, rest, 0 to 4, and the two special ones
    assert "3 captions beyond the first words.captions=5 of their photos are left out" in said
    vocabulary = Vocabulary.load(tmp_path / "run/vocabulary.json")
    assert {"train", "rest"} < set(vocabulary.words) and "5" not in vocabulary.words


@pytest.mark.fault("training on features without captions", "refused with the cure", "Training")
def test_a_store_of_features_only_is_refused_with_the_cure_and_leaves_nothing(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"the store has no training caption: run `make features` again with captions"):
        train_on(tmp_path, [Item("a", Path("a"), "none", ())] * 2, "")
    assert not (tmp_path / "run").exists()
