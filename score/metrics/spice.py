"""SPICE: agreement of scene graphs. Only where its parser's models, which are a download of their own, are in place.

pycocoevalcap's own `Spice` downloads them into the installed package when it is made, and writes its work there. Here
nothing is downloaded, the work is in a temporary folder, and there is no cache.
"""

from __future__ import annotations

import json
import subprocess
import tempfile
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path

import numpy as np

from attend.errors import UserError
from attend.score.metrics.java import java, java_environment
from attend.score.metrics.measured import Measured, TokenisedSet, mean_over_images
from attend.score.metrics.tokens import LOCALE

NAME = "SPICE"
JAR = "spice-1.0.jar"
MODELS = ("stanford-corenlp-3.6.0.jar", "stanford-corenlp-3.6.0-models.jar")
MEMORY = "-Xmx8G"
SECONDS = 3_600.0


def spice(sets: Sequence[TokenisedSet]) -> list[list[Measured]]:
    """SPICE of each set: the mean F over its images, 0 to 100. UserError: no models, or the program fails."""
    return [[mean_over_images(NAME, 100 * _scores(each))] for each in sets]


def spice_folder() -> Path:
    """The folder of the program in pycocoevalcap. UserError while its parser's models are not in it."""
    package = find_spec("pycocoevalcap")
    places = list(package.submodule_search_locations or []) if package else []
    folder = Path(places[0]) / "spice" if places else Path("pycocoevalcap") / "spice"
    missing = [name for name in MODELS if not (folder / "lib" / name).is_file()]
    if missing:
        raise UserError(
            f"{' and '.join(missing)} not in {folder / 'lib'}: put them there from stanford-corenlp-full-2015-12-09.zip"
        )
    return folder


def _scores(each: TokenisedSet) -> np.ndarray:
    """F of each image, (N,)."""
    folder = spice_folder()
    question = [
        {"image_id": number, "test": caption, "refs": list(each.references[image_id])}
        for number, (image_id, caption) in enumerate(each.captions.items())
    ]
    with tempfile.TemporaryDirectory() as work:
        asked, answered = Path(work) / "captions.json", Path(work) / "scores.json"
        asked.write_text(json.dumps(question), encoding="utf-8")
        command = [str(java()), *LOCALE, MEMORY, "-jar", JAR, str(asked), "-out", str(answered), "-subset", "-silent"]
        try:
            child = subprocess.run(
                command, cwd=folder, env=java_environment(), capture_output=True, timeout=SECONDS, check=False
            )
        except subprocess.TimeoutExpired as error:
            raise UserError(f"{NAME} was not done in {SECONDS:.0f} s and was ended") from error
        if child.returncode != 0 or not answered.is_file():
            complaint = child.stderr.decode("utf-8", "replace").strip().splitlines()
            raise UserError(f"{NAME} stopped (exit {child.returncode}): {complaint[0] if complaint else 'no message'}")
        answers = json.loads(answered.read_text(encoding="utf-8"))
    found = {answer["image_id"]: float(answer["scores"]["All"]["f"]) for answer in answers}
    return np.array([found[number] for number in range(len(question))])
