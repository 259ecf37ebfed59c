"""The training loop: epochs, validations, checkpoints, stopping."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from signal import Signals

import numpy as np
import torch
from torch import nn

from attend.device import PRECISIONS
from attend.progress import Progress, say
from attend.train import ranks
from attend.train.annotations import AnnotationSource
from attend.train.batches import plan_batches
from attend.train.checkpoint import random_states, read_checkpoint, restore_random_states, write_checkpoint
from attend.train.config import TrainConfig
from attend.train.examples import Examples
from attend.train.log import RunLog, SilentLog
from attend.train.losses.objective import Objective
from attend.train.meter import Meter
from attend.train.optimizer import WeightAverage, build_optimizer, set_learning_rate
from attend.train.share import share_of
from attend.train.step import train_step
from attend.train.stop_signals import StopSignals
from attend.train.stopping import Position
from attend.train.stream import BatchStream
from attend.train.validating import Validate

LOG_EVERY = 20
"""Steps that one log line sums up."""


@dataclass(frozen=True)
class FitResult:
    """How training ended. `finished` is false when a signal stopped it early (`last.pt` holds the place)."""

    position: Position
    reason: str
    finished: bool


class Fit:
    """One run in progress: everything that `last.pt` must hold to go on exactly."""

    def __init__(
        self,
        model: nn.Module,
        objective: Objective,
        config: TrainConfig,
        examples: Examples,
        source: AnnotationSource,
        validate: Validate,
        folder: Path,
        device: torch.device,
        precision: str,
        versions: Mapping[str, str],
    ) -> None:
        self.model, self.config, self.examples, self.source = model.to(device), config, examples, source
        self.validate, self.folder, self.device, self.precision = validate, folder, device, precision
        self.versions = dict(versions)
        self.objective, self.optimizer = objective, build_optimizer(model, config.optim)
        self.average = WeightAverage(model, config.optim.averaging) if config.optim.averaging else None
        self.position = Position()
        self.log_size = 0
        self.saved = False

    def resume(self) -> None:
        """Take everything back from `last.pt`."""
        saved = read_checkpoint(self.folder / "last.pt", self.device)
        self.model.load_state_dict(saved["model"])
        self.optimizer.load_state_dict(saved["optimizer"])
        self.objective.load_state_dict(saved.get("objective", {}))
        if self.average is not None:
            self.average.load_state_dict(saved["average"])
        self.position = Position(**saved["position"])
        self.log_size = saved["log_size"]
        restore_random_states(saved["random"], self.device)
        self.saved = True

    def run(self) -> FitResult:
        """Train until the epochs or the patience are used up, or SIGTERM / Ctrl-C asks to stop."""
        position = self.position
        log = RunLog(self.folder, self.log_size, position.step) if ranks.first() else SilentLog()
        ranks.wait_for_all()
        with log as self.log, StopSignals(patient=ranks.launched()) as self.stop:
            self.log.write("start", position.step, **self.versions)
            while True:
                reason = position.reason_to_stop(self.config.optim)
                if position.validated < position.step and (reason or position.step % self._steps_between() == 0):
                    self._save()  # what was learned must not hang on the validation
                    self._validate()
                    self._save()
                elif reason:
                    self.log.write("end", position.step, reason=reason, best=position.best)
                    return FitResult(position, reason, finished=True)
                else:
                    self._train()
                [asked] = ranks.largest(self.stop.asked)
                if asked:
                    self._save()
                    ranks.wait_for_all()  # whoever started the processes may end all of them when one ends
                    return FitResult(position, f"{Signals(asked).name} at step {position.step}", finished=False)

    def _plan(self) -> list[np.ndarray]:
        """The mini-batches of the current epoch."""
        batches = self.config.batches
        return plan_batches(
            self.examples.lengths, batches.size, batches.order, self.config.optim.seed, self.position.epoch
        )

    def _steps_between(self) -> int:
        """Steps between validations. Every epoch has as many mini-batches as the first."""
        return max(1, round(self.config.validation.every * len(self._plan())))

    def _train(self) -> None:
        """Mini-batches from the current position until the epoch ends, a validation is due or a signal came."""
        config, position = self.config, self.position
        plan, between = self._plan(), self._steps_between()
        shares = [share_of(len(captions), ranks.rank(), ranks.world()) for captions in plan[position.batch :]]
        mine = [captions[share.rows] for captions, share in zip(plan[position.batch :], shares, strict=True)]
        stream = BatchStream(mine, self.examples, self.source, self.device, PRECISIONS[self.precision])
        meter = Meter(stream)
        saved = time.monotonic()
        self.model.train()
        label = f"epoch {position.epoch + 1} of {config.optim.epochs}"
        with Progress(len(self.examples.words), label, "captions", shown=ranks.first()) as bar:
            bar.skip(sum(len(captions) for captions in plan[: position.batch]))
            for share, batch in zip(shares, stream, strict=True):
                rate = set_learning_rate(self.optimizer, config.optim, position.epoch, position.step)
                meter.add(
                    train_step(
                        self.model,
                        batch,
                        self.objective,
                        config,
                        self.optimizer,
                        self.average,
                        self.precision,
                        share,
                        self.saved,
                    )
                )
                position.batch, position.step = position.batch + 1, position.step + 1
                bar.update(share.total)
                asked, late = ranks.largest(self.stop.asked, time.monotonic() - saved > 60 * config.optim.save_minutes)
                over = position.batch == len(plan) or position.step % between == 0 or asked
                if over or late or len(meter.results) == LOG_EVERY:
                    figures = meter.take()
                    self.log.write("step", position.step, epoch=position.epoch + 1, learning_rate=rate, **figures)
                    bar.notes = f"loss {figures['loss']:.2f}, data wait {figures['data_wait']:.1%}"
                if position.batch == len(plan):
                    position.epoch, position.batch = position.epoch + 1, 0
                if over:
                    return
                if late:
                    self._save()
                    saved = time.monotonic()

    def _validate(self) -> None:
        """Caption the validation photos with the weights that would be kept; keep them if they are the best so far."""
        average = self.average.in_place_of(self.model) if self.average else contextlib.nullcontext()
        states = random_states(self.device)
        with average:
            self.model.eval()
            started = time.monotonic()
            scores = self.validate(self.model)
            seconds = time.monotonic() - started
            better = self.position.judge(*ranks.of_first(scores.standing))
            if better and ranks.first():
                content = {"model": self.model.state_dict(), "step": self.position.step, "bleu4": scores.bleu4}
                write_checkpoint(self.folder / "best.pt", content)
        restore_random_states(states, self.device)
        self.model.train()
        figures = scores.as_log()
        self.log.write(
            "validation",
            self.position.step,
            epoch=self.position.epoch,
            seconds=round(seconds, 1),
            kept=better,
            **figures,
        )
        for name, picture in scores.pictures:
            self.log.picture(f"validation/{name}", self.position.step, picture)
        best = "  (best so far)" if self.position.since_best == 0 else ""
        shown = "  ".join(f"{name} {value:.2f}" for name, value in figures.items() if isinstance(value, float))
        if ranks.first():
            say(f"validation at step {self.position.step}: {shown}{best}")

    def _save(self) -> None:
        """Write `last.pt`, for all processes."""
        self.saved = True
        if not ranks.first():
            return
        content = {
            "model": self.model.state_dict(),
            "optimizer": self.optimizer.state_dict(),
            "objective": self.objective.state_dict(),
            "average": None if self.average is None else self.average.state_dict(),
            "position": asdict(self.position),
            "random": random_states(self.device),
            "log_size": self.log.size,
        }
        write_checkpoint(self.folder / "last.pt", content)
