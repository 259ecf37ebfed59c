"""Selection and patience."""

from __future__ import annotations

from attend.train.config import OptimSettings
from attend.train.stopping import Position


def test_the_best_is_kept_and_patience_counts_validations_since():
    position, settings = Position(), OptimSettings(patience=2, epochs=9)
    assert [position.judge(score) for score in (0.0, 5.0, 5.0)] == [True, True, False]
    assert position.reason_to_stop(settings) is None
    position.judge(4.0)
    assert position.reason_to_stop(settings) == "no better validation in 2: optim.patience=2"


def test_epochs_end_a_run():
    settings = OptimSettings(epochs=3)
    assert Position(epoch=2).reason_to_stop(settings) is None
    assert Position(epoch=3).reason_to_stop(settings) == "all 3 epochs done"
