"""The past of a caption, read backwards from the step it left the search at."""

from __future__ import annotations

import torch

from attend.score.search.history import History


def test_captions_of_different_lengths_and_a_photo_that_was_left_out() -> None:
    """Two photos with two places each. Photo 0 is left out after step 2, so rows 2, 3 become 0, 1.

    Row: words said so far. Step 1: 0 [5], 1 [6], 2 [7], 3 [8]; step 2: 0 [5 1], 1 [5 2], 2 [8 3], 3 [7 4];
    step 3, of rows 2 and 3 alone: 0 [7 4 9], 1 [8 3 0].
    """
    history = History()
    add(history, words=[5, 6, 7, 8], parents=[0, 0, 1, 1], looks=2)
    add(history, words=[1, 2, 3, 4], parents=[0, 0, 3, 2], looks=4)
    add(history, words=[9, 0], parents=[1, 0], looks=2, origins=[2, 3])
    said = history.said(torch.tensor([3, 2, 1, 3]), torch.tensor([0, 1, 3, 1]))
    words = [row[:length] for row, length in zip(said.words.tolist(), [3, 2, 1, 3], strict=True)]
    assert words == [[7, 4, 9], [5, 2], [8], [8, 3, 0]]
    assert torch.equal(said.log_probs[0], -said.words[0].float()) and torch.equal(
        said.log_probs[3], -said.words[3].float()
    )
    # Each word was looked for by the caption it continues: the row of step t - 1, 10 t + row in the mark.
    assert said.attention[0, :, 0].tolist() == [11.0, 22.0, 31.0]
    assert said.gates[0].tolist() == [-11.0, -22.0, -31.0]
    assert said.attention[1, :2, 0].tolist() == [10.0, 20.0]


def add(history: History, words: list[int], parents: list[int], looks: int, origins: list[int] | None = None) -> None:
    """A step whose attention and gate name it and the row that looked; log p is minus the word."""
    number = len(history) + 1
    marks = torch.arange(looks) + 10.0 * number
    history.add(
        torch.tensor(words),
        -torch.tensor(words).float(),
        torch.tensor(parents),
        marks.unsqueeze(1),
        -marks,
        None if origins is None else torch.tensor(origins),
    )
