"""The report's page and what it loads besides data: styles and programs."""

from __future__ import annotations

from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any

import jinja2
from markupsafe import Markup

from attend.data.atomic import write_atomically
from attend.score.report.files import RunFiles
from attend.score.report.learning import divergence, learning_curves
from attend.score.report.summary import about_the_table, headline, notes, score_table
from attend.score.viewer.view import looking
from attend.train.config_file import in_force
from attend.train.run import Run

STYLES = ("base.css", "viewer.css", "page.css", "table.css", "gallery.css", "detail.css")
PROGRAMS = (
    "light.js",
    "stage.js",
    "words.js",
    "viewer.js",
    "data.js",
    "slider.js",
    "filter.js",
    "cards.js",
    "gallery.js",
    "detail.js",
    "examples.js",
    "main.js",
)


def asset(name: str) -> Traversable:
    """A style or program, the report's own or the viewer's."""
    for package in ("attend.score.report", "attend.score.viewer"):
        found = files(package) / "web" / name
        if found.is_file():
            return found
    raise FileNotFoundError(name)


def write_page(folder: Path, run: Run, found: RunFiles, shown: int, captions: int) -> None:
    """Write `assets/` and `index.html`; `shown` of `captions` captions are in the report."""
    for name in (*STYLES, *PROGRAMS):
        (folder / "assets" / name).write_bytes(asset(name).read_bytes())
    environment = jinja2.Environment(
        loader=jinja2.FunctionLoader(lambda name: asset(name).read_text(encoding="utf-8")),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    content: dict[str, Any] = {
        "run": run,
        "looking": looking(run.variant),
        "split": found.split,
        "shown": shown,
        "captions": captions,
        "record": found.scores[0],
        "headline": headline(found.scores[0]),
        "table": score_table(found.scores),
        "notes": [line for record in found.scores for line in notes(record)],
        "about": about_the_table(found.scores),
        "curves": [(title, Markup(svg)) for title, svg in learning_curves(found.log)],
        "divergence": divergence(found.log),
        "settings": in_force(run.config, run.variant),
        "styles": STYLES,
        "programs": PROGRAMS,
    }
    page = environment.get_template("page.html").render(content)
    write_atomically(folder / "index.html", page.encode(errors="backslashreplace"))
