"""What `attend score` was asked for: where captions and references are, and the table of their scores."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from attend.data.store_reader import FeatureStore
from attend.errors import UserError
from attend.score.coco_files import ReferenceFile, match, read_references, read_results
from attend.score.decode import split_items
from attend.score.evaluation import TRAINING_SPLITS
from attend.score.kept import evaluation_paths
from attend.score.metrics.references import tokenise_references
from attend.score.score_rows import Source, compare_rows, score_rows
from attend.score.score_table import Comparison, ScoreTable
from attend.score.seeds import differences, spread


@dataclass(frozen=True)
class Job:
    """Captions by file or by run, references by file or by dataset and split."""

    references: Path | None
    results: tuple[Path, ...]
    runs: tuple[str, ...]
    dataset: str | None
    encoder: str | None
    split: str
    artifacts: Path

    def caption_files(self) -> dict[str, Path]:
        """Name of a row to its captions. UserError: a run is not captioned yet, or two rows have one name."""
        files = [(path.stem, path) for path in self.results]
        for run in self.runs:
            path = evaluation_paths(self.artifacts / "runs" / run, self.split)[0]
            if not path.is_file():
                raise UserError(f"{path} is not there: run `make bleu RUN={run} SPLIT={self.split}` first")
            files.append((run, path))
        if len(dict(files)) < len(files):
            files = [(str(path), path) for _, path in files]
        if len(dict(files)) < len(files):
            raise UserError("the same captions are named twice")
        return dict(files)


def run_job(job: Job, families: Sequence[str], resamples: int, compare: bool, human: bool) -> ScoreTable:
    """Read, score, compare. UserError where a number would be wrong."""
    files = job.caption_files()
    dataset = job.dataset or (_dataset_of(job) if job.runs else None)
    if job.references is not None:
        reference_file, source, training = read_references(job.references), str(job.references), []
    elif dataset is not None:
        store = _store(job, dataset)
        items = split_items(store, job.split)
        reference_file = ReferenceFile({item.image_id: list(item.captions) for item in items}, {})
        source = f"{dataset}, split {job.split} (store {store.folder.name})"
        training = [text for item in store.items if item.split in TRAINING_SPLITS for text in item.captions]
    else:
        raise UserError("no references: name a COCO captions file with --references, or a dataset with --dataset")
    sources = []
    for name, path in files.items():
        results = read_results(path)
        sources.append(Source(name, match(results, reference_file), results.unfinished))
    references = tokenise_references(reference_file.captions)
    rows = score_rows(sources, references, families, resamples, human, training)
    pairs = [(rows[0], row) for row in rows[1 : len(sources)]] if compare else []
    comparisons = [Comparison(a.name, b.name, compare_rows(a, b, resamples)) for a, b in pairs]
    remarks: list[str] = []
    spreads = []
    if len(job.runs) > 1:
        differing = _differences(job)
        if differing:
            remarks.append(f"no mean over seeds: the runs differ in {', '.join(differing)}")
        else:
            spreads = spread([row.cells for row in rows[len(job.results) : len(sources)]])
    return ScoreTable(source, dataset, references, rows, resamples, comparisons, spreads, remarks)


def _differences(job: Job) -> tuple[str, ...]:
    """What differs between the runs besides their seeds, the search that found the captions included."""
    folders = [job.artifacts / "runs" / run for run in job.runs]
    together = [folder.name for folder in folders if not (folder / "config.toml").is_file()]
    if together:
        return (f"kind ({together[0]} is an ensemble)",)
    searches = [_scores_record(folder, job.split)["search"] for folder in folders]
    return (*differences(folders), *(() if all(each == searches[0] for each in searches) else ("search",)))


def _dataset_of(job: Job) -> str:
    """The dataset the first run was scored on."""
    return str(_scores_record(job.artifacts / "runs" / job.runs[0], job.split)["dataset"])


def _scores_record(folder: Path, split: str) -> dict:
    path = evaluation_paths(folder, split)[1]
    try:
        record: dict = json.loads(path.read_text(encoding="utf-8"))
        return {"search": record["search"], "dataset": record["dataset"]}
    except FileNotFoundError:
        raise UserError(f"{path} is not there: run `make bleu RUN={folder.name} SPLIT={split}` first") from None
    except (ValueError, TypeError, KeyError) as error:
        raise UserError(
            f"{path} is damaged ({error!r}): run `make bleu RUN={folder.name} SPLIT={split}` again"
        ) from None


def _store(job: Job, dataset: str) -> FeatureStore:
    """A store of the dataset; any encoder's has the same captions."""
    folder = job.artifacts / "features" / dataset
    stores = sorted(path.parent for path in folder.glob(f"{job.encoder or '*'}/manifest.json"))
    if not stores:
        raise UserError(f"no feature store in {folder}: run `make features DATASET={dataset}` first")
    return FeatureStore(stores[0])
