"""Several runs as one captioner: the mean of their word distributions."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any, cast

import torch
from torch import Tensor, nn

from attend.data.manifest import Fingerprint
from attend.errors import UserError
from attend.score.search.context import with_context
from attend.train.config import SearchSettings
from attend.train.models.interface import Attention, Batch, Captioner, Decoding, Output
from attend.train.run import Run, load_run


@dataclass(frozen=True)
class EnsembleState:
    """The members' states; a row is the same caption in progress in all of them."""

    members: tuple[Decoding, ...]

    def select(self, rows: Tensor) -> EnsembleState:
        """See `Decoding.select`."""
        return EnsembleState(tuple(state.select(rows) for state in self.members))

    def keep(self, images: Tensor) -> EnsembleState:
        """See `Decoding.keep`."""
        return EnsembleState(tuple(state.keep(images) for state in self.members))


class Ensemble(nn.Module):
    """`Captioner` with p(word) = 1/M Σ_m p_m(word), the members M reading the same words.

    The attention and the gate it shows are the members' means.
    """

    def __init__(self, members: Sequence[Captioner]) -> None:
        super().__init__()
        self.members = nn.ModuleList(cast(Sequence[nn.Module], members))

    def looking(self, context: str, seed: int) -> Ensemble:
        """Every member with that context at test time, see `ChoosesPlaces`. UserError when one chooses no places."""
        settings = SearchSettings(context=context, seed=seed)
        return Ensemble([with_context(member, settings) for member in self._captioners()]).train(self.training)

    def start(self, annotations: Tensor, mask: Tensor | None = None) -> EnsembleState:
        """See `Captioner.start`."""
        return EnsembleState(tuple(member.start(annotations, mask) for member in self._captioners()))

    def step(self, state: EnsembleState, previous_words: Tensor) -> tuple[Tensor, EnsembleState, Attention]:
        """See `Captioner.step`."""
        pairs = zip(self._captioners(), state.members, strict=True)
        log_probs, states, looks = zip(*(member.step(own, previous_words) for member, own in pairs), strict=True)
        attention = Attention(_mean([look.weights for look in looks]), _mean([look.gate for look in looks]))
        return _mean_probability(log_probs), EnsembleState(states), attention

    def forward(self, batch: Batch) -> Output:
        """See `Captioner.forward`."""
        outputs = [member(batch) for member in self._captioners()]
        return Output(
            _mean_probability([output.log_probs for output in outputs]),
            _mean([output.attention for output in outputs]),
            _mean([output.gates for output in outputs]),
        )

    def _captioners(self) -> list[Captioner]:
        return [cast(Captioner, member) for member in self.members]


def _mean(tensors: Sequence[Tensor]) -> Tensor:
    return torch.stack(list(tensors)).mean(dim=0)


def _mean_probability(log_probs: Sequence[Tensor]) -> Tensor:
    """log of the mean of exp(log_probs), without leaving log space."""
    return torch.stack(list(log_probs)).logsumexp(dim=0) - math.log(len(log_probs))


def load_ensemble(folders: Sequence[Path], device: torch.device | str = "cpu") -> Run:
    """The run in one folder, or several as one: named A+B, with the search settings of the first.

    UserError: a run named twice, and members that do not share the vocabulary and the way their features are made.
    """
    if not folders:
        raise UserError("an ensemble needs at least one run")
    names = [folder.name for folder in folders]
    if twice := [name for name in names if names.count(name) > 1]:
        raise UserError(f"an ensemble has {twice[0]} twice: name every run once")
    first, *others = runs = [load_run(folder, device) for folder in folders]
    if not others:
        return first
    for other in others:
        if other.vocabulary.hash != first.vocabulary.hash:
            raise UserError(
                f"{other.folder.name} and {first.folder.name} have different vocabularies: the runs of an ensemble "
                "must be trained on the same captions with the same words.size and words.min_count"
            )
        if differing := _differing_features(first, other):
            raise UserError(
                f"{other.folder.name} and {first.folder.name} see different features ({differing}): the runs of an "
                "ensemble must be trained on one store"
            )
    folder = first.folder.with_name("+".join(names))
    if (folder / "config.toml").exists():
        raise UserError(f"{folder} is a run of its own: rename it, the ensemble's scores go there")
    model = Ensemble([cast(Captioner, run.model) for run in runs]).eval()
    hashes = hashlib.sha256("".join(run.checkpoint_sha256 for run in runs).encode()).hexdigest()
    return replace(first, folder=folder, variant="ensemble", model=model, checkpoint_sha256=hashes, members=tuple(runs))


def _differing_features(one: Run, other: Run) -> str:
    """What is not equal in the features of two runs, in words; "" when they are the same."""
    pairs: dict[str, tuple[Any, Any]] = {
        field.name: (getattr(one.fingerprint, field.name), getattr(other.fingerprint, field.name))
        for field in fields(Fingerprint)
    }
    pairs["grid"] = one.grid, other.grid
    return "; ".join(f"{name}: {there}, not {here}" for name, (here, there) in pairs.items() if here != there)
