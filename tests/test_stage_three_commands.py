"""`attend bleu`, `attend caption` and `attend report`, one after the other on a run on photos."""

from __future__ import annotations

import base64
import json
import re
import shutil
from dataclasses import asdict
from pathlib import Path

import numpy as np
import pytest
import torch
from click.testing import CliRunner, Result
from PIL import Image

from attend.cli import attend
from attend.data.store_reader import FeatureStore
from attend.errors import UserError
from attend.score.decode import caption_images
from attend.train.config import SearchSettings
from attend.train.log import read_log
from attend.train.run import load_run
from tests.tiny_encoder import tiny_encoder
from tests.tiny_run import NAME


@pytest.fixture
def out(photo_run: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of the run on photos that a command may write into; its photos stay where they are."""
    tiny_encoder(monkeypatch)
    shutil.copytree(photo_run, tmp_path / "art facts")
    return tmp_path / "art facts"


def call(*words: str | Path) -> Result:
    return CliRunner().invoke(attend, [str(word) for word in words])


def test_bleu_prints_and_writes_what_the_best_validation_said(out: Path) -> None:
    result = call("bleu", "--run", NAME, "--out", out, "--split", "val")
    assert result.exit_code == 0, result.output
    scores = json.loads((out / "runs" / NAME / "scores-val.json").read_text())
    lines = [line for line in read_log(out / "runs" / NAME / "log.jsonl") if line["kind"] == "validation"]
    assert scores["bleu_with_penalty"]["BLEU-4"] == max(line["bleu4"] for line in lines)
    assert f"length ratio {scores['length_ratio']:.3f}" in result.output
    assert len(json.loads((out / "runs" / NAME / "captions-val.json").read_text())) == 9


def test_bleu_takes_another_search(out: Path) -> None:
    result = call("bleu", "--dataset", "tiny", "--encoder", "tiny", "--out", out, "--split", "val", "--beam", "1")
    assert result.exit_code == 0, result.output
    scores = json.loads((out / "runs" / NAME / "scores-val.json").read_text())
    assert scores["search"] == asdict(SearchSettings(beam=1, longest=8))


@pytest.mark.fault(
    "a run, split, store or photo that is not there", "refused by name, with what to run", "Captions and pictures"
)
def test_mistakes_are_named(out: Path) -> None:
    for words, message in (
        (("bleu", "--run", "nothing", "--out", out), "no run at"),
        (("bleu", "--run", NAME, "--out", out, "--split", "test"), "no photo in the split test"),
        (("bleu", "--run", NAME, "--out", out, "--dataset", "other"), "no manifest.json"),
        (("caption", "--run", NAME, "--out", out, "--images", out / "none"), "no such photo or folder"),
        (("report", "--run", NAME, "--out", out, "--split", "val"), "scores-val.json is not there: run `make bleu"),
    ):
        result = call(*words)
        assert isinstance(result.exception, UserError)
        assert message in str(result.exception)


def test_caption_writes_a_line_for_each_photo(out: Path, tmp_path: Path) -> None:
    result = CliRunner().invoke(attend, ["caption", "--run", NAME, "--out", str(out), "--images", str(out / "photos")])
    assert result.exit_code == 0, result.output
    lines = [json.loads(line) for line in result.stdout.splitlines()]
    assert [Path(line["image_id"]).name for line in lines] == sorted(f"photo {number}.png" for number in range(17))
    call("bleu", "--run", NAME, "--out", out, "--split", "val")
    scored = json.loads((out / "runs" / NAME / "captions-val.json").read_text())
    told = {Path(line["image_id"]).name: line["caption"] for line in lines}
    assert {row["image_id"]: row["caption"] for row in scored}.items() <= told.items()
    file = tmp_path / "captions.jsonl"
    again = call("caption", "--run", NAME, "--out", out, "--images", out / "photos", "--output", file)
    assert again.exit_code == 0
    assert [json.loads(line) for line in file.read_text().splitlines()] == lines


def lines_of(result: Result) -> list[dict]:
    assert result.exit_code == 0, result.output
    return [json.loads(line) for line in result.stdout.splitlines()]


def test_caption_gives_n_best_with_maps_and_boxes(out: Path) -> None:
    photo = out / "photos" / "photo 1.png"
    plain = ("caption", "--run", NAME, "--out", out, "--images", photo)
    [best] = lines_of(call(*plain))
    assert (best["rank"], "boxes" in best) == (1, False)
    lines = lines_of(call(*plain, "--n-best", "3", "--attention"))
    assert [line["rank"] for line in lines] == [1, 2, 3]
    assert {name: lines[0][name] for name in best} == best
    assert [line["log_prob"] for line in lines] == sorted((line["log_prob"] for line in lines), reverse=True)
    for line in lines:
        words = len(line["words"])
        assert line["probabilities"] == pytest.approx(np.exp(line["word_log_probs"]).tolist(), abs=2e-4)
        with Image.open(photo) as opened:
            assert (line["photo"]["width"], line["photo"]["height"]) == opened.size
        assert (line["grid"], line["box_share"]) == ([2, 2], 0.5)
        assert [len(places) for places in line["attention"]] == [4] * words
        assert [sum(places) for places in line["attention"]] == pytest.approx([1] * words, abs=1e-5)
        for places, box in zip(line["attention"], line["boxes"], strict=True):
            left, top, width, height = (
                (side - start) / whole * 2
                for side, start, whole in zip(box, [*line["seen"][:2], 0, 0], line["seen"][2:] * 2, strict=True)
            )
            rows, columns = slice(round(top), round(top + height)), slice(round(left), round(left + width))
            assert np.reshape(places, (2, 2))[rows, columns].sum() >= 0.5 - 1e-5


def test_caption_searches_as_it_is_asked_to(out: Path) -> None:
    plain = ("caption", "--run", NAME, "--out", out, "--images", out / "photos")
    assert all("dog" in line["words"] for line in lines_of(call(*plain, "--set", "search.required=dog")))
    assert all("a" not in line["words"] for line in lines_of(call(*plain, "--set", "search.forbidden=a")))
    drawn = (*plain, "--n-best", "4", "--set", "search.method=sample search.temperature=2 search.seed=5")
    assert lines_of(call(*drawn)) == lines_of(call(*drawn))
    assert len(lines_of(call(*drawn))) == 4 * 17
    diverse = lines_of(call(*plain, "--n-best", "3", "--set", "search.method=diverse search.diversity=9"))
    firsts = [line["words"][:1] for line in diverse if line["image_id"].endswith("photo 1.png")]
    assert len({tuple(first) for first in firsts}) > 1


@pytest.mark.fault(
    "captions that were cut, or fewer than were asked for", "counted at the end", "Captions and pictures"
)
def test_caption_counts_what_is_not_as_asked_for(out: Path) -> None:
    plain = ("caption", "--run", NAME, "--out", out, "--images", out / "photos" / "photo 1.png")
    cut = call(*plain, "--set", "search.longest=2")
    assert json.loads(cut.stdout)["finished"] is False
    assert "1 captions were cut after search.longest=2 words" in cut.stderr
    same = call(*plain, "--n-best", "6", "--set", "search.method=diverse search.diversity=0 search.groups=2")
    assert len(same.stdout.splitlines()) == 3
    assert "1 photos have fewer than 6 captions: the search found no more" in same.stderr


def test_caption_refuses_what_it_cannot_search_before_it_reads_a_photo(out: Path) -> None:
    plain = ("caption", "--run", NAME, "--out", out, "--images", out / "photos")
    for words, message in (
        (("--set", "search.required=zebra"), "search.required: zebra is not among the "),
        (("--n-best", "4"), "4 captions a photo: search.beam=3 has 3, widen it"),
        (("--beam", "2", "--set", "search.method=sample"), "search.beam: no effect without search.method=beam"),
    ):
        result = call(*plain, *words)
        assert isinstance(result.exception, UserError)
        assert message in str(result.exception)
        assert result.stdout == ""


@pytest.mark.fault(
    "captioning a folder with a broken photo", "named, counted, exit 1, the rest is captioned", "Captions and pictures"
)
def test_caption_names_what_it_cannot_read_and_says_so_at_the_end(out: Path) -> None:
    (out / "photos" / "broken.jpg").write_bytes(b"")
    (out / "photos" / "notes.txt").write_text("x")
    result = call("caption", "--run", NAME, "--out", out, "--images", out / "photos")
    assert result.exit_code == 1
    assert len(result.stdout.splitlines()) == 17
    assert re.search(r"no caption: .*broken\.jpg is empty", result.stderr)
    assert "1 photos have no caption" in result.stderr
    assert "1 files are no photos by their names" in result.stderr


def test_report_is_one_folder_that_needs_nothing_else(out: Path) -> None:
    assert call("bleu", "--run", NAME, "--out", out, "--split", "val").exit_code == 0
    for _ in range(2):  # the second takes the place of the first
        result = call("report", "--run", NAME, "--out", out, "--each", "2", "--panel", "photo 8.png")
        assert result.exit_code == 0, result.output
    folder = out / "runs" / NAME / "report"
    assert f"{folder / 'index.html'}: 9 of 9 captions, 7 pictures of all words" in result.output
    page = (folder / "index.html").read_text(encoding="utf-8")
    links = re.findall(r'(?:src|href)="([^"#]+)"', page)
    assert len(links) > 10
    assert all((folder / link).is_file() for link in links)
    assert page.count("<svg") == 2
    for path in folder.rglob("*"):
        if path.suffix in {".js", ".css", ".html"}:
            assert not re.search(r"https?://|url\(|@import|fetch\(|import\(", path.read_text(encoding="utf-8")), path
    assert sorted(path.name for path in folder.iterdir()) == [
        "assets",
        "data",
        "index.html",
        "panels",
        "photos",
        "thumbnails",
    ]
    assert len(list((folder / "panels").iterdir())) == 7
    for kind in ("photos", "thumbnails"):
        assert len(list((folder / kind).iterdir())) == 9
    assert not list(folder.parent.glob(".report*"))


def test_report_shows_where_the_search_looked_and_how_sure_it_was(out: Path) -> None:
    assert call("bleu", "--run", NAME, "--out", out, "--split", "val").exit_code == 0
    assert call("report", "--run", NAME, "--out", out).exit_code == 0
    run = load_run(out / "runs" / NAME)
    store = FeatureStore(run.store)
    data = out / "runs" / NAME / "report" / "data"
    index = content_of(data / "index.js")
    maps = content_of(data / "maps-0.js")
    ids = [photo["id"] for photo in index["photos"]]
    found = caption_images(run.model, run.vocabulary, store, ids, run.config.search, torch.device("cpu"))
    assert len(ids) == 9 and index["grid"] == [2, 2] and index["cells"] is False
    for photo in index["photos"]:
        told, caption = maps[str(photo["number"])], found[photo["id"]]
        assert told["words"] == photo["words"] == list(caption.words)
        assert told["gates"] == pytest.approx(caption.gates.tolist(), abs=1e-3)
        assert told["probabilities"] == pytest.approx(caption.probabilities.tolist(), abs=1e-3)
        weights = np.frombuffer(base64.b64decode(told["maps"]), dtype=np.uint8).reshape(-1, 4) / 255
        peaks = caption.attention.max(axis=1, keepdims=True)
        assert np.abs(weights * peaks - caption.attention).max(initial=0) < 1 / 255
        assert told["references"] == list(next(item.captions for item in store.items if item.image_id == photo["id"]))


def content_of(path: Path) -> dict:
    found: dict = json.loads(path.read_text().split(",", 1)[1].rstrip().removesuffix(");"))
    return found


@pytest.mark.fault("a caption cut at the length limit, in a report", "said to be cut", "Captions and pictures")
def test_report_says_which_captions_were_cut(out: Path) -> None:
    cut = ("--set", "search.longest=2")
    assert call("bleu", "--run", NAME, "--out", out, "--split", "val", "--metrics", "bleu", *cut).exit_code == 0
    assert call("report", "--run", NAME, "--out", out).exit_code == 0
    found = json.loads((out / "runs" / NAME / "captions-val.json").read_text())
    assert not any(caption["finished"] for caption in found)  # two words are no sentence here
    data = out / "runs" / NAME / "report" / "data"
    maps, photos = content_of(data / "maps-0.js"), content_of(data / "index.js")["photos"]
    totals = {caption["image_id"]: caption["log_prob"] for caption in found}
    for photo in photos:
        told = maps[str(photo["number"])]
        assert not told["finished"]
        assert told["log_prob"] == pytest.approx(totals[photo["id"]], abs=1e-3)


@pytest.mark.fault("captions to be written to a folder", "refused before a photo is captioned", "Captions and pictures")
def test_captions_are_not_written_to_a_folder(out: Path, photo_run: Path) -> None:
    result = call("caption", "--run", NAME, "--out", out, "--images", photo_run / "photos", "--output", out)
    assert result.exit_code == 2
    assert "is a directory" in result.output and "captions:" not in result.output


@pytest.mark.fault("a report's picture of a photo that has no caption", "named", "Captions and pictures")
def test_report_names_a_panel_of_an_unknown_photo(out: Path) -> None:
    assert call("bleu", "--run", NAME, "--out", out, "--split", "val").exit_code == 0
    result = call("report", "--run", NAME, "--out", out, "--panel", "photo 1.png")
    assert "--panel photo 1.png: no caption of that photo" in str(result.exception)


@pytest.mark.fault("a report on captions edited by hand", "refused, with what to run", "Captions and pictures")
def test_report_refuses_captions_that_were_changed(out: Path) -> None:
    assert call("bleu", "--run", NAME, "--out", out, "--split", "val").exit_code == 0
    captions = out / "runs" / NAME / "captions-val.json"
    captions.write_text(captions.read_text().replace('"finished": true', '"finished": false'))
    result = call("report", "--run", NAME, "--out", out)
    assert "has changed since it was scored: run `make bleu SPLIT=val` again" in str(result.exception)


@pytest.mark.fault("a report after a photo was deleted", "named, exit 1, the rest is shown", "Captions and pictures")
def test_report_leaves_out_a_photo_that_is_gone_and_says_so(out: Path, photo_run: Path) -> None:
    assert call("bleu", "--run", NAME, "--out", out, "--split", "val").exit_code == 0
    gone = photo_run / "photos" / "photo 9.png"
    gone.rename(gone.with_suffix(".away"))
    try:
        result = call("report", "--run", NAME, "--out", out)
    finally:
        gone.with_suffix(".away").rename(gone)
    assert result.exit_code == 1
    assert re.search(r"not shown: .*photo 9\.png does not exist", result.stderr)
    assert "8 of 9 captions" in result.stdout


@pytest.mark.fault(
    "a report after a photo was replaced",
    "its caption is not shown on the other, exit 1",
    "Captions and pictures",
)
def test_report_shows_no_caption_on_another_photo_than_was_captioned(out: Path, photo_run: Path) -> None:
    assert call("bleu", "--run", NAME, "--out", out, "--split", "val").exit_code == 0
    photo = photo_run / "photos" / "photo 9.png"
    content = photo.read_bytes()
    photo.write_bytes((photo_run / "photos" / "photo 1.png").read_bytes())
    try:
        result = call("report", "--run", NAME, "--out", out)
    finally:
        photo.write_bytes(content)
    assert result.exit_code == 1
    assert re.search(r"not shown: .*photo 9\.png is not the photo its features were made of", result.stderr)
    assert "8 of 9 captions" in result.stdout


@pytest.mark.fault("a report on scores of another version", "refused, with what to run", "Captions and pictures")
def test_report_refuses_scores_that_another_version_wrote(out: Path) -> None:
    assert call("bleu", "--run", NAME, "--out", out, "--split", "val").exit_code == 0
    scores = out / "runs" / NAME / "scores-val.json"
    record = json.loads(scores.read_text())
    for changed, message in (
        ({name: value for name, value in record.items() if name != "captions_sha256"}, "has no captions_sha256"),
        ({name: value for name, value in record.items() if name != "search"}, "has no search"),
        ({name: value for name, value in record.items() if name != "intervals"}, "has no intervals"),
        (record | {"search": record["search"] | {"telepathy": 1}}, "has search.telepathy"),
        (record | {"search": None}, "is damaged"),
        ([], "is damaged"),
    ):
        scores.write_text(json.dumps(changed))
        error = call("report", "--run", NAME, "--out", out).exception
        assert isinstance(error, UserError), message
        assert message in str(error) and "run `make bleu SPLIT=val` again" in str(error)
    scores.write_text(json.dumps({name: value for name, value in record.items() if name != "intervals"}))
    assert call("bleu", "--run", NAME, "--out", out, "--split", "val").exit_code == 0
    assert json.loads(scores.read_text()) == record, "made again"
    record["search"] = {name: record["search"][name] for name in ("beam", "length_normalisation", "longest", "context")}
    scores.write_text(json.dumps(record))  # from before there were methods and rules
    assert call("report", "--run", NAME, "--out", out).exit_code == 0


@pytest.mark.fault("a report on captions of older weights", "refused, with what to run", "Captions and pictures")
def test_report_refuses_captions_of_other_weights(out: Path) -> None:
    assert call("bleu", "--run", NAME, "--out", out, "--split", "val").exit_code == 0
    scores = out / "runs" / NAME / "scores-val.json"
    scores.write_text(scores.read_text().replace('"checkpoint": "', '"checkpoint": "9'))
    result = call("report", "--run", NAME, "--out", out)
    assert "run `make bleu SPLIT=val` again" in str(result.exception)
