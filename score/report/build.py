"""The HTML report of a run: one folder that opens anywhere, without a network."""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, cast

import torch
from PIL import Image

from attend.data.atomic import partial_path
from attend.data.items import Item, Problem
from attend.data.store_reader import FeatureStore
from attend.device import cores
from attend.errors import UserError
from attend.extract.framing import framing
from attend.extract.images import Preprocessing, prepare
from attend.extract.opening import PhotoError, open_photo
from attend.progress import Progress
from attend.score.evaluation import check_fingerprint
from attend.score.pictures.attention import draw_attention
from attend.score.read_back import read_back
from attend.score.report.chosen import Shown, by_score, groups, panel_ids, spread_over
from attend.score.report.data_files import AT_ONCE, write_script
from attend.score.report.files import RunFiles, read_run_files
from attend.score.report.page import write_page
from attend.score.report.photo_copies import write_copies
from attend.score.seen import SeenCaption, on_photo
from attend.score.viewer.view import view, view_settings
from attend.train.models.interface import Captioner
from attend.train.run import Run

FOLDERS = ("assets", "data", "photos", "thumbnails", "panels")


@dataclass(frozen=True)
class Wanted:
    """What a report is to show. `photos`: captions at most, 0: all. `panels`: pictures of all words of a caption, None:
    of the examples. `named_panels`: image ids that get such a picture, too."""

    split: str | None = None
    each: int = 6
    photos: int = 1000
    panels: int | None = None
    named_panels: tuple[str, ...] = ()


@dataclass(frozen=True)
class Report:
    """Where the report is, how many of how many captions it shows, and the photos it could not show."""

    page: Path
    shown: int
    captions: int
    panels: int
    problems: list[Problem]


def build_report(run: Run, store: FeatureStore, wanted: Wanted | None = None) -> Report:
    """Write `report/` into the run's folder: `index.html` and what it loads.

    The folder appears, or takes the place of an older report, only when it is complete. UserError when captions are
    missing or do not belong to the run.
    """
    wanted = wanted or Wanted()
    check_fingerprint(run, store)
    found = read_run_files(run, wanted.split)
    items = {item.image_id: item for item in store.items}
    if strangers := [caption["image_id"] for caption in found.captions if caption["image_id"] not in items]:
        raise UserError(
            f"{store.folder} lacks {strangers[0]}, which has a caption: run `make bleu SPLIT={found.split}` again"
        )
    ranked = by_score(found.captions, found.by_image)
    chosen = _chosen(ranked, wanted)
    examples = [chosen[place].image_id for places in groups(chosen, wanted.each).values() for place in places]
    panels = panel_ids(ranked, examples, wanted.panels, wanted.named_panels)
    target = run.folder / "report"
    work = partial_path(target)
    try:
        for name in FOLDERS:
            (work / name).mkdir(parents=True)
        with Progress(len(chosen), "report", "photos") as progress:
            shown, problems = _write_photos(work, run, store, found, items, chosen, panels, progress)
        index = {
            **view_settings(run),
            "at_once": AT_ONCE,
            "groups": groups([one for one, _ in shown], wanted.each),
            "photos": [
                _entry(one, details, number, panels) for number, (one, details) in enumerate(shown)
            ],
        }
        write_script(work, "index", index)
        write_page(work, run, found, len(shown), len(ranked))
        if target.exists():
            shutil.rmtree(target)
        work.replace(target)
    finally:
        shutil.rmtree(work, ignore_errors=True)
    return Report(target / "index.html", len(shown), len(ranked), len(list((target / "panels").iterdir())), problems)
