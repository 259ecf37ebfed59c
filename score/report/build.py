"""The HTML report of a run: one folder that opens anywhere, without a network."""

from __future__ import annotations

import json
import shutil
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Any

import jinja2
import numpy as np
from markupsafe import Markup
from PIL import Image

from attend.data.atomic import partial_path, write_atomically
from attend.data.items import Problem
from attend.data.store_reader import FeatureStore
from attend.errors import UserError
from attend.extract.images import PhotoError, Preprocessing, read_photo
from attend.progress import Progress
from attend.score.evaluation import check_fingerprint
from attend.score.pictures.attention import draw_attention
from attend.score.pictures.enlarge import spreading
from attend.score.report.curves import Line, curves_svg
from attend.score.report.examples import GROUPS, Example, choose, make_example
from attend.score.report.files import RunFiles, read_run_files
from attend.train.config_file import in_force
from attend.train.run import Run

PIXELS = 112
"""Side of the light map that the page computes from a grid of weights; the browser scales it to the photo."""
JPEG_QUALITY = 92


@dataclass(frozen=True)
class Report:
    """Where the report is, how many captions it shows, and the photos it could not show."""

    page: Path
    shown: int
    problems: list[Problem]


def build_report(run: Run, store: FeatureStore, split: str | None = None, each: int = 6) -> Report:
    """Write `report/` into the run's folder: `index.html`, `photos/`, `attention/`. `each`: captions of each group.

    The folder appears, or takes the place of an older report, only when it is complete. UserError when captions are
    missing or do not belong to the run.
    """
    check_fingerprint(run, store)
    found = read_run_files(run, split)
    items = {item.image_id: item for item in store.items}
    if strangers := [caption["image_id"] for caption in found.captions if caption["image_id"] not in items]:
        raise UserError(
            f"{store.folder} lacks {strangers[0]}, which has a caption: run `make bleu SPLIT={found.split}` again"
        )
    preprocessing = Preprocessing.from_record(run.fingerprint.preprocessing)
    target = run.folder / "report"
    work = partial_path(target)
    problems: list[Problem] = []
    examples: list[Example] = []
    try:
        for name in ("photos", "attention"):
            (work / name).mkdir(parents=True)
        chosen = choose(found.captions, each)
        with Progress(len(chosen), "attention pictures", "captions") as progress:
            for group, caption in chosen:
                item = items[caption["image_id"]]
                try:
                    pixels = read_photo(item.path, preprocessing).pixels
                except PhotoError as error:
                    problems.append(error.problem())
                    continue
                example = make_example(run, store, item, group, caption, found.search)
                _write_pictures(
                    work, f"{len(examples):03d}", Image.fromarray(pixels.permute(1, 2, 0).numpy()), example, run
                )
                examples.append(example)
                progress.update()
        write_atomically(work / "index.html", _page(run, found, examples).encode())
        if target.exists():
            shutil.rmtree(target)
        work.replace(target)
    finally:
        shutil.rmtree(work, ignore_errors=True)
    return Report(target / "index.html", len(examples), problems)


def _write_pictures(folder: Path, name: str, photo: Image.Image, example: Example, run: Run) -> None:
    photo.save(folder / "photos" / f"{name}.jpg", quality=JPEG_QUALITY)
    picture = draw_attention(photo, example.words, example.attention, example.gates, run.grid, example.text)
    picture.save(folder / "attention" / f"{name}.png")


def _page(run: Run, found: RunFiles, examples: list[Example]) -> str:
    """The page, with its style, its program and the attention maps inside."""
    folder = files("attend.score.report")
    environment = jinja2.Environment(autoescape=True, undefined=jinja2.StrictUndefined, trim_blocks=True)
    template = environment.from_string((folder / "page.html").read_text(encoding="utf-8"))
    return template.render(
        run=run,
        split=found.split,
        scores=found.scores,
        curves=[Markup(svg) for svg in learning_curves(found.log) if svg],
        groups=[
            (group, [(n, example) for n, example in enumerate(examples) if example.group == group]) for group in GROUPS
        ],
        settings=in_force(run.config, run.variant),
        style=Markup((folder / "style.css").read_text(encoding="utf-8")),
        program=Markup((folder / "viewer.js").read_text(encoding="utf-8")),
        maps=Markup(_maps(run, examples)),
    )


def learning_curves(log: list[dict[str, Any]]) -> list[str]:
    """Loss per word and validation BLEU-4 over the steps, as SVG ("" for what the log does not tell)."""

    def line(name: str, kind: str, event: str, field: str) -> Line:
        return Line(name, kind, [(e["step"], e[field]) for e in log if e["kind"] == event and e.get(field) is not None])

    loss = [line("loss per word, training", "loss", "step", "loss_per_word")]
    bleu = [
        line("BLEU-4, validation", "with", "validation", "bleu4"),
        line("without penalty", "without", "validation", "bleu4_without_penalty"),
    ]
    return [curves_svg("training loss per word by step", loss), curves_svg("validation BLEU-4 by step", bleu, lowest=0)]


def _maps(run: Run, examples: list[Example]) -> str:
    """What the page's program needs, as JSON that cannot end its script element.

    Weights are 0 to 255 of the largest of their word; `down` and `across` spread rows and columns of places over
    PIXELS pixels. The program turns them into light as `pictures.enlarge.light` does.
    """
    rows, columns = run.grid
    content = {
        "pixels": PIXELS,
        "down": spreading(rows, PIXELS).round(5).tolist(),
        "across": spreading(columns, PIXELS).round(5).tolist(),
        "weights": [[_bytes(weights) for weights in example.attention] for example in examples],
    }
    return json.dumps(content, separators=(",", ":")).replace("<", "\\u003c")


def _bytes(weights: np.ndarray) -> list[int]:
    return (255 * weights / max(float(weights.max()), 1e-12)).round().astype(int).tolist()
