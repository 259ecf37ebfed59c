"""A trained captioner from Python: photos, annotations and probabilities agree with each other and with the store."""

from __future__ import annotations

import math
import shutil
from pathlib import Path

import pytest
import torch
from PIL import Image

import attend
from attend.data.store_reader import FeatureStore
from attend.errors import UserError
from attend.extract.images import PhotoError
from attend.score.captioner import load_captioner
from attend.train.config import SearchSettings
from attend.train.models.interface import NO_WORD
from tests.tiny_encoder import tiny_encoder
from tests.tiny_run import NAME
from tests.tiny_store import GRID, annotations_of, caption_of


def words_of(count: int, length: int, vocabulary: int) -> torch.Tensor:
    return torch.randint(0, vocabulary, (count, length), generator=torch.Generator().manual_seed(0))


def test_log_probs_are_those_of_stepping_word_by_word(grid_run: Path) -> None:
    captioner = load_captioner(grid_run / "runs" / NAME)
    annotations = torch.rand(5, 9, 8)
    words = words_of(5, 6, len(captioner.vocabulary))
    log_probs = captioner.log_probs(annotations, words)
    assert log_probs.shape == (5, 6, len(captioner.vocabulary))
    assert log_probs.dtype == torch.float32
    assert log_probs.exp().sum(-1) == pytest.approx(torch.ones(5, 6).numpy(), abs=1e-5)
    state, previous = captioner.model.start(annotations), torch.full((5,), NO_WORD)
    for step in range(6):
        expected, state, _ = captioner.model.step(state, previous)
        assert torch.allclose(log_probs[:, step], expected, atol=1e-5)
        previous = words[:, step]


def test_log_probs_of_a_word_depend_on_the_words_before_it_alone(grid_run: Path) -> None:
    captioner = load_captioner(grid_run / "runs" / NAME)
    annotations, words = torch.rand(3, 9, 8), words_of(3, 6, len(captioner.vocabulary))
    changed = words.clone()
    changed[:, 4:] = 2
    before, after = captioner.log_probs(annotations, words), captioner.log_probs(annotations, changed)
    assert torch.equal(before[:, :5], after[:, :5])
    assert not torch.equal(before[:, 5], after[:, 5])


def test_any_number_of_places_any_float_type_no_dropout_no_gradient(grid_run: Path, tmp_path: Path) -> None:
    folder = tmp_path / "run"
    shutil.copytree(grid_run / "runs" / NAME, folder)
    text = (folder / "config.toml").read_text()
    (folder / "config.toml").write_text(text.replace("dropout = 0.0", "dropout = 0.5"))
    captioner = load_captioner(folder)
    assert captioner.run.config.model.dropout == 0.5
    for places in (1, 9, 49):
        annotations, words = torch.rand(2, places, 8).half(), words_of(2, 4, len(captioner.vocabulary))
        one, two = captioner.log_probs(annotations, words), captioner.log_probs(annotations.double(), words.int())
        assert torch.equal(one, two)
        assert not one.requires_grad


def test_log_probs_refuse_what_does_not_fit(grid_run: Path) -> None:
    captioner = load_captioner(grid_run / "runs" / NAME)
    annotations = torch.rand(2, 9, 8)
    for wrong in (torch.rand(2, 9, 7), torch.rand(9, 8)):
        with pytest.raises(ValueError, match=r"annotations must be \(B, L, 8\)"):
            captioner.log_probs(wrong, torch.zeros(2, 3, dtype=torch.long))
    for words in (torch.zeros(3, 3, dtype=torch.long), torch.zeros(2, 3), torch.zeros(2, 0, dtype=torch.long)):
        with pytest.raises(ValueError, match=r"words must be \(B, T\) ids"):
            captioner.log_probs(annotations, words)
    for word in (-1, len(captioner.vocabulary)):
        with pytest.raises(ValueError, match="word ids must be 0 to"):
            captioner.log_probs(annotations, torch.full((2, 3), word))


def test_captions_of_annotations_and_their_probability(grid_run: Path) -> None:
    captioner = load_captioner(grid_run / "runs" / NAME)
    annotations = torch.from_numpy(annotations_of(3)).unsqueeze(0)
    [caption] = captioner.caption_annotations(annotations)
    assert caption.text == caption_of(3)
    assert caption.attention.shape == (len(caption.words), math.prod(GRID))
    path = torch.tensor([[*caption.ids, 0]])
    log_probs = captioner.log_probs(annotations, path)[0].gather(1, path[0].unsqueeze(1))
    assert float(log_probs.sum()) == pytest.approx(caption.log_prob, abs=1e-4)
    assert log_probs[:-1, 0].numpy() == pytest.approx(caption.word_log_probs, abs=1e-4)
    [short] = captioner.caption_annotations(annotations, SearchSettings(beam=1, longest=2))
    assert (len(short.words), short.finished) == (2, False)


@pytest.mark.fault(
    "a photo captioned by itself after it was extracted in a shard", "the features of the shard", "Photos"
)
def test_a_photo_has_the_features_of_its_shard_alone_or_in_a_batch(
    photo_run: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tiny_encoder(monkeypatch)
    captioner = load_captioner(photo_run / "runs" / NAME)
    store = FeatureStore(captioner.run.store)
    paths = [item.path for item in store.items]
    stored = torch.from_numpy(store.read([item.image_id for item in store.items]))
    assert torch.equal(captioner.encode(paths), stored)
    assert torch.equal(captioner.encode([paths[4]]), stored[4:5])
    assert torch.equal(captioner.encode([Image.open(paths[4]), str(paths[5])]), stored[4:6])


def test_one_photo_or_several_by_path_or_as_pillow_images(photo_run: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tiny_encoder(monkeypatch)
    captioner = attend.load_captioner(str(photo_run / "runs" / NAME))
    paths = [item.path for item in FeatureStore(captioner.run.store).items][:3]
    texts = [caption.text for caption in captioner.caption(paths)]
    assert [captioner.caption(path)[0].text for path in paths] == texts
    assert [captioner.caption(Image.open(path))[0].text for path in paths] == texts
    assert captioner.caption([]) == []
    with pytest.raises(PhotoError, match=r"nowhere\.png does not exist"):
        captioner.caption("nowhere.png")


def test_n_best_captions_and_where_the_model_looked(photo_run: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tiny_encoder(monkeypatch)
    captioner = load_captioner(photo_run / "runs" / NAME)
    paths = [item.path for item in FeatureStore(captioner.run.store).items][:2]
    plain = captioner.caption(paths)
    three = captioner.caption(paths, n_best=3)
    assert [len(captions) for captions in three] == [3, 3]
    assert [captions[0].ids for captions in three] == [caption.ids for caption in plain]
    for captions in three:
        assert [one.log_prob for one in captions] == sorted((one.log_prob for one in captions), reverse=True)
        assert len({one.ids for one in captions}) == 3
    seen = captioner.caption(paths, n_best=3, attention=True)
    for path, captions, others in zip(paths, seen, three, strict=True):
        with Image.open(path) as photo:
            width, height = photo.size
        for one, other in zip(captions, others, strict=True):
            assert (one.ids, one.grid, one.maps.shape) == (other.ids, (2, 2), (len(one.ids), 2, 2))
            assert one.maps.reshape(len(one.ids), -1) == pytest.approx(other.attention)
            assert (one.framing.width, one.framing.height) == (width, height)
            # 36 pixels of the shorter side, 32 of them seen
            assert one.framing.seen[2:] == pytest.approx((min(width, height) * 32 / 36,) * 2, rel=0.03)
            for left, top, wide, high in one.boxes():
                assert left >= 0 and top >= 0 and left + wide <= width and top + high <= height
    [best] = captioner.caption(Image.open(paths[0]), attention=True)
    assert best.boxes() == seen[0][0].boxes()
    with pytest.raises(UserError, match=r"4 captions a photo: search\.beam=3 has 3"):
        captioner.caption(paths[0], n_best=4)


def test_given_words_on_a_photo(photo_run: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tiny_encoder(monkeypatch)
    captioner = load_captioner(photo_run / "runs" / NAME)
    path = FeatureStore(captioner.run.store).items[0].path
    [found] = captioner.caption(path, attention=True)
    read = captioner.read(path, found.words)
    assert read.log_prob == pytest.approx(found.log_prob, abs=1e-4)
    assert read.probabilities == pytest.approx(found.probabilities, abs=1e-4)
    assert read.maps == pytest.approx(found.maps, abs=1e-5)
    assert read.framing == found.framing


@pytest.mark.fault(
    "captioning with weights the run was not trained on", "refused by their hash", "Captions and pictures"
)
def test_other_encoder_weights_are_refused(photo_run: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tiny_encoder(monkeypatch)
    photo = photo_run / "photos" / "photo 0.png"
    with pytest.raises(UserError, match=r"WEIGHTS=random:2 is not what .* was trained on: sha256"):
        load_captioner(photo_run / "runs" / NAME, weights="random:2").caption(photo)
    folder, file = tmp_path / "run", tmp_path / "some.pth"
    shutil.copytree(photo_run / "runs" / NAME, folder)
    text = (folder / "config.toml").read_text()
    (folder / "config.toml").write_text(text.replace('weights_file = ""', f'weights_file = "{file}"'))
    with pytest.raises(UserError, match=r"some\.pth, which is not there: give WEIGHTS=PATH"):
        load_captioner(folder).caption(photo)
    assert load_captioner(folder, weights="random:1").caption(photo)
    torch.save(load_captioner(folder, weights="random:1").encoder._module.state_dict(), file)
    assert load_captioner(folder).caption(photo)


def test_a_run_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="no run at"):
        load_captioner(tmp_path / "nothing")
