"""PTB tokenisation, as every captioning paper's scores use it: the Stanford tokeniser that pycocoevalcap ships.

The jar is called here with pycocoevalcap's own options (`-preserveLines -lowerCase`) instead of through its
`PTBTokenizer`, which writes its input into the installed package (read-only on many machines), finds captions by line
number although the jar ends a line at more characters than "\\n", and depends on the locale. The tokens are the same; a
test compares them.
"""

from __future__ import annotations

import subprocess
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path

from attend.errors import UserError
from attend.score.metrics.java import java, java_environment

TOKENISATION = "PTB (Stanford CoreNLP 3.4.1 through pycocoevalcap: lower case, punctuation dropped)"
JAR = "stanford-corenlp-3.4.1.jar"
LOCALE = ("-Dfile.encoding=UTF-8", "-Duser.language=en", "-Duser.country=US")
QUICK_START = ("-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1")
TOKENISER = ("edu.stanford.nlp.process.PTBTokenizer", "-preserveLines", "-lowerCase", "-encoding", "UTF-8")
TIMEOUT_SECONDS = 600.0

PUNCTUATION = frozenset(
    ["''", "'", "``", "`", "-LRB-", "-RRB-", "-LCB-", "-RCB-", ".", "?", "!", ",", ":", "-", "--", "...", ";"]
)
"""Tokens that are dropped: pycocoevalcap's list as it is. Its upper-case brackets never match lower-cased text, so
`-lrb-` counts as a word, and so does `?!`."""


def jar() -> Path:
    """The tokeniser's jar inside pycocoevalcap. UserError where it is missing."""
    package = find_spec("pycocoevalcap")
    places = list(package.submodule_search_locations or []) if package else []
    for place in places:
        path = Path(place) / "tokenizer" / JAR
        if path.is_file():
            return path
    raise UserError(f"{JAR} is not in pycocoevalcap, and scoring needs it: pip install --force-reinstall pycocoevalcap")


def one_line(caption: str) -> str:
    """The caption without line breaks: U+2028, form feeds and their kin start a new line in Java too."""
    return " ".join(caption.splitlines()).strip()


def ptb_tokenise(captions: Sequence[str]) -> list[str]:
    """Tokens of each caption, joined by single spaces, in the order given; "" for a caption without words.

    One Java process for all of them. UserError when Java fails, or when its lines cannot be matched one to one with
    the captions: a shifted caption would be scored against another photo.
    """
    lines = [one_line(caption) for caption in captions]
    if not any(lines):
        return ["" for _ in lines]
    command = [str(java()), *LOCALE, *QUICK_START, "-cp", str(jar()), *TOKENISER]
    try:
        child = subprocess.run(
            command,
            input="".join(line + "\n" for line in lines).encode("utf-8", "replace"),
            capture_output=True,
            env=java_environment(),
            start_new_session=True,  # Ctrl-C and a cluster's SIGTERM go to whole groups; a training ends by itself
            timeout=TIMEOUT_SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired as error:
        raise UserError(f"the PTB tokeniser gave no answer in {TIMEOUT_SECONDS:.0f} s") from error
    if child.returncode != 0:
        reason = child.stderr.decode("utf-8", "replace").strip()
        raise UserError(f"the PTB tokeniser failed (exit {child.returncode}): {reason or 'no message'}")
    tokenised = child.stdout.decode("utf-8").split("\n")[:-1]
    if len(tokenised) != len(lines):
        raise UserError(f"the PTB tokeniser returned {len(tokenised)} lines for {len(lines)} captions")
    return [" ".join(word for word in line.rstrip().split(" ") if word not in PUNCTUATION) for line in tokenised]
