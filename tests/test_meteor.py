"""METEOR: pycocoevalcap's own process and its faults, then ours with the same ones."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from attend.errors import UserError
from attend.score.metrics import meteor
from attend.score.metrics.java import java_environment
from attend.score.metrics.measured import TokenisedSet
from attend.score.metrics.meteor import combine, score_line
from tests.small_meteor import small_meteor

ONE = TokenisedSet({"x": "a dog is running"}, {"x": ["a dog runs", "the cat sleeps"]})
BY_HAND = 100 * 0.402846288358352
"""What the program itself gives for that caption with the real paraphrase table, "is" matching "runs"."""

PLAIN = """
import meteor
scorer = meteor.Meteor()
print(scorer.compute_score({references}, {captions})[0], flush=True)
"""


def plain(folder: Path, captions: dict, references: dict, stderr: Path, **variables: str) -> subprocess.Popen[str]:
    """pycocoevalcap's `Meteor` of `folder` in a process of its own, with variables that change Java."""
    return subprocess.Popen(
        [sys.executable, "-c", PLAIN.format(captions=captions, references=references)],
        env={**java_environment(), "PYTHONPATH": str(folder), **variables},
        stdout=subprocess.PIPE,
        stderr=stderr.open("w"),
        text=True,
    )


def hangs(folder: Path, stderr: Path, **variables: str) -> bool:
    """Whether plain `Meteor`, which can do nothing more after an error, is still there seconds after one."""
    process = plain(folder, {"x": ["a dog"]}, {"x": ["a dog"]}, stderr, **variables)
    try:
        while process.poll() is None:
            if "Error" in stderr.read_text():
                process.wait(timeout=5)
            time.sleep(0.1)
    except subprocess.TimeoutExpired:
        return True
    finally:
        process.kill()
        process.communicate()
    return False


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return small_meteor(tmp_path_factory.mktemp("plain") / "meteor")


def test_the_score_of_counts_is_the_programs_own() -> None:
    """Two images that the program scored 0.40285 and 0, and 0.21218 together."""
    counts = np.array(
        [
            [4, 3, 2, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 0, 1, 3, 3],
            [2, 3, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0],
        ],
        dtype=float,
    )
    assert combine(counts) == pytest.approx([BY_HAND, 0], abs=1e-9)
    assert float(combine(counts.sum(axis=0))) == pytest.approx(21.217724883924863, abs=1e-9)


def test_a_caption_that_is_a_reference_scores_100_and_an_empty_one_0() -> None:
    each = TokenisedSet({"x": "a dog", "y": ""}, {"x": ["the cat", "a dog"], "y": ["a dog"]})
    [[found]] = meteor.meteor([each])
    assert found.by_image.tolist() == [100, 0]
    [[both]] = meteor.meteor([TokenisedSet({"x": "a dog", "y": "a red cat"}, {"x": ["a dog"], "y": ["a red cat"]})])
    assert both.score == 100, "such captions have no chunk in the sum either"


def test_several_sets_are_scored_in_one_process(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []
    real = meteor._answers
    monkeypatch.setattr(meteor, "_answers", lambda lines: asked.append(len(lines)) or real(lines))
    other = TokenisedSet({"y": "two cats", "z": "a bird"}, {"y": ["two cats"], "z": ["a ship"]})
    [[first], [second]] = meteor.meteor([ONE, other])
    assert asked == [3]
    assert len(first.by_image) == 1 and second.by_image[0] == 100


@pytest.mark.fault("`|||` in a reference caption", "text, not the start of another reference", "Scores")
def test_a_reference_with_bars_is_no_two_references(small: Path, tmp_path: Path) -> None:
    """Plain: `|||` in a reference starts another, "a cat" alone, and the caption is scored against that."""
    captions, references = {"x": ["a cat"]}, {"x": ["the red bird ||| a cat"]}
    said, _ = plain(small, captions, references, tmp_path / "errors").communicate(timeout=60)
    assert float(said) == pytest.approx(1.0)
    [[found]] = meteor.meteor([TokenisedSet({"x": "a cat"}, references)])
    assert 0 < found.score < 60
    assert score_line("a\tb\u2028c", ["d ||| e\n"]) == "SCORE ||| d e ||| a b c"


@pytest.mark.slow
@pytest.mark.fault("METEOR in a comma-decimal locale", "scores; pycocoevalcap waits for ever", "Scores")
def test_a_comma_decimal_locale(small: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Plain: Java cannot read back its own numbers and stops, and the process that asked waits for ever."""
    assert hangs(small, tmp_path / "errors", JAVA_TOOL_OPTIONS="-Duser.language=de -Duser.country=DE")
    monkeypatch.setenv("JAVA_TOOL_OPTIONS", "-Duser.language=de -Duser.country=DE")
    monkeypatch.setenv("LC_ALL", "de_DE.UTF-8")
    [[found]] = meteor.meteor([ONE])
    assert found.score > 30


@pytest.mark.slow
@pytest.mark.fault(
    "METEOR installed below a folder with a space in its name",
    "scores, writes nothing there; pycocoevalcap waits for ever",
    "Scores",
)
def test_a_space_in_the_path_of_the_installation(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Plain: the paraphrases are looked for under `%2520`, Java stops, the process that asked waits for ever."""
    folder = small_meteor(tmp_path / "site packages é" / "meteor")
    assert hangs(folder, tmp_path / "errors")
    monkeypatch.setattr(meteor, "meteor_folder", lambda: folder)
    before = sorted(folder.rglob("*"))
    [[found]] = meteor.meteor([ONE])
    assert found.score > 30
    assert sorted(folder.rglob("*")) == before, "nothing is written into the package"


@pytest.mark.fault("METEOR's Java stops", "one line with its exit code and reason", "Scores")
def test_a_java_that_stops_is_named_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Plain waits for ever (above); here the message is Java's own."""
    monkeypatch.setattr(meteor, "PARAPHRASES", "data/none.gz")
    with pytest.raises(UserError, match=r"METEOR stopped \(exit 1\): .*data/none\.gz"):
        meteor.meteor([ONE])


def test_an_answer_that_is_no_counts_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(meteor, "score_line", lambda caption, references: "WHAT")
    with pytest.raises(UserError, match=r"METEOR answered 'Error: specify SCORE or EVAL.*', not 23 numbers"):
        meteor.meteor([ONE])


def test_a_missing_jar_is_named(quick_meteor, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(meteor, "JAR", "other.jar")
    with pytest.raises(UserError, match=r"other\.jar and data/paraphrase-en\.gz are not in pycocoevalcap: pip install"):
        quick_meteor()


@pytest.mark.fault("two METEOR scorers at once", "the same scores", "Scores")
def test_two_at_once_give_the_same(small: Path) -> None:
    script = (
        "from pathlib import Path\nfrom attend.score.metrics import meteor\n"
        "from attend.score.metrics.measured import TokenisedSet\n"
        f"meteor.meteor_folder = lambda: Path({str(small)!r})\n"
        "print(meteor.meteor([TokenisedSet({'x': 'a dog is running'}, {'x': ['a dog runs']})])[0][0].score)"
    )
    both = [
        subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True, env={**os.environ})
        for _ in range(2)
    ]
    first, second = (child.communicate(timeout=60)[0] for child in both)
    assert first == second and float(first) > 30
