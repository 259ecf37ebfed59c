"""pycocoevalcap's METEOR with a paraphrase table of one entry: the same program, ready in a second."""

from __future__ import annotations

import gzip
import shutil
from pathlib import Path

from attend.score.metrics.meteor import JAR, PARAPHRASES, meteor_folder


def small_meteor(folder: Path) -> Path:
    """Make `folder` hold METEOR's jar, pycocoevalcap's module for it, and the small table; returns `folder`."""
    there = meteor_folder()
    (folder / PARAPHRASES).parent.mkdir(parents=True)
    for name in (JAR, "meteor.py"):
        shutil.copy(there / name, folder)
    with gzip.open(folder / PARAPHRASES, "wt", encoding="utf-8") as table:
        table.write("0.9\nis running\nruns\n")
    return folder
