"""A run's captions of one split and their scores: what `attend bleu` writes."""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Sequence
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any, cast

import torch

from attend.data.manifest import Fingerprint
from attend.data.store_reader import FeatureStore
from attend.errors import UserError
from attend.score.decode import caption_images, split_items
from attend.score.kept import kept_captions, kept_families, kept_scores, write_kept
from attend.score.metrics.bleu import corpus_bleu
from attend.score.metrics.diversity import diversity, novel_captions
from attend.score.metrics.measured import Measured, TokenisedSet, Unmeasured
from attend.score.metrics.panel import DEFAULT, make_cells, measure
from attend.score.metrics.references import tokenise_references
from attend.score.metrics.scoring import tokenised_set
from attend.score.metrics.tokens import ptb_tokenise
from attend.score.scores import Scores
from attend.score.search.caption import Caption
from attend.train.config import SearchSettings
from attend.train.models.interface import Captioner
from attend.train.run import Run

TRAINING_SPLITS = ("train", "restval")


@dataclass(frozen=True)
class Evaluation:
    """One caption for each image of a split, in the order of the dataset, and what they score."""

    rows: list[dict[str, Any]]
    """`caption_record` of each image with its `sentence_bleu4`, 0 to 100, None where it has no references."""
    by_image: list[dict[str, Any]]
    """Every metric of each image that has references."""
    scores: Scores


def evaluate(
    run: Run,
    store: FeatureStore,
    split: str,
    settings: SearchSettings,
    device: torch.device,
    families: Sequence[str] = DEFAULT,
) -> Evaluation:
    """Caption every image of the split that has features, and score. UserError when the features do not fit the run.

    Captions that the run's folder holds already, of the same weights, features and search, are scored as they are.
    `families` are metrics of `panel.FAMILIES`; BLEU is always among them, and so are those that the folder has.
    """
    check_fingerprint(run, store)
    items = split_items(store, split)
    references = tokenise_references({item.image_id: item.captions for item in items})
    kept = kept_scores(run.folder, split, made_from(run, store), asdict(settings))
    if kept is not None:
        rows = kept_captions(run.folder, split)
    else:
        captioner, image_ids = cast(Captioner, run.model), [item.image_id for item in items]
        captions = caption_images(captioner, run.vocabulary, store, image_ids, settings, device, f"captions of {split}")
        rows = [caption_record(image_id, caption) for image_id, caption in captions.items()]
    texts = {row["image_id"]: row["caption"] for row in rows}
    scored = tokenised_set(list(texts.items()), references)
    bleu = corpus_bleu(scored.captions, scored.references) if scored.captions else None
    sentence_bleu = bleu.by_image if bleu else {}
    asked = tuple(dict.fromkeys(("bleu", *(kept_families(kept) if kept else ()), *families)))
    [results] = measure([scored], asked)
    training = [text for item in store.items if item.split in TRAINING_SPLITS for text in item.captions]
    novel = novel_captions(texts, training) if training else None
    tokens = scored.captions or dict(zip(texts, ptb_tokenise(list(texts.values())), strict=True))
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
        images=len(scored.captions),
        skipped=references.skipped,
        missing=tuple(item.image_id for item in store.missing if item.split == split),
        references=references.counts,
        empty_references=references.empty,
        foreign_references=references.foreign,
        unfinished=sum(not row["finished"] for row in rows),
        empty_captions=sum(not text for text in tokens.values()),
        bleu=bleu,
        families=asked,
        cells=make_cells(results),
        diversity=diversity(tokens, None if novel is None else len(novel) / len(texts)),
    )
    rows = [row | {"sentence_bleu4": _rounded(sentence_bleu.get(row["image_id"]))} for row in rows]
    return Evaluation(rows, per_image(scored, results, novel), scores)


def per_image(
    scored: TokenisedSet, results: Sequence[Measured | Unmeasured], novel: Collection[str] | None
) -> list[dict[str, Any]]:
    """What each scored image scores by itself: a record an image, ready for a line of JSON."""
    columns = {each.name: each.by_image.tolist() for each in results if isinstance(each, Measured)}
    return [
        {"image_id": image_id, "caption": caption, "words": len(caption.split())}
        | {name: _rounded(values[number]) for name, values in columns.items()}
        | ({} if novel is None else {"novel": image_id in novel})
        for number, (image_id, caption) in enumerate(scored.captions.items())
    ]


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


def already_scored(
    run: Run, store: FeatureStore, split: str, settings: SearchSettings, families: Sequence[str] = DEFAULT
) -> bool:
    """True when the run's folder holds the captions and scores that `evaluate` would make again."""
    record = kept_scores(run.folder, split, made_from(run, store), asdict(settings))
    if record is None or record["missing_without_features"]:
        return False
    failed = any(cell.get("missing", "").startswith("failed") for cell in record["metrics"].values())
    return set(families) <= set(record["metrics_asked"]) and not failed


def check_fingerprint(run: Run, store: FeatureStore) -> None:
    """UserError unless the store's annotations are made as those the run was trained on."""
    here, there = store.manifest.fingerprint, run.fingerprint
    named = [field.name for field in fields(Fingerprint) if field.name != "weights"]  # their hash says which they are
    names = [name for name in named if getattr(here, name) != getattr(there, name)]
    if names:
        differing = "; ".join(f"{name}: {getattr(here, name)}, not {getattr(there, name)}" for name in names)
        raise UserError(f"{store.folder} does not hold the features {run.folder.name} was trained on ({differing})")


def write_evaluation(evaluation: Evaluation, folder: Path) -> tuple[Path, Path, Path]:
    """Write captions, scores and scores of single images into the run's folder; returns `evaluation_paths`."""
    scores = evaluation.scores
    return write_kept(folder, scores.split, evaluation.rows, scores.to_record(), evaluation.by_image)


def caption_record(image_id: str, caption: Caption) -> dict[str, Any]:
    """A caption as plain data: COCO's `image_id` and `caption`, then what the model thought at each word."""
    return {
        "image_id": image_id,
        "caption": caption.text,
        "words": list(caption.words),
        "word_log_probs": [_rounded(float(value)) for value in caption.word_log_probs],
        "probabilities": [_rounded(float(value)) for value in caption.probabilities],
        "gates": [_rounded(float(value)) for value in caption.gates],
        "log_prob": _rounded(caption.log_prob),
        "finished": caption.finished,
    }


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 4)
