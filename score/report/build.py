"""The HTML report of a run: one folder that opens anywhere, without a network."""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from pathlib import Path

from attend.data.atomic import partial_path
from attend.data.items import Problem
from attend.data.store_reader import FeatureStore
from attend.errors import UserError
from attend.progress import Progress
from attend.score.evaluation import check_fingerprint
from attend.score.report.chosen import METRICS, by_score, choose, groups, panel_ids
from attend.score.report.data_files import AT_ONCE, write_script
from attend.score.report.files import read_run_files
from attend.score.report.page import write_page
from attend.score.report.photos import PhotoWriter
from attend.score.viewer.view import view_settings
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
    examples = {
        name: [ranked[place].image_id for place in places] for name, places in groups(ranked, wanted.each).items()
    }
    named = [image_id for ids in examples.values() for image_id in ids]
    panels = panel_ids(ranked, named, wanted.panels, wanted.named_panels)
    chosen = choose(ranked, wanted.photos, {*named, *panels})
    target = run.folder / "report"
    work = partial_path(target)
    try:
        for name in FOLDERS:
            (work / name).mkdir(parents=True)
        writer = PhotoWriter(work, run, store, found.search, items, panels)
        with Progress(len(chosen), "report", "photos") as progress:
            shown = dict(writer.write(chosen, progress))
        numbers = {chosen[number].image_id: number for number in shown}
        index = {
            **view_settings(run),
            "at_once": AT_ONCE,
            "metrics": [name for name in METRICS if any(name in entry["scores"] for entry in shown.values())],
            "groups": {name: [numbers[each] for each in ids if each in numbers] for name, ids in examples.items()},
            "photos": [entry | {"number": number} for number, entry in shown.items()],
        }
        write_script(work, "index", index)
        write_page(work, run, found, len(shown), len(ranked))
        if target.exists():
            shutil.rmtree(target)
        work.replace(target)
    finally:
        shutil.rmtree(work, ignore_errors=True)
    return Report(target / "index.html", len(shown), len(ranked), writer.panels_written, writer.problems)
