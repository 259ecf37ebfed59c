"""One optimiser step: forward, loss, backward, update."""

from __future__ import annotations

from dataclasses import dataclass, field

import torch
from torch import Tensor, nn

from attend.device import PRECISIONS
from attend.errors import UserError
from attend.train import ranks
from attend.train.config import TrainConfig
from attend.train.losses.objective import Objective
from attend.train.models.interface import Batch
from attend.train.optimizer import WeightAverage
from attend.train.own_words import read_own_words
from attend.train.share import Share, computing, share_of


class NonFiniteLossError(UserError):
    """The loss or its gradient is not finite: training stopped before the step that would have spoilt the weights."""


@dataclass(frozen=True)
class StepResult:
    """Figures of one mini-batch, or of the share of it that one process computed."""

    loss: float  # what was minimised: mean over captions
    words_loss: float  # nats per caption, summed over steps, without smoothing
    gradient_norm: float
    captions: int
    words: int
    figures: dict[str, float]  # the objective's own, and `attention_gradient_norm` where attention has weights
    counts: dict[str, float] = field(default_factory=dict)  # see `Loss`


def train_step(
    model: nn.Module,
    batch: Batch,
    objective: Objective,
    config: TrainConfig,
    optimizer: torch.optim.Optimizer,
    average: WeightAverage | None,
    precision: str,
    share: Share | None = None,
    saved: bool = False,
) -> StepResult:
    """Minimise the objective by one step. `share` is what `batch` is of the mini-batch; None: all of it.

    NonFiniteLossError; `saved` says whether there is a `last.pt` to go on from then.
    """
    share = share or share_of(len(batch.words))
    device = batch.annotations.device

    def autocast() -> torch.autocast:  # a new one each time: what is cached without gradient must not be used with it
        return torch.autocast(device.type, PRECISIONS[precision], enabled=precision != "float32")

    with computing(share):
        if config.optim.scheduled_sampling:
            with autocast():
                batch = read_own_words(model, batch, config.optim.scheduled_sampling)
        with autocast():
            loss = objective(model, batch)
    optimizer.zero_grad(set_to_none=True)
    minimised = loss.minimised * share.weight
    minimised.backward()
    minimised = sum_gradients(list(model.parameters()), minimised)
    figures = {name: float(value) for name, value in loss.figures.items()}
    if attention := attention_gradients(model):
        figures["attention_gradient_norm"] = nn.utils.get_total_norm(attention).item()
    norm = nn.utils.clip_grad_norm_(model.parameters(), config.optim.clip_norm or float("inf"))
    for name, value in (("loss", minimised), ("norm of the gradient", norm)):
        if not torch.isfinite(value):
            [damaged] = ranks.largest(not torch.isfinite(batch.annotations).all())
            raise NonFiniteLossError(_told(f"{name} became {value.item()}", bool(damaged), config, saved))
    optimizer.step()
    if average is not None:
        average.update(model)
    return StepResult(
        loss.minimised.item(),
        loss.words.item(),
        norm.item(),
        share.counted,
        int(batch.lengths.sum()) if share.counted else 0,
        figures,
        {name: float(count) if share.counted else 0.0 for name, count in loss.counts.items()},
    )


def _told(what: str, damaged: bool, config: TrainConfig, saved: bool) -> str:
    """What is not finite, why, and the cure. `damaged`: the annotations themselves are not."""
    if damaged:
        return f"the {what}, because annotations are not finite: the store is damaged, run `make verify`"
    cure = f'SET="optim.learning_rate=…" below {config.optim.learning_rate:g} or "optim.clip_norm=5"'
    if saved:
        return f"the {what}; last.pt holds the last good weights: go on from it with RESUME=1 and {cure}"
    return f"the {what} before the first checkpoint: begin again with {cure}"


def sum_gradients(weights: list[nn.Parameter], loss: Tensor) -> Tensor:
    """Sum the gradients over the processes, in place, and the loss, which is returned.

    A weight that no process has a gradient of keeps none.
    """
    there = torch.tensor([weight.grad is not None for weight in weights]).to(loss)
    gradients = [torch.zeros_like(weight) if weight.grad is None else weight.grad for weight in weights]
    loss, there, *gradients = ranks.total([loss.detach(), there, *gradients])
    for weight, gradient, anywhere in zip(weights, gradients, there.tolist(), strict=True):
        weight.grad = gradient if anywhere else None
    return loss


def attention_gradients(model: nn.Module) -> list[Tensor]:
    """The gradients of the weights that score places; empty where nothing does."""
    return [
        weight.grad
        for name, weight in model.named_parameters()
        if name.startswith("attention.") and weight.grad is not None
    ]
