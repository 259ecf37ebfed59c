"""CIDEr-D: what pycocoevalcap and the COCO server compute under the name CIDEr.

Against CIDEr as first published it clips n-gram counts and lowers the score of a caption whose length differs from the
reference's (sigma 6). Document frequencies are counted over the references of the scored images, so a score depends on
which images are scored together; a resample of the images keeps the frequencies of all of them.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from attend.score.metrics.measured import Measured, TokenisedSet, mean_over_images

NAME = "CIDEr-D"
ONE_IMAGE = "0 for a single image, whatever the caption: every n-gram is in all (1 of 1) images, so its weight is log 1"


def cider(sets: Sequence[TokenisedSet]) -> list[list[Measured]]:
    """CIDEr-D of each set: the mean over its images, 0 to 1000."""
    return [[_cider(each)] for each in sets]


def _cider(each: TokenisedSet) -> Measured:
    from pycocoevalcap.cider.cider_scorer import CiderScorer

    scorer = CiderScorer()
    for image_id, caption in each.captions.items():
        scorer += (caption, list(each.references[image_id]))
    _, by_image = scorer.compute_score()
    return mean_over_images(NAME, 100 * np.asarray(by_image), ONE_IMAGE if len(each.captions) == 1 else "")
