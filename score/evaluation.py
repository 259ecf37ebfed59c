"""A run's captions of one split and their scores: what `attend bleu` writes."""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any, cast

import torch

from attend.data.atomic import write_atomically
from attend.data.manifest import Fingerprint
from attend.data.store_reader import FeatureStore
from attend.errors import UserError
from attend.score.decode import caption_images, split_items
from attend.score.metrics.references import tokenise_references
from attend.score.metrics.scoring import score_captions
from attend.score.scores import Scores
from attend.score.search.caption import Caption
from attend.train.config import SearchSettings
from attend.train.models.interface import Captioner
from attend.train.run import Run


@dataclass(frozen=True)
class Evaluation:
    """One caption for each image of a split, in the order of the dataset, and what they score."""

    captions: dict[str, Caption]
    sentence_bleu: dict[str, float]
    """BLEU-4 of each image that has references, 0 to 100."""
    scores: Scores


def evaluate(run: Run, store: FeatureStore, split: str, settings: SearchSettings, device: torch.device) -> Evaluation:
    """Caption every image of the split that has features, and score. UserError when the features do not fit the run."""
    check_fingerprint(run, store)
    items = split_items(store, split)
    references = tokenise_references({item.image_id: item.captions for item in items})
    image_ids = [item.image_id for item in items]
    captioner = cast(Captioner, run.model)
    captions = caption_images(captioner, run.vocabulary, store, image_ids, settings, device, f"captions of {split}")
    scored = score_captions([(image_id, caption.text) for image_id, caption in captions.items()], references)
    scores = Scores(
        run=run.folder.name,
        dataset=store.manifest.dataset,
        split=split,
        variant=run.variant,
        step=None if run.members else run.step,
        seed=None if run.members else run.config.optim.seed,
        members=tuple(map(_member_record, run.members)),
        search=asdict(settings),
        features=asdict(run.fingerprint),
        made_from=made_from(run, store),
        images=len(scored.bleu.by_image),
        skipped=references.skipped,
        missing=tuple(item.image_id for item in store.missing if item.split == split),
        references=references.counts,
        empty_references=references.empty,
        foreign_references=references.foreign,
        unfinished=sum(not caption.finished for caption in captions.values()),
        empty_captions=scored.empty,
        bleu=scored.bleu,
    )
    return Evaluation(captions, scored.bleu.by_image, scores)


def made_from(run: Run, store: FeatureStore) -> dict[str, Any]:
    """What a score depends on besides the search, as hashes."""
    features = hashlib.sha256("".join(shard.sha256 for shard in store.manifest.shards).encode()).hexdigest()
    return {"checkpoint": run.checkpoint_sha256, "items": store.items_identity, "features": features}


def _member_record(run: Run) -> dict[str, Any]:
    """What the scores of an ensemble say about one of its runs."""
    return {
        "run": run.folder.name,
        "variant": run.variant,
        "step": run.step,
        "seed": run.config.optim.seed,
        "checkpoint": run.checkpoint_sha256,
    }


def already_scored(run: Run, store: FeatureStore, split: str, settings: SearchSettings) -> bool:
    """True when the run's folder holds the captions and scores that `evaluate` would make again."""
    captions, scores = evaluation_paths(run.folder, split)
    try:
        record = json.loads(scores.read_text(encoding="utf-8"))
        json.loads(captions.read_text(encoding="utf-8"))
        same = (record["made_from"], record["search"]) == (made_from(run, store), asdict(settings))
        return same and not record["missing_without_features"]
    except (FileNotFoundError, ValueError, TypeError, KeyError):  # absent or damaged: made again
        return False


def evaluation_paths(folder: Path, split: str) -> tuple[Path, Path]:
    """Where a run's captions and scores of a split are."""
    return folder / f"captions-{split}.json", folder / f"scores-{split}.json"


def check_fingerprint(run: Run, store: FeatureStore) -> None:
    """UserError unless the store's annotations are made as those the run was trained on."""
    here, there = store.manifest.fingerprint, run.fingerprint
    named = [field.name for field in fields(Fingerprint) if field.name != "weights"]  # their hash says which they are
    names = [name for name in named if getattr(here, name) != getattr(there, name)]
    if names:
        differing = "; ".join(f"{name}: {getattr(here, name)}, not {getattr(there, name)}" for name in names)
        raise UserError(f"{store.folder} does not hold the features {run.folder.name} was trained on ({differing})")


def write_evaluation(evaluation: Evaluation, folder: Path) -> tuple[Path, Path]:
    """Write `captions-SPLIT.json` and `scores-SPLIT.json` into the run's folder; returns their paths."""
    captions, scores = evaluation_paths(folder, evaluation.scores.split)
    rows = [
        caption_record(image_id, caption) | {"sentence_bleu4": _rounded(evaluation.sentence_bleu.get(image_id))}
        for image_id, caption in evaluation.captions.items()
    ]
    lines = ",\n".join(json.dumps(row, ensure_ascii=False) for row in rows)
    write_atomically(captions, f"[\n{lines}\n]\n".encode())
    write_atomically(scores, (json.dumps(evaluation.scores.to_record(), ensure_ascii=False, indent=2) + "\n").encode())
    return captions, scores


def caption_record(image_id: str, caption: Caption) -> dict[str, Any]:
    """A caption as plain data: COCO's `image_id` and `caption`, then what the model thought at each word."""
    return {
        "image_id": image_id,
        "caption": caption.text,
        "words": list(caption.words),
        "word_log_probs": [_rounded(float(value)) for value in caption.word_log_probs],
        "gates": [_rounded(float(value)) for value in caption.gates],
        "log_prob": _rounded(caption.log_prob),
        "finished": caption.finished,
    }


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 4)
