"""Variance of the hard-attention gradient by estimator: `python bench/gradient_variance.py [STORE] [--run RUN]`.

STORE is the folder of a feature store with training captions; without it features and captions are drawn at random.
All estimators see the same mini-batch, of one caption length, and the same weights: those of RUN (soft or hard), or
fresh ones. Dropout and the entropy term are off and every caption is sampled, so that only the places vary. λ_r is 1,
and for the authors' reward per word the number of words, which makes all of them estimates of one gradient: that of
the paper's bound (eq. 10-11). The variance is the trace of the covariance over the attention's weights; the moving
baseline has seen other mini-batches before, as in training.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path
from typing import Protocol

import click
import numpy as np
import torch
from torch import Tensor

from attend.data.store_reader import FeatureStore
from attend.data.vocabulary import Vocabulary
from attend.data.words import join
from attend.train.annotations import AnnotationSource
from attend.train.batches import plan_batches
from attend.train.config import LossSettings, ModelSettings, TrainConfig
from attend.train.examples import Examples, make_examples, training_captions
from attend.train.hard_settings import HardSettings
from attend.train.losses.hard_objective import HardObjective
from attend.train.losses.reinforce import REWARDS, MovingBaseline
from attend.train.models.hard_attention import HardAttentionLSTM
from attend.train.models.interface import Batch
from attend.train.run import load_run

ESTIMATORS = {
    "the paper's": ("caption", "moving", 1),
    "the authors'": ("word", "moving", 1),
    "remaining words": ("remaining", "moving", 1),
    "the paper's, N = 4": ("caption", "moving", 4),
    "leave one out, N = 2": ("caption", "leave_one_out", 2),
    "both, N = 2": ("remaining", "leave_one_out", 2),
    "both, N = 4": ("remaining", "leave_one_out", 4),
}


class Source(Protocol):
    """Annotations by row."""

    def read(self, rows: np.ndarray) -> Tensor:
        """Rows (B,) → (B, L, D)."""
        ...


class RandomSource:
    """Features of no photo: 196 places, 512 channels, most of them 0."""

    def read(self, rows: np.ndarray) -> Tensor:
        """See `Source`."""
        photos = [np.random.default_rng(row).standard_normal((196, 512), dtype=np.float32) - 1.5 for row in rows]
        return torch.from_numpy(np.stack(photos)).clamp(min=0)


def random_examples(captions: int = 800, words: int = 200) -> Examples:
    """Captions of 6 to 14 random words."""
    chance = np.random.default_rng(1)
    ids = [np.append(chance.integers(2, words, size=chance.integers(6, 15)), 0) for _ in range(captions)]
    return Examples(tuple(map(str, range(captions))), np.arange(captions), tuple(ids), 0)


@click.command(help=__doc__)
@click.argument("store", required=False, type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.option("--run", type=click.Path(exists=True, file_okay=False, path_type=Path), help="weights to measure at")
@click.option("--captions", default=8, show_default=True, help="captions in the mini-batch")
@click.option("--draws", default=10, show_default=True, help="estimates by each estimator")
@click.option("--warm", default=60, show_default=True, help="mini-batches the moving baseline has seen before")
def main(store: Path | None, run: Path | None, captions: int, draws: int, warm: int) -> None:
    source: Source
    trained = load_run(run) if run else None
    if store:
        features = FeatureStore(store)
        pairs = training_captions(features.items, ("train",))
        vocabulary = trained.vocabulary if trained else Vocabulary.build([join(words) for _, words in pairs])
        examples, words = make_examples(pairs, vocabulary, 100), len(vocabulary)
        source, channels = AnnotationSource(features, examples.image_ids, cache_share=0.0), features.channels
    else:
        examples, words, source, channels = random_examples(), 200, RandomSource(), 512
    torch.manual_seed(1)
    settings = trained.config.model if trained else ModelSettings(units=256, embedding=128)
    model = HardAttentionLSTM(settings, channels, words).eval()
    if trained:
        model.load_state_dict(trained.model.state_dict())
    plan = [batch for batch in plan_batches(examples.lengths, captions, "random", 1, 0) if len(batch) == captions]
    middle = int(np.median(examples.lengths))
    chosen = min(plan, key=lambda batch: abs(len(examples.words[batch[0]]) - middle))
    seen = [read(batch, examples, source) for batch in plan[:warm]]
    measured = read(chosen, examples, source)
    settled = settle(model, seen)
    steps = measured.words.shape[1]
    print(f"{captions} captions of {steps} steps, {draws} estimates each, weights {run or 'fresh'}")
    print(f"{'estimator':<32}{'reward':>10}{'baseline':>15}{'N':>3}{'variance':>12}{'of the paper':>14}{'s each':>8}")
    paper = 0.0
    for name, (reward, baseline, samples) in ESTIMATORS.items():
        weight = float(steps) if reward == "word" else 1.0
        hard = HardSettings(samples, 0.0, "image", reward, weight, baseline, entropy_weight=0.0)
        objective = HardObjective(TrainConfig(hard=hard, loss=LossSettings(0.0)))
        if baseline == "moving":
            objective.load_state_dict({"baseline": settled[reward]})
        started = time.perf_counter()
        variance = spread(model, objective, measured, draws)
        seconds = (time.perf_counter() - started) / draws
        paper = paper or variance
        print(
            f"{name:<32}{reward:>10}{baseline:>15}{samples:>3}{variance:>12.3g}{variance / paper:>14.2g}{seconds:>8.2f}"
        )


def read(captions: np.ndarray, examples: Examples, source: Source) -> Batch:
    """Captions of one length as a batch."""
    annotations = source.read(examples.images[captions]).float()
    words = torch.from_numpy(np.stack([examples.words[caption] for caption in captions]))
    return Batch(annotations, words, torch.full((len(captions),), words.shape[1]))


@torch.no_grad()
def settle(model: HardAttentionLSTM, batches: Sequence[Batch]) -> dict[str, float]:
    """The moving baseline of each reward after these mini-batches."""
    baselines = {reward: MovingBaseline(reward) for reward in REWARDS}
    for batch in batches:
        output = model.sample(batch, torch.ones(len(batch.words), dtype=torch.bool), samples=1)
        word_log_probs = output.log_probs.gather(-1, batch.words.unsqueeze(-1)).squeeze(-1)  # (B, T)
        for baseline in baselines.values():
            baseline.update(word_log_probs.unsqueeze(1), batch.lengths)
    return {reward: baseline.value for reward, baseline in baselines.items()}


def spread(model: HardAttentionLSTM, objective: HardObjective, batch: Batch, draws: int) -> float:
    """Sum of the variances of the gradient at the attention's weights, over `draws` estimates with one baseline."""
    weights = [weight for name, weight in model.named_parameters() if name.startswith("attention.")]
    settled = objective.state_dict()
    found = []
    for _ in range(draws):
        objective.load_state_dict(settled)
        gradients = torch.autograd.grad(objective(model, batch).minimised, weights)
        found.append(torch.cat([gradient.flatten() for gradient in gradients]))
    return torch.stack(found).var(dim=0).sum().item()


if __name__ == "__main__":
    main()
