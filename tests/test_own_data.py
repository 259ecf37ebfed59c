"""From photos and a table to captions, by the commands of the README; and captions that are not like the others."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path

import numpy as np
import pytest

from attend.data.items import Item
from attend.data.store_reader import FeatureStore
from attend.data.vocabulary import Vocabulary
from attend.score.metrics.references import tokenise_references
from attend.train.examples import training_captions
from attend.train.log import read_log
from tests.command_line import Done, attend
from tests.tiny_attend import register
from tests.tiny_encoder import drawn_items
from tests.tiny_run import SENTENCES

SMALL = (
    "model.units=16 model.embedding=8 batches.size=4 optim.precision=float32 optim.epochs=2 search.longest=8 "
    "search.beam=2"
)


class Owner:
    """A person with photos, a table of captions, and the command line."""

    def __init__(self, folder: Path, captions: dict[int, list[str]] | None = None, photos: int = 30) -> None:
        self.photos, self.table, self.out = folder / "my photos", folder / "captions.csv", folder / "out"
        self.items = drawn_items(self.photos, photos)
        rows = ["image,caption"]
        for number, item in enumerate(self.items):
            for text in (captions or {}).get(number, [SENTENCES[number % 4]]):
                rows.append(f'{item.image_id},"{text}"')
        self.table.write_text("\n".join(rows), encoding="utf-8")

    def features(self) -> Done:
        source = ("--dataset", "folder", "--images", self.photos, "--captions", self.table, "--out", self.out)
        how = ("--encoder", "tiny", "--weights", "random:1", "--precision", "float32")
        return attend("features", *source, *how)

    def call(self, command: str, *words: object) -> Done:
        return attend(command, "--dataset", "folder", "--encoder", "tiny", "--out", self.out, *words)

    @property
    def run(self) -> Path:
        return self.out / "runs" / "folder-tiny-soft"


@pytest.fixture(autouse=True)
def tiny(monkeypatch: pytest.MonkeyPatch) -> None:
    register(monkeypatch)


@pytest.mark.fault(
    "30 photos and a two-column table",
    "three commands to captions of any photos, twice the same",
    "Installation and own data",
)
def test_three_commands_to_a_captioner(tmp_path: Path) -> None:
    owner = Owner(tmp_path)
    assert owner.features().code == 0
    trained = owner.call("train", "--set", SMALL)
    assert trained.code == 0, trained.err
    first, second = (owner.call("caption", "--images", owner.photos) for _ in range(2))
    assert (first.code, first.out) == (0, second.out)
    told = [json.loads(line) for line in first.out.splitlines()]
    assert [line["image_id"] for line in told] == sorted(str(item.path) for item in owner.items)


@pytest.mark.fault(
    "a photo with 0, 1 or 7 captions", "trained on all there are; all 7 are references", "Captions and splits"
)
def test_any_number_of_captions(tmp_path: Path) -> None:
    seven = [f"{SENTENCES[0]} {number}" for number in range(7)]
    rows = [f"{number}.png,{text},train" for number in range(4) for text in (seven if number == 1 else ["a dog"])]
    rows += ["4.png,,train", *(f'5.png,"{text}",val' for text in seven), "6.png,a cat,val"]
    owner = Owner(tmp_path, photos=7)
    owner.table.write_text("\n".join(["image,caption,split", *rows]))
    assert owner.features().code == 0
    trained = owner.call("train", "--set", SMALL)
    assert "4 training photos, 10 captions, " in trained.out
    assert owner.call("bleu", "--split", "val").code == 0
    scores = json.loads((owner.run / "scores-val.json").read_text())
    assert scores["references"] == {"fewest": 1, "most": 7, "all": 8, "empty_left_out": 0}


@pytest.mark.fault(
    "a caption of 120 words", "training cuts it and says so; the reference is whole", "Captions and splits"
)
def test_a_very_long_caption(tmp_path: Path) -> None:
    long = " ".join(f"word{number}" for number in range(120))
    owner = Owner(tmp_path, {number: [long] for number in range(12)}, photos=12)
    assert owner.features().code == 0
    trained = owner.call("train", "--set", f"{SMALL} words.longest=20")
    assert trained.code == 0, trained.err
    train = sum(item.split == "train" for item in FeatureStore(owner.out / "features/folder/tiny").items)
    assert f"{train} captions longer than words.longest=20 words were cut" in trained.out.splitlines()
    assert owner.call("bleu").code == 0
    scores = json.loads((owner.run / "scores-test.json").read_text())
    assert scores["reference_words"] == 120 * scores["images"]


@pytest.mark.fault("other captions in val or test", "the same vocabulary: it is of the training captions", "Training")
def test_the_vocabulary_does_not_depend_on_val_or_test() -> None:
    items = [
        Item(f"{number}", Path("/p"), split, (f"a {split} photo",)) for number, split in enumerate(("train", "val"))
    ]

    def vocabulary(items: list[Item]) -> Vocabulary:
        return Vocabulary.build([" ".join(words) for _, words in training_captions(items, ("train",))])

    other = [items[0], dataclasses.replace(items[1], captions=("other words here", "and more"))]
    assert vocabulary(items) == vocabulary(other)
    assert vocabulary(items).words[2:] == ("a", "photo", "train")


@pytest.mark.fault("a last mini-batch of one caption", "trained like the others", "Training")
def test_a_last_batch_of_one_caption(tmp_path: Path) -> None:
    captions = {number: ["one two three"] for number in range(5)}
    owner = Owner(tmp_path, captions, photos=5)
    rows = [f"{number}.png,one two three,{'train' if number < 4 else 'val'}" for number in range(5)]
    rows.append("0.png,one two four,train")
    owner.table.write_text("\n".join(["image,caption,split", *rows]))
    assert owner.features().code == 0
    done = owner.call("train", "--set", f"{SMALL} validation.every=1")
    assert done.code == 0, done.err
    steps = [line for line in read_log(owner.run / "log.jsonl") if line["kind"] == "step"]
    assert [line["step"] for line in steps] == [2, 4]  # 5 captions: 4 and 1
    assert all(np.isfinite(line["loss"]) for line in steps)


@pytest.mark.fault("Chinese, Spanish or Russian captions", "scored, with a warning that names the tokeniser", "Scores")
def test_captions_that_are_not_english_are_warned_of(tmp_path: Path) -> None:
    references = tokenise_references(
        {"a": ["一只狗在草地上跑", "un niño corre"], "b": ["Собака бежит", "a café", "a dog"]}
    )
    assert (references.foreign, references.tokens["a"]) == (4, ("一只狗在草地上跑", "un niño corre"))
    owner = Owner(tmp_path, {number: ["一只 狗 在 跑", "un niño corre"] for number in range(12)}, photos=12)
    assert owner.features().code == 0
    assert owner.call("train", "--set", SMALL).code == 0
    scored = owner.call("bleu")
    assert scored.code == 0
    scores = json.loads((owner.run / "scores-test.json").read_text())
    count = scores["references"]["all"]
    assert scores["references_not_in_english_letters"] == count
    assert (
        f"warning: {count} of {count} references have letters that English does not have; the PTB tokeniser is made "
        "for English and parts words at spaces only"
    ) in scored.out.splitlines()


@pytest.mark.fault(
    "an items.jsonl cut off beside whole shards", "train refuses; features mends it without encoding a photo", "Store"
)
def test_items_that_were_cut_off_are_mended(tmp_path: Path) -> None:
    owner = Owner(tmp_path, photos=8)
    assert owner.features().code == 0
    items = owner.out / "features" / "folder" / "tiny" / "items.jsonl"
    whole = items.read_bytes()
    items.write_bytes(whole[:100])
    refused = owner.call("train", "--set", SMALL)
    told = "is not the file the manifest vouches for: run `make features` again"
    assert (refused.code, refused.err) == (2, f"attend: {items} {told}\n")
    mended = owner.features()
    assert (mended.code, mended.out.splitlines()[-1]) == (0, f"nothing to extract: {items.parent} has 8 photos")
    assert items.read_bytes() == whole
