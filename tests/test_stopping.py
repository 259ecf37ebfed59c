"""Selection and patience."""

from __future__ import annotations

from attend.train.config import OptimSettings
from attend.train.stopping import Position


def test_the_best_is_kept_and_patience_counts_validations_since():
    position, settings = Position(), OptimSettings(patience=2, epochs=9)
    assert [position.judge(score, -2.0) for score in (0.0, 5.0, 5.0)] == [True, True, False]
    assert position.reason_to_stop(settings) is None
    position.judge(4.0, -1.0)
    assert position.reason_to_stop(settings) == "no better validation in 2: optim.patience=2"


def test_of_equal_scores_the_likelier_is_better_and_starts_patience_anew():
    position, settings = Position(), OptimSettings(patience=2, epochs=9)
    judged = [position.judge(0.0, likelihood) for likelihood in (-4.0, -3.9, -3.9, -3.5)]
    assert judged == [True, True, False, True]
    assert position.reason_to_stop(settings) is None
    assert position.judge(0.1, -9.0)


def test_epochs_end_a_run():
    settings = OptimSettings(epochs=3)
    assert Position(epoch=2).reason_to_stop(settings) is None
    assert Position(epoch=3).reason_to_stop(settings) == "all 3 epochs done"
