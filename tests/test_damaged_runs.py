"""Files of a run that are cut off, edited or swapped, as the commands meet them."""

from __future__ import annotations

import hashlib
import json
import re
import shutil
from pathlib import Path

import pytest
import torch

from attend.data.vocabulary import Vocabulary
from attend.errors import UserError
from tests.command_line import Done, attend
from tests.tiny_encoder import tiny_encoder
from tests.tiny_run import NAME, SETTINGS


@pytest.fixture(scope="module")
def scored_run(photo_run: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The run on photos with the scores of its val split. Not to be changed."""
    folder = tmp_path_factory.mktemp("scored") / "artifacts"
    shutil.copytree(photo_run, folder)
    assert attend("bleu", "--run", NAME, "--out", folder, "--split", "val").code == 0
    return folder


@pytest.fixture
def run(scored_run: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of a run that a test may damage, in an output folder of its own."""
    tiny_encoder(monkeypatch)
    shutil.copytree(scored_run, tmp_path / "out")
    return tmp_path / "out" / "runs" / NAME


def call(command: str, run: Path, *words: object) -> Done:
    return attend(command, "--run", run.name, "--out", run.parents[1], *words)


def resume(run: Path) -> Done:
    words = (
        "--dataset",
        "tiny",
        "--encoder",
        "tiny",
        "--resume",
        "--set",
        f"{SETTINGS} optim.epochs=30 validation.every=5",
    )
    return call("train", run, *words)


def cut(path: Path, keep: float = 0.5) -> None:
    content = path.read_bytes()
    path.write_bytes(content[: int(keep * len(content))])


@pytest.mark.fault("a log whose last line a kill cut off", "the lines before it are shown", "Captions and pictures")
def test_a_log_that_was_cut_off_in_a_line(run: Path) -> None:
    cut(run / "log.jsonl", 0.95)
    assert not (run / "log.jsonl").read_bytes().endswith(b"\n")
    done = call("report", run)
    assert done.code == 0 and re.search(r"index.html: (\d+) of \1 captions, ", done.out), done.out


@pytest.mark.fault("a log that was damaged by hand", "refused, with file and line", "Captions and pictures")
def test_a_log_with_a_damaged_line(run: Path) -> None:
    log = run / "log.jsonl"
    first, *others = log.read_text().splitlines(keepends=True)
    log.write_text("".join([first, "loss is fine\n", *others]))
    done = call("report", run)
    told = "is damaged (Expecting value: line 1 column 1 (char 0)): restore the file or delete it"
    assert (done.code, done.err.splitlines()[-1]) == (2, f"attend: {log}, line 2, {told}")


@pytest.mark.fault("captions-SPLIT.json is cut off", "the report says what to run; bleu makes it anew", "Scores")
def test_captions_that_were_cut_off(run: Path) -> None:
    whole = (run / "captions-val.json").read_bytes()
    cut(run / "captions-val.json")
    refused = call("report", run, "--split", "val")
    assert refused.code == 2
    assert refused.err.startswith(f"attend: {run / 'captions-val.json'} is damaged (")
    assert refused.err.endswith("): run `make bleu SPLIT=val` again\n")
    assert "is already scored" not in call("bleu", run, "--split", "val").out
    assert (run / "captions-val.json").read_bytes() == whole


@pytest.mark.fault("scores-SPLIT.json holds something else", "bleu makes it anew", "Scores")
@pytest.mark.parametrize("content", ["", "[1]", "{}", '{"made_from": 3, "search": 4}'])
def test_scores_that_are_something_else(run: Path, content: str) -> None:
    whole = json.loads((run / "scores-val.json").read_text())
    (run / "scores-val.json").write_text(content)
    assert call("bleu", run, "--split", "val").code == 0
    assert json.loads((run / "scores-val.json").read_text()) == whole


@pytest.mark.fault("a config.toml edited by hand", "refused: the file, the setting, the near names", "Training")
@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("units = 32", 'units = "many"', "model.units=many: not a whole number"),
        ("units = 32", "unitz = 32", "no setting model.unitz: did you mean model.units, model.gate, model.dropout?"),
    ],
)
def test_a_configuration_edited_by_hand(run: Path, old: str, new: str, told: str) -> None:
    path = run / "config.toml"
    path.write_text(path.read_text().replace(old, new))
    done = call("bleu", run, "--split", "val")
    assert (done.code, done.err) == (2, f"attend: {path} was edited or is of another version ({told}): restore it\n")


@pytest.mark.fault("a config.toml that is cut off", "refused, the file is named", "Training")
def test_a_configuration_that_was_cut_off(run: Path) -> None:
    (run / "config.toml").write_text("[model]\nunits = ")
    done = call("bleu", run, "--split", "val")
    assert done.code == 2
    assert re.fullmatch(
        rf"attend: {re.escape(str(run / 'config.toml'))} is no TOML \(.*\): restore it or train the run again\n",
        done.err,
    )


@pytest.mark.fault("weights of a run with another size", "refused: best.pt does not fit config.toml", "Training")
def test_weights_that_do_not_fit_the_configuration(run: Path) -> None:
    path = run / "config.toml"
    path.write_text(path.read_text().replace("units = 32", "units = 16"))
    done = call("bleu", run, "--split", "val")
    assert (done.code, done.err.startswith(f"attend: {run / 'best.pt'} does not fit config.toml (")) == (2, True)


@pytest.mark.fault("last.pt and best.pt mixed up", "refused: what the file lacks is named", "Training")
def test_checkpoints_that_were_mixed_up(run: Path) -> None:
    shutil.copy(run / "last.pt", run / "keep.pt")
    shutil.copy(run / "best.pt", run / "last.pt")
    cure = "so it is another file: copy or train it again\n"
    done = resume(run)
    assert (done.code, done.err) == (2, f"attend: {run / 'last.pt'} has no optimizer or position or random, {cure}")
    shutil.copy(run / "keep.pt", run / "best.pt")
    done = call("bleu", run, "--split", "val")
    assert (done.code, done.err) == (2, f"attend: {run / 'best.pt'} has no step, {cure}")


@pytest.mark.fault("a checkpoint cut off by a copy", "refused in one short line; best.pt stays", "Training")
@pytest.mark.parametrize("keep", [0, 0.01, 0.3, 0.5, 0.9, 0.999])
def test_a_checkpoint_that_was_cut_off(run: Path, keep: float) -> None:
    cut(run / "last.pt", keep)
    best = (run / "best.pt").read_bytes()
    done = resume(run)
    assert done.code == 2
    assert done.err.startswith(f"attend: {run / 'last.pt'} is no readable checkpoint (")
    assert done.err.endswith("): copy or train it again\n") and len(done.err) < len(str(run)) + 160
    assert (run / "best.pt").read_bytes() == best


@pytest.mark.fault("no best.pt yet, or a misspelled RUN", "refused: train first, or check RUN", "Captions and pictures")
def test_a_run_without_weights(run: Path) -> None:
    (run / "best.pt").unlink()
    done = call("caption", run, "--images", run.parents[1] / "photos")
    cure = "train the run first, or check RUN="
    assert (done.code, done.err) == (2, f"attend: no checkpoint at {run / 'best.pt'}: {cure}\n")


@pytest.mark.fault("a checkpoint opened in another folder", "tensors and plain data: `weights_only=True`", "Training")
def test_every_checkpoint_is_plain_data_anywhere(run: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    moved = run.parents[1] / "a copy é"
    shutil.copytree(run, moved)
    shutil.rmtree(run)
    monkeypatch.chdir("/")
    best, last = (torch.load(moved / name, weights_only=True) for name in ("best.pt", "last.pt"))
    assert best["step"] > 0 and best["model"].keys() == last["model"].keys()
    assert set(last) >= {"optimizer", "position", "random"}


@pytest.mark.fault(
    "words or ids that look like HTML", "text in the report, not a part of the page", "Captions and pictures"
)
def test_markup_in_captions_is_text_in_the_report(run: Path) -> None:
    evil = "</script><script>alert(1)</script>&<b>"
    words = json.loads((run / "vocabulary.json").read_text())
    captions = json.loads((run / "captions-val.json").read_text())
    for row in captions:
        row["caption"] = evil
        row["words"] = [evil]
    content = json.dumps(captions).encode()
    (run / "captions-val.json").write_bytes(content)
    scores = json.loads((run / "scores-val.json").read_text())
    scores["captions_sha256"] = hashlib.sha256(content).hexdigest()
    (run / "scores-val.json").write_text(json.dumps(scores))
    assert len(words) > 2
    done = call("report", run, "--split", "val")
    assert done.code == 0, done.err
    files = [path for path in (run / "report").rglob("*") if path.suffix in (".html", ".js")]
    text = {path.name: path.read_text(encoding="utf-8") for path in files}
    assert any("alert(1)" in content for content in text.values())
    assert not [name for name, content in text.items() if "<script>alert" in content]


@pytest.mark.fault("words.min_count that leaves no word", "refused before training, with both settings", "Training")
def test_a_vocabulary_without_words_is_refused() -> None:
    captions = ["a dog", "a cat"]
    with pytest.raises(UserError) as refusal:
        Vocabulary.build(captions, size=10_000, min_count=5)
    assert str(refusal.value) == (
        "words.min_count=5 and words.size=10000 leave none of the 3 words of the training captions: lower the first or "
        "raise the second"
    )
    assert len(Vocabulary.build(captions, min_count=2)) == 3
