"""ROUGE-L: the longest common subsequence, pycocoevalcap's measure (beta 1.2, best precision and recall of any one)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from attend.score.metrics.measured import Measured, TokenisedSet, mean_over_images

NAME = "ROUGE-L"


def rouge(sets: Sequence[TokenisedSet]) -> list[list[Measured]]:
    """ROUGE-L of each set: the mean over its images, 0 to 100."""
    from pycocoevalcap.rouge.rouge import Rouge

    scorer = Rouge()
    scores = [
        [scorer.calc_score([caption], each.references[image_id]) for image_id, caption in each.captions.items()]
        for each in sets
    ]
    return [[mean_over_images(NAME, 100 * np.array(by_image))] for by_image in scores]
