"""Scoring one caption an image against the references, with every image accounted for."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from attend.errors import UserError
from attend.score.metrics.bleu import Bleu, corpus_bleu
from attend.score.metrics.references import References
from attend.score.metrics.tokens import ptb_tokenise

NAMED = 5


@dataclass(frozen=True)
class Scored:
    """BLEU of the images that have references; `empty` captions came out without a word (they count, with length 0)."""

    bleu: Bleu
    empty: int


def score_captions(captions: Sequence[tuple[str, str]], references: References) -> Scored:
    """Score (image id, caption) pairs. Captions are PTB-tokenised like the references.

    UserError, naming ids, for two captions of one image, an image with references and no caption, a caption of an image
    that is neither among the references nor the skipped; and when no image has a reference.
    """
    counted = Counter(image_id for image_id, _ in captions)
    _refuse([image_id for image_id, count in counted.items() if count > 1], "more than one caption")
    _refuse([image_id for image_id in references.tokens if image_id not in counted], "references but no caption")
    known = references.tokens.keys() | set(references.skipped)
    _refuse([image_id for image_id in counted if image_id not in known], "a caption but are not in the scored set")
    if not references.tokens:
        raise UserError(
            f"none of the {len(captions)} captioned images has a reference caption: nothing to score against"
        )
    scored = {image_id: text for image_id, text in captions if image_id in references.tokens}
    tokens = dict(zip(scored, ptb_tokenise(list(scored.values())), strict=True))
    return Scored(corpus_bleu(tokens, references.tokens), empty=sum(not text for text in tokens.values()))


def _refuse(image_ids: list[str], what: str) -> None:
    if image_ids:
        more = f" and {len(image_ids) - NAMED} more" if len(image_ids) > NAMED else ""
        raise UserError(f"these images have {what}: {', '.join(map(repr, image_ids[:NAMED]))}{more}")
