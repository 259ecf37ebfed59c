"""The photos of a report: copies to look at, the caption read back for its maps, and pictures of all words of some."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import torch
from PIL import Image

from attend.data.items import Item, Problem
from attend.data.store_reader import FeatureStore
from attend.device import cores
from attend.extract.framing import Framing, framing
from attend.extract.images import Preprocessing, prepare
from attend.extract.opening import PhotoError, decode_photo, load_photo, open_photo
from attend.progress import Progress
from attend.score.pictures.attention import draw_attention
from attend.score.read_back import read_back
from attend.score.report.chosen import Shown
from attend.score.report.data_files import AT_ONCE, write_script
from attend.score.report.photo_copies import write_copies
from attend.score.search.caption import Caption
from attend.score.seen import on_photo
from attend.score.viewer.view import view
from attend.train.config import SearchSettings
from attend.train.models.interface import Captioner
from attend.train.run import Run


class PhotoWriter:
    """Writes into `folder` what the page shows of each photo; `problems` are the photos that could not be read, or are
    no longer those that were captioned."""

    def __init__(
        self,
        folder: Path,
        run: Run,
        store: FeatureStore,
        search: SearchSettings,
        items: Mapping[str, Item],
        panels: Collection[str],
    ) -> None:
        self.folder, self.run, self.store, self.search = folder, run, store, search
        self.items, self.panels = items, panels
        self.preprocessing = Preprocessing.from_record(run.fingerprint.preprocessing)
        self.problems: list[Problem] = []
        self.panels_written = 0

    def write(self, chosen: Sequence[Shown], progress: Progress) -> Iterator[tuple[int, dict[str, Any]]]:
        """Write everything, `AT_ONCE` photos at a time; yields each photo's number and its entry in the index."""
        with ThreadPoolExecutor(cores(), thread_name_prefix="copies") as pool:
            for start in range(0, len(chosen), AT_ONCE):
                part = list(enumerate(chosen[start : start + AT_ONCE], start=start))
                copied = list(pool.map(self._copy, part))
                captions = self._read_back([one for _, one in part])
                maps: dict[int, dict[str, Any]] = {}
                for (number, one), frame, caption in zip(part, copied, captions, strict=True):
                    progress.update()
                    if isinstance(frame, PhotoError):
                        self.problems.append(frame.problem())
                        continue
                    item = self.items[one.image_id]
                    maps[number] = view(on_photo(caption, self.run.grid, frame)) | {"references": list(item.captions)}
                    panel = one.image_id in self.panels
                    if panel:
                        self._draw(number, item, caption)
                    yield number, _entry(one, frame, panel)
                write_script(self.folder, f"maps-{start // AT_ONCE}", maps)

    def _copy(self, numbered: tuple[int, Shown]) -> Framing | PhotoError:
        number, one = numbered
        path = self.items[one.image_id].path
        try:
            content, now = load_photo(path)
            made_of = self.store.photo_file(one.image_id)
            if made_of and made_of.sha256 != now.sha256:
                raise PhotoError(path, "is not the photo its features were made of: restore it, or `make features`")
            photo = decode_photo(path, content, self.preprocessing.background)
        except PhotoError as error:
            return error
        write_copies(photo, self.folder, name_of(number))
        return framing(photo.size, self.preprocessing)

    def _read_back(self, shown: Sequence[Shown]) -> list[Caption]:
        """The captions with the attention that the search had: hard attention looks again where it looked then.

        What was cut has no end word: its total, and that it was cut, are those of the search.
        """
        device = next(iter(self.run.model.parameters())).device
        annotations = torch.from_numpy(self.store.read([one.image_id for one in shown])).to(device).float()  # (B, L, D)
        texts = [tuple(one.record["words"]) for one in shown]
        captioner = cast(Captioner, self.run.model)
        read = read_back(captioner, annotations, texts, self.run.vocabulary, self.search)
        return [
            replace(caption, log_prob=one.record["log_prob"], finished=one.record["finished"])
            for caption, one in zip(read, shown, strict=True)
        ]

    def _draw(self, number: int, item: Item, caption: Caption) -> None:
        photo = prepare(open_photo(item.path, self.preprocessing.background), self.preprocessing)
        seen = Image.fromarray(photo.permute(1, 2, 0).numpy())
        picture = draw_attention(seen, caption.words, caption.attention, caption.gates, self.run.grid, caption.text)
        picture.save(self.folder / "panels" / f"{name_of(number)}.png")
        self.panels_written += 1


def name_of(number: int) -> str:
    """The name of a photo's files in the report."""
    return f"{number:05d}"


def _entry(one: Shown, frame: Framing, panel: bool) -> dict[str, Any]:
    """What the gallery knows of a photo before its maps are loaded."""
    return {
        "id": one.image_id,
        "words": list(one.record["words"]),
        "scores": {name: round(score, 2) for name, score in one.scores.items()},
        "log_prob": round(one.record["log_prob"], 2),
        "size": [frame.width, frame.height],
        "panel": panel,
    }
