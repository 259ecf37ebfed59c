"""PTB tokenisation: pycocoevalcap's tokens, without its ways of mixing captions up."""

from __future__ import annotations

import json
import shutil
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from attend.errors import UserError
from attend.score.metrics import tokens
from attend.score.metrics.java import java_environment
from attend.score.metrics.tokens import jar, ptb_tokenise


def pycocoevalcap_tokens(captions: list[str], monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What pycocoevalcap's own tokeniser gives, one caption an image."""
    from pycocoevalcap.tokenizer.ptbtokenizer import PTBTokenizer

    monkeypatch.setenv("PATH", java_environment()["PATH"])
    by_image = PTBTokenizer().tokenize({number: [{"caption": caption}] for number, caption in enumerate(captions)})
    return [by_image[number][0] for number in range(len(captions))]


def test_case_punctuation_and_contractions() -> None:
    assert ptb_tokenise(['A man, with a "dog", isn\'t here - or is he?', "Two dogs' bones; one's gone..."]) == [
        "a man with a dog is n't here or is he",
        "two dogs bones one 's gone",
    ]


@pytest.mark.fault("a caption with a line separator", "no caption shifts to another photo", "Scores")
def test_line_separators_do_not_shift_captions_to_other_images() -> None:
    breaks = ["\n", "\r", "\r\n", "\u2028", "\u2029", "\v", "\f", "\x1c", "\x85"]
    captions = [f"one{character}two {number}" for number, character in enumerate(breaks)]
    assert ptb_tokenise(captions) == [f"one two {number}" for number in range(len(breaks))]


def test_plain_pycocoevalcap_shifts_captions_and_writes_into_the_package(monkeypatch: pytest.MonkeyPatch) -> None:
    """What the two tests around this one guard against: photo 1 gets a piece of photo 0's caption, 2 gets 1's."""
    written, real = [], tempfile.NamedTemporaryFile
    monkeypatch.setattr(tempfile, "NamedTemporaryFile", lambda **words: written.append(words["dir"]) or real(**words))
    captions = ["one\u2028two", "three", "four"]
    assert pycocoevalcap_tokens(captions, monkeypatch) == ["one", "two", "three"]
    assert written == [str(jar().parent)]
    assert ptb_tokenise(captions) == ["one two", "three", "four"]
    assert len(written) == 1


@pytest.mark.fault("captions of punctuation only", "keep their place, score nothing", "Scores")
def test_captions_without_words_keep_their_place() -> None:
    assert ptb_tokenise(["", "a", " \n ", ".", "b", "? !", ""]) == ["", "a", "", "", "b", "", ""]
    assert ptb_tokenise(["", "  "]) == ["", ""]
    assert ptb_tokenise([]) == []


@pytest.mark.fault("captions NA, null, None, nan in the scorer", "tokens like any other", "Scores")
def test_words_that_other_readers_take_for_nothing_and_unicode_are_text() -> None:
    captions = ["NA", "null", "None", "nan", "Naïve café ☕ 狗, 3½ m", "<b>bold</b> & more"]
    assert ptb_tokenise(captions)[:5] == ["na", "null", "none", "nan", "naïve café ☕ 狗 3 1/2 m"]


@pytest.mark.fault("a comma-decimal or Turkish locale", "the same tokens", "Scores")
def test_the_locale_of_the_process_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    captions = ["INSIDE a café, 1.5 metres", "IT IS"]
    plain = ptb_tokenise(captions)
    monkeypatch.setenv("LC_ALL", "C")
    monkeypatch.setenv("JAVA_TOOL_OPTIONS", "-Duser.language=tr -Dfile.encoding=ISO-8859-1")
    assert ptb_tokenise(captions) == plain == ["inside a café 1.5 metres", "it is"]


def test_agrees_with_pycocoevalcap_on_awkward_text(monkeypatch: pytest.MonkeyPatch) -> None:
    captions = [
        "A (red) car",
        "U.S. flag",
        "cannot, gonna",
        "3 1/2 x 4",
        "it's 'quoted'",
        "a--b ... c",
        "e.g. this",
        "[x] {y}",
        "#1 & 50% ?!",
    ]
    assert ptb_tokenise(captions) == pycocoevalcap_tokens(captions, monkeypatch)


@pytest.mark.shared
def test_agrees_with_pycocoevalcap_on_real_captions(shared: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    flickr = json.loads((shared / "data/flickr8k/dataset_flickr8k.json").read_text(encoding="utf-8"))
    coco = json.loads((shared / "data/coco_mini/captions.json").read_text(encoding="utf-8"))
    captions = [
        sentence["raw"] for image in flickr["images"] if image["split"] == "val" for sentence in image["sentences"]
    ]
    captions += [annotation["caption"] for annotation in coco["annotations"]]
    captions = [caption for caption in captions if caption.strip() and caption.splitlines() == [caption]]
    assert len(captions) > 5900
    assert ptb_tokenise(captions) == pycocoevalcap_tokens(captions, monkeypatch)


@pytest.mark.fault("several scorers at once", "each gets its own tokens", "Scores")
def test_two_at_once() -> None:
    texts = [[f"caption {worker} {number}" for number in range(300)] for worker in range(4)]
    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(ptb_tokenise, texts)) == texts


@pytest.mark.fault(
    "an installed package that is read-only, in a path with spaces",
    "scores; nothing is written in the package",
    "Scores",
)
def test_a_read_only_package_in_a_path_with_spaces(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    package = tmp_path / "site packages é" / "pycocoevalcap"
    (package / "tokenizer").mkdir(parents=True)
    (package / "__init__.py").touch()
    shutil.copy(jar(), package / "tokenizer")
    (package / "tokenizer").chmod(0o555)
    before = sorted((package / "tokenizer").iterdir())
    for name in [name for name in sys.modules if name.split(".")[0] == "pycocoevalcap"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.syspath_prepend(str(package.parent))
    assert jar().is_relative_to(tmp_path)
    assert ptb_tokenise(["A dog."]) == ["a dog"]
    assert sorted((package / "tokenizer").iterdir()) == before


@pytest.mark.fault("Java fails", "one line with its exit code and reason", "Scores")
def test_a_failing_java_is_an_error_that_tells_why(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tokens, "TOKENISER", ("no.such.Class",))
    with pytest.raises(UserError, match=r"exit 1.*no\.such\.Class"):
        ptb_tokenise(["a"])


@pytest.mark.fault(
    "the tokeniser returns more lines than captions", "refused: nothing is scored against another photo", "Scores"
)
def test_lines_that_do_not_match_are_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tokens, "one_line", lambda caption: caption)
    with pytest.raises(UserError, match="3 lines for 2 captions"):
        ptb_tokenise(["a\u2028b", "c"])


@pytest.mark.fault("the tokeniser's jar is missing", "named, with the cure", "Scores")
def test_a_missing_jar_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tokens, "JAR", "other.jar")
    with pytest.raises(UserError, match=r"other\.jar is not in pycocoevalcap"):
        ptb_tokenise(["a"])
