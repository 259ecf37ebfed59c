"""What a report is made from: the files that `attend train` and `attend bleu` left in a run's folder."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from attend.data.items import SPLITS
from attend.errors import UserError
from attend.score.kept import FIELDS, evaluation_paths
from attend.train.config import SearchSettings
from attend.train.log import read_log
from attend.train.run import Run

PREFERRED = ("test", "val", "train", "restval", "none")
KNOWN = frozenset(field.name for field in fields(SearchSettings))


@dataclass(frozen=True)
class RunFiles:
    """The log, the scores of every split that has some, and the captions of the split to show."""

    split: str
    log: list[dict[str, Any]]
    scores: list[dict[str, Any]]
    """One record a scored split, that of the captions first."""
    captions: list[dict[str, Any]]
    by_image: dict[str, dict[str, Any]]
    """Image id → what each metric gives its caption alone; no entry for an image without references."""
    search: SearchSettings
    """What found the captions."""


def read_run_files(run: Run, split: str | None) -> RunFiles:
    """Read them; the split is by default test where it was scored, else val, and so on.

    UserError when there are no captions of it, when another version wrote the scores, when the captions were made with
    other weights than the run has now, or when they are no longer those that were scored.
    """
    scored = [name for name in SPLITS if evaluation_paths(run.folder, name)[1].is_file()]
    chosen = split or next((name for name in PREFERRED if name in scored), "test")
    scores = {name: _read(evaluation_paths(run.folder, name)[1], name) for name in {*scored, chosen}}
    for name, record in scores.items():
        _check_fields(evaluation_paths(run.folder, name)[1], record, name)
        if record["made_from"]["checkpoint"] != run.checkpoint_sha256:
            raise UserError(
                f"{run.folder}/captions-{name}.json is of step {record['step']}, the run is now at step "
                f"{run.step}: run `make bleu SPLIT={name}` again"
            )
    path, _, images = evaluation_paths(run.folder, chosen)
    captions = _read(path, chosen)
    if hashlib.sha256(path.read_bytes()).hexdigest() != scores[chosen]["captions_sha256"]:
        raise UserError(f"{path} has changed since it was scored: run `make bleu SPLIT={chosen}` again")
    log = run.folder / "log.jsonl"
    return RunFiles(
        split=chosen,
        log=read_log(log) if log.is_file() else [],
        scores=[scores[name] for name in dict.fromkeys((chosen, *PREFERRED)) if name in scores],
        captions=captions,
        by_image=_by_image(images, chosen),
        search=SearchSettings(**scores[chosen]["search"]),
    )


def _check_fields(path: Path, record: Any, split: str) -> None:
    """UserError: scores written by a version with other fields, or with settings of the search that are not known."""
    if not isinstance(record, dict) or not isinstance(record.get("search", {}), dict):
        raise UserError(f"{path} is damaged (it holds no scores): run `make bleu SPLIT={split}` again")
    wrong = [f"no {name}" for name in FIELDS if name not in record]
    wrong += [f"search.{name}" for name in record.get("search", {}) if name not in KNOWN]
    if wrong:
        raise UserError(f"{path} has {wrong[0]}: another version wrote it, run `make bleu SPLIT={split}` again")


def _by_image(path: Path, split: str) -> dict[str, dict[str, Any]]:
    try:
        *lines, rest = path.read_text(encoding="utf-8").split("\n")  # captions may hold other line separators
        if rest:
            raise ValueError("its last line is cut")
        return {record["image_id"]: record for record in map(json.loads, lines)}
    except FileNotFoundError:
        raise UserError(f"{path} is not there: run `make bleu SPLIT={split}` first") from None
    except (ValueError, TypeError, KeyError) as error:
        raise UserError(f"{path} is damaged ({error!r}): run `make bleu SPLIT={split}` again") from None


def _read(path: Path, split: str) -> Any:
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise UserError(f"{path} is not there: run `make bleu SPLIT={split}` first") from None
    except ValueError as error:
        raise UserError(f"{path} is damaged ({error}): run `make bleu SPLIT={split}` again") from None
