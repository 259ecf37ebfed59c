"""`attend score`: captions from anywhere, runs against each other, people; as files, tables and exit codes."""

from __future__ import annotations

import json
import re
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import psutil
import pytest
from click.testing import CliRunner, Result

from attend.cli import attend
from attend.errors import UserError
from attend.score.metrics import meteor
from tests.tiny_run import NAME

PLACES = ("grass", "road", "beach", "hill", "snow")
REFERENCES = {
    "images": [{"id": number, "file_name": f"{number}.jpg"} for number in range(6)],
    "annotations": [
        {"id": 10 * number + extra, "image_id": number, "caption": text}
        for number in range(5)
        for extra, text in enumerate([f"A dog runs on the {PLACES[number]}.", "dogs"])
    ],
}
CAPTIONS = [
    {"image_id": number, "caption": f"a dog runs on the {place}"}
    for number, place in enumerate(["grass", "sand", "beach", "hill", "sea"])
]


@pytest.fixture
def files(tmp_path: Path) -> Path:
    (tmp_path / "refs.json").write_text(json.dumps(REFERENCES))
    (tmp_path / "good.json").write_text(json.dumps([*CAPTIONS, {"image_id": 99, "caption": "a stranger"}]))
    (tmp_path / "bad.json").write_text(json.dumps([{**row, "caption": "a cat"} for row in CAPTIONS]))
    return tmp_path


@pytest.fixture(scope="module")
def scored_run(photo_run: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An output folder with a captioned run, and a second one that differs in the seed only."""
    out = tmp_path_factory.mktemp("scored")
    shutil.copytree(photo_run / "features", out / "features")
    shutil.copytree(photo_run / "runs", out / "runs")
    assert call("bleu", "--run", NAME, "--out", out, "--split", "val").exit_code == 0
    other = out / "runs" / "seed2"
    shutil.copytree(out / "runs" / NAME, other)
    (other / "config.toml").write_text(
        re.sub(r"(\[optim\][^\[]*?\nseed = )1", r"\g<1>2", (other / "config.toml").read_text())
    )
    captions = json.loads((other / "captions-val.json").read_text())
    (other / "captions-val.json").write_text(json.dumps([{**row, "caption": "a man rides"} for row in captions]))
    return out


def call(*words: str | Path) -> Result:
    return CliRunner().invoke(attend, [str(word) for word in words])


def test_captions_from_elsewhere_against_a_captions_file(files: Path) -> None:
    out = files / "scores.json"
    result = call("score", "--references", files / "refs.json", "--results", files / "good.json", "--out", out)
    assert result.exit_code == 0, result.output
    scores = json.loads(out.read_text())
    [row] = scores["rows"]
    assert row["metrics"]["BLEU-1"]["score"] == pytest.approx(100 * 28 / 30)
    by_hand = 100 * 0.9 * (1 - 0.6 * (2 / 28) ** 0.2)  # 13 of 15 content words, all 15 others; 2 chunks, 28 matches
    assert row["metrics"]["METEOR"]["score"] == pytest.approx(by_hand)
    low, high = row["metrics"]["BLEU-4"]["interval"]
    assert low < row["metrics"]["BLEU-4"]["score"] < high
    assert (row["name"], row["images"], row["surplus"], row["references_each"]) == ("good", 5, ["99"], "2")
    assert scores["references"]["images_without"] == ["5"]
    assert scores["paper"] is None
    table = out.with_suffix(".md").read_text()
    assert table in result.output
    assert "| BLEU-1                 | 93.33 [" in table
    for note in (
        "good: 1 captions are of other images and were left out: 99",
        "1 images have no reference captions and were not scored",
        "CIDEr-D is what pycocoevalcap and the COCO server call CIDEr",
        "PTB (Stanford CoreNLP 3.4.1",
    ):
        assert note in table


def test_two_results_are_compared_on_the_same_images(files: Path) -> None:
    words = ("--references", files / "refs.json", "--results", files / "good.json", "--results", files / "bad.json")
    result = call("score", *words, "--compare", "--metrics", "bleu,rouge", "--out", files / "s.json")
    assert result.exit_code == 0, result.output
    [comparison] = json.loads((files / "s.json").read_text())["comparisons"]
    assert (comparison["first"], comparison["second"]) == ("good", "bad")
    rouge = comparison["metrics"]["ROUGE-L"]
    assert rouge["difference"] == pytest.approx(rouge["first"] - rouge["second"])
    assert rouge["first_better"] == 1.0 and rouge["interval"][0] > 0
    assert "A: good, B: bad" in result.output


def test_a_metric_that_fails_costs_no_other_and_the_exit_code_tells(
    files: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(meteor, "PARAPHRASES", "data/none.gz")
    result = call("score", "--references", files / "refs.json", "--results", files / "good.json")
    assert result.exit_code == 1
    assert re.search(r"\| METEOR +\| failed", result.output)
    assert "METEOR: failed: METEOR stopped (exit 1)" in result.output
    assert re.search(r"\| CIDEr-D +\| \d+\.\d\d \[", result.output)


def command_line(process: psutil.Process) -> str:
    """Empty when it has ended."""
    try:
        return " ".join(process.cmdline())
    except psutil.Error:
        return ""


@pytest.mark.slow
@pytest.mark.fault("Ctrl-C while scores are computed", "the command and its Java are gone at once", "Scores")
def test_ctrl_c_ends_the_command_and_its_java(files: Path) -> None:
    """The command with the real paraphrases, which take seconds to read. In the background SIGINT would be ignored."""
    program = (
        "import signal; signal.signal(signal.SIGINT, signal.default_int_handler); from attend.cli import main; main()"
    )
    words = ("score", "--references", "refs.json", "--results", "good.json", "--metrics", "meteor")
    command = subprocess.Popen([sys.executable, "-c", program, *words], cwd=files, stdout=subprocess.PIPE)
    java: list[psutil.Process] = []
    while not java and command.poll() is None:
        java = [child for child in psutil.Process(command.pid).children() if meteor.JAR in command_line(child)]
    command.send_signal(signal.SIGINT)
    assert command.wait(timeout=30) == 1
    assert len(java) == 1
    assert psutil.wait_procs(java, timeout=20)[1] == []


def test_people_and_the_model_against_as_many_references(scored_run: Path) -> None:
    result = call("score", "--run", NAME, "--artifacts", scored_run, "--split", "val", "--human", "--metrics", "bleu")
    assert result.exit_code == 0, result.output
    assert f"| {NAME} " in result.output
    assert "| people, one against the others | " in result.output
    assert f"| {NAME}, against the same " in result.output
    assert "compare only columns with as many" in result.output
    assert "people, one against the others: 4 images, 1 to 2 references each" in result.output


def test_runs_that_differ_in_the_seed_only_get_mean_and_deviation(scored_run: Path) -> None:
    words = ("score", "--artifacts", scored_run, "--split", "val", "--metrics", "bleu,rouge")
    result = call(*words, "--run", f"{NAME} seed2", "--out", scored_run / "s.json")
    assert result.exit_code == 0, result.output
    scores = json.loads((scored_run / "s.json").read_text())
    first, second = (row["metrics"]["ROUGE-L"]["score"] for row in scores["rows"])
    assert first != second
    assert scores["over_seeds"]["ROUGE-L"]["mean"] == pytest.approx((first + second) / 2)
    assert scores["over_seeds"]["ROUGE-L"]["deviation"] == pytest.approx(abs(first - second) / 2**0.5)


@pytest.mark.fault("a mean over runs that differ in more than the seed", "not given, what differs is named", "Scores")
def test_runs_that_differ_in_more_get_no_mean_and_are_told_why(scored_run: Path, tmp_path: Path) -> None:
    shutil.copytree(scored_run, tmp_path / "out")
    config = tmp_path / "out" / "runs" / "seed2" / "config.toml"
    config.write_text(config.read_text().replace("beam = 3", "beam = 4"))
    words = ("score", "--artifacts", tmp_path / "out", "--split", "val", "--metrics", "bleu")
    result = call(*words, "--run", f"{NAME} seed2")
    assert result.exit_code == 0, result.output
    assert "no mean over seeds: the runs differ in search.beam" in result.output
    config.write_text(
        re.sub(r"(\[optim\][^\[]*?\nseed = )2", r"\g<1>1", config.read_text().replace("beam = 4", "beam = 3"))
    )
    assert "no mean over seeds: the runs differ in seed" in call(*words, "--run", f"{NAME} seed2").output


def test_an_ensemble_is_compared_with_one_of_its_runs(scored_run: Path, tmp_path: Path) -> None:
    """It has no config.toml and its name no spaces; a run's name may have some."""
    shutil.copytree(scored_run, tmp_path / "out")
    runs = tmp_path / "out" / "runs"
    (runs / "seed2").rename(runs / "my run+seed 2")
    (runs / "my run+seed 2" / "config.toml").unlink()
    words = ("score", "--artifacts", tmp_path / "out", "--split", "val", "--metrics", "rouge", "--compare")
    result = call(*words, "--run", NAME, "--results", runs / "my run+seed 2" / "captions-val.json")
    assert result.exit_code == 0, result.output
    assert f"A: captions-val, B: {NAME}, on the same draws" in result.output
    (runs / "my run+seed 2").rename(runs / f"{NAME}+other")
    result = call(*words, "--run", f"{NAME}+other {NAME}")
    assert f"A: {NAME}+other, B: {NAME}, on the same draws" in result.output
    assert f"no mean over seeds: the runs differ in kind ({NAME}+other is an ensemble)" in result.output
    (runs / f"{NAME}+other").rename(runs / "my run")
    assert "| my run " in call(*words[:-1], "--run", "my run").output


def test_results_against_the_references_of_a_store(scored_run: Path, tmp_path: Path) -> None:
    """The very numbers of `attend bleu`, from its captions as plain COCO results."""
    folder = scored_run / "runs" / NAME
    rows = json.loads((folder / "captions-val.json").read_text())
    results = tmp_path / "results.json"
    results.write_text(json.dumps([{"image_id": row["image_id"], "caption": row["caption"]} for row in rows]))
    words = ("score", "--results", results, "--dataset", "tiny", "--artifacts", scored_run, "--split", "val")
    assert call(*words, "--out", tmp_path / "s.json").exit_code == 0
    [row] = json.loads((tmp_path / "s.json").read_text())["rows"]
    assert row["metrics"] == json.loads((folder / "scores-val.json").read_text())["metrics"]
    assert row["captions"]["novel"] is not None


def test_foreign_references_are_warned_of_with_the_tokeniser(tmp_path: Path) -> None:
    texts = ["Un niño corre en el jardín", "一个男孩在跑步。"]
    images = [{"id": number} for number in range(2)]
    annotations = [{"id": n, "image_id": n, "caption": text} for n, text in enumerate(texts)]
    (tmp_path / "refs.json").write_text(json.dumps({"images": images, "annotations": annotations}))
    (tmp_path / "r.json").write_text(json.dumps([{"image_id": n, "caption": text} for n, text in enumerate(texts)]))
    words = ("--references", tmp_path / "refs.json", "--results", tmp_path / "r.json", "--metrics", "bleu")
    result = call("score", *words)
    assert result.exit_code == 0
    assert "warning: 2 of 2 references have letters that English does not have; the PTB tokeniser" in result.output


def test_the_papers_rows_stand_beside_its_datasets(scored_run: Path, tmp_path: Path) -> None:
    shutil.copytree(scored_run / "features" / "tiny", tmp_path / "features" / "flickr8k")
    shutil.copytree(scored_run / "runs" / NAME, tmp_path / "runs" / NAME)
    words = ("score", "--run", NAME, "--dataset", "flickr8k", "--artifacts", tmp_path, "--split", "val")
    result = call(*words, "--metrics", "bleu")
    assert result.exit_code == 0, result.output
    assert re.search(r"\| BLEU-4 without penalty \| .* \| 19\.50 +\| 21\.30 +\|", result.output)
    assert "paper: Xu et al. 2015, Table 1: test split" in result.output


def test_mistakes_are_named(files: Path, scored_run: Path) -> None:
    refs, good = files / "refs.json", files / "good.json"
    for words, message in (
        ((), "nothing to score: name captions with --results or --run"),
        (("--results", good), "no references: name a COCO captions file with --references, or a dataset"),
        (("--results", good, "--references", refs, "--compare"), "--compare needs two results or runs"),
        (("--results", good, "--results", good, "--references", refs), "the same captions are named twice"),
        (
            ("--run", "x", "--artifacts", files),
            r"captions-test\.json is not there: run `make bleu RUN=x SPLIT=test` first",
        ),
        (("--human", "--dataset", "coco", "--artifacts", files), r"no feature store in .*coco: run `make features"),
        (("--human", "--dataset", "tiny", "--artifacts", scored_run), "no photo in the split test"),
        (("--human", "--references", refs, "--metrics", "spider"), "unknown metric 'spider'"),
    ):
        result = call("score", *words)
        assert isinstance(result.exception, UserError), result.output
        assert re.search(message, str(result.exception))
