"""What `attend bleu` writes: every image accounted for, numbers that add up, the run and store that belong together."""

from __future__ import annotations

import json
import re
import shutil
from dataclasses import replace
from pathlib import Path

import pytest
import torch

from attend.data.items_file import write_items
from attend.data.manifest import Manifest
from attend.data.store_reader import FeatureStore
from attend.errors import UserError
from attend.score import evaluation
from attend.score.evaluation import already_scored, evaluate, write_evaluation
from attend.train.run import load_run
from tests.tiny_run import NAME

CPU = torch.device("cpu")


@pytest.mark.fault("photos without references in a split", "captioned, named as skipped, not scored 0", "Scores")
def test_all_images_are_captioned_and_those_without_references_are_skipped(photo_run: Path, tmp_path: Path) -> None:
    run = load_run(photo_run / "runs" / NAME)
    found = evaluate(run, FeatureStore(run.store), "val", run.config.search, CPU)
    captions_path, scores_path, images_path = write_evaluation(found, tmp_path)
    assert (captions_path.name, scores_path.name) == ("captions-val.json", "scores-val.json")
    assert images_path.name == "per-image-val.jsonl"
    captions = json.loads(captions_path.read_text(encoding="utf-8"))
    assert [row["image_id"] for row in captions] == [f"photo {number}.png" for number in range(8, 17)]
    for row in captions:
        assert len(row["words"]) == len(row["word_log_probs"]) == len(row["gates"])
        assert sum(row["word_log_probs"]) >= row["log_prob"] - 0.01, "the end word's share is in log_prob alone"
        assert 0 < min(row["gates"]) <= max(row["gates"]) < 1
        assert (row["sentence_bleu4"] is None) == (row["image_id"] in ("photo 8.png", "photo 12.png", "photo 16.png"))
    scores = json.loads(scores_path.read_text(encoding="utf-8"))
    assert scores["skipped_without_references"] == ["photo 8.png", "photo 12.png", "photo 16.png"]
    assert scores["references"] == {"fewest": 1, "most": 3, "all": 12, "empty_left_out": 0}
    assert scores["images"] == 6
    assert scores["scale"] == "0 to 100, CIDEr-D 0 to 1000"
    assert "PTB" in scores["tokenisation"]
    assert scores["features"]["weights"] == "random:1"
    assert scores["seed"] == 1
    for name, score in scores["bleu_with_penalty"].items():
        assert score == pytest.approx(scores["brevity_penalty"] * scores["bleu_without_penalty"][name], rel=1e-6)
        assert scores["metrics"][name]["score"] == pytest.approx(score, abs=1e-6)
        low, high = scores["metrics"][name]["interval"]
        assert low <= score <= high
    images = [json.loads(line) for line in images_path.read_text(encoding="utf-8").splitlines()]
    assert [row["image_id"] for row in images] == [
        row["image_id"] for row in captions if row["sentence_bleu4"] is not None
    ]
    for name in ("METEOR", "ROUGE-L", "CIDEr-D"):
        mean = sum(row[name] for row in images) / len(images)
        if name != "METEOR":  # which is computed from sums, like BLEU
            assert scores["metrics"][name]["score"] == pytest.approx(mean, abs=1e-3)
    known = {
        "a red dog runs on the grass",
        "two cats sit near a window",
        "the dog 's ball is under a chair",
        "a man rides",
    }
    assert {row["caption"] for row in images if not row["novel"]} <= known
    assert not {row["caption"] for row in images if row["novel"]} & known


def test_the_table_names_both_scores_the_ratio_and_what_was_left_out(photo_run: Path) -> None:
    run = load_run(photo_run / "runs" / NAME)
    found = evaluate(run, FeatureStore(run.store), "val", run.config.search, CPU)
    table = replace(found.scores, missing=("x", "y"), unfinished=3).table()
    bleu = found.scores.bleu
    assert f"with brevity penalty{bleu.with_penalty[0]:>13.2f}" in table
    assert f"without{bleu.without_penalty[0]:>26.2f}" in table
    assert f"length ratio {bleu.ratio:.3f}" in table
    assert "3 images have no reference captions and were not scored" in table
    assert "2 images of the split have no features and were not captioned" in table
    assert "3 captions were cut at 8 words" in table
    for cell in found.scores.cells:
        if cell.name in ("BLEU-4", "METEOR", "ROUGE-L", "CIDEr-D"):
            assert re.search(
                rf"^{cell.name} +{cell.score:.2f}  \[{cell.low:.2f}, {cell.high:.2f}\]", table, re.MULTILINE
            )


@pytest.mark.fault("features of another encoder for a run", "refused, all that differs is named", "Scores")
def test_features_of_another_encoder_are_refused(grid_run: Path, photo_run: Path) -> None:
    run = load_run(grid_run / "runs" / NAME)
    store = FeatureStore(photo_run / "features" / "tiny" / "tiny")
    with pytest.raises(
        UserError, match=r"does not hold the features .* was trained on \(layer: look, not drawn; weights"
    ):
        evaluate(run, store, "val", run.config.search, CPU)


@pytest.mark.fault("old scores beside new weights", "scored again when anything differs, else left", "Scores")
def test_a_split_is_scored_again_only_when_something_differs(photo_run: Path, tmp_path: Path) -> None:
    folder = tmp_path / NAME
    shutil.copytree(photo_run / "runs" / NAME, folder)
    run = load_run(folder)
    store, settings = FeatureStore(run.store), run.config.search
    assert not already_scored(run, store, "val", settings)
    write_evaluation(evaluate(run, store, "val", settings, CPU), folder)
    assert already_scored(run, store, "val", settings)
    assert not already_scored(run, store, "train", settings)
    assert not already_scored(run, store, "val", replace(settings, beam=settings.beam + 1))
    assert not already_scored(run, store, "val", settings, ["spice"])
    captions = folder / "captions-val.json"
    captions.write_text(captions.read_text().replace("dog", "cat"))
    assert not already_scored(run, store, "val", settings)
    best = torch.load(folder / "best.pt", weights_only=True)
    torch.save({**best, "step": best["step"] + 1}, folder / "best.pt")
    assert not already_scored(load_run(folder), store, "val", settings)


def test_another_metric_is_added_without_captioning_again(
    photo_run: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / NAME
    shutil.copytree(photo_run / "runs" / NAME, folder)
    run = load_run(folder)
    store, settings = FeatureStore(run.store), run.config.search
    first = evaluate(run, store, "val", settings, CPU, ["cider", "spice"])
    assert [cell.name for cell in first.scores.cells[8:]] == ["CIDEr-D", "SPICE"]
    write_evaluation(first, folder)
    monkeypatch.setattr(evaluation, "caption_images", None)
    second = evaluate(run, store, "val", settings, CPU, ["rouge"])
    assert [cell.name for cell in second.scores.cells[8:]] == ["CIDEr-D", "ROUGE-L"], "SPICE had failed"
    assert second.rows == first.rows
    with pytest.raises(TypeError):
        evaluate(run, store, "val", replace(settings, beam=2), CPU)


@pytest.mark.fault("a split of photos without captions", 'captioned, every score "skipped"', "Scores")
def test_a_split_without_references_is_captioned_and_its_scores_are_skipped(tmp_path: Path, photo_run: Path) -> None:
    """Not 0: the captions are there, and every metric says why it is not."""
    run = load_run(photo_run / "runs" / NAME)
    out = tmp_path / "store"
    shutil.copytree(run.store, out)
    items = [replace(item, captions=() if item.split == "val" else item.captions) for item in FeatureStore(out).items]
    manifest = Manifest.load(out)
    replace(manifest, items_sha256=write_items(out, items)).save(out)
    found = evaluate(run, FeatureStore(out), "val", run.config.search, CPU)
    captions_path, scores_path, _ = write_evaluation(found, tmp_path)
    assert len(json.loads(captions_path.read_text())) == 9
    scores = json.loads(scores_path.read_text())
    assert scores["bleu_with_penalty"] is None
    assert scores["metrics"]["CIDEr-D"] == {"missing": "skipped: no image has a reference caption"}
    assert len(scores["skipped_without_references"]) == 9
    assert "scores skipped: no image has a reference caption" in found.scores.table()
