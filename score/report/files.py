"""What a report is made from: the files that `attend train` and `attend bleu` left in a run's folder."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from attend.data.items import SPLITS
from attend.errors import UserError
from attend.train.config import SearchSettings
from attend.train.log import read_log
from attend.train.run import Run

PREFERRED = ("test", "val", "train", "restval", "none")


@dataclass(frozen=True)
class RunFiles:
    """The log, the scores of every split that has some, and the captions of the split to show."""

    split: str
    log: list[dict[str, Any]]
    scores: list[dict[str, Any]]
    captions: list[dict[str, Any]]
    search: SearchSettings
    """What found the captions."""


def read_run_files(run: Run, split: str | None) -> RunFiles:
    """Read them; the split is by default test where it was scored, else val, and so on.

    UserError when there are no captions of it, or when they were made with other weights than the run has now.
    """
    scored = [name for name in SPLITS if (run.folder / f"scores-{name}.json").is_file()]
    chosen = split or next((name for name in PREFERRED if name in scored), "test")
    scores = {name: _read(run.folder / f"scores-{name}.json", name) for name in {*scored, chosen}}
    for name, record in scores.items():
        if record["made_from"]["checkpoint"] != run.checkpoint_sha256:
            raise UserError(
                f"{run.folder}/captions-{name}.json is of step {record['step']}, the run is now at step "
                f"{run.step}: run `make bleu SPLIT={name}` again"
            )
    captions = _read(run.folder / f"captions-{chosen}.json", chosen)
    log = run.folder / "log.jsonl"
    in_order = [scores[name] for name in PREFERRED if name in scores]
    search = SearchSettings(**scores[chosen]["search"])
    return RunFiles(chosen, read_log(log) if log.is_file() else [], in_order, captions, search)


def _read(path: Path, split: str) -> Any:
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise UserError(f"{path} is not there: run `make bleu SPLIT={split}` first") from None
    except ValueError as error:
        raise UserError(f"{path} is damaged ({error}): run `make bleu SPLIT={split}` again") from None
