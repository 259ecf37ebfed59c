"""Scoring one caption an image against the references, with every image accounted for."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from attend.data.listing import some
from attend.errors import UserError
from attend.score.metrics.bleu import Bleu, corpus_bleu
from attend.score.metrics.measured import TokenisedSet
from attend.score.metrics.references import References
from attend.score.metrics.tokens import ptb_tokenise


@dataclass(frozen=True)
class Scored:
    """BLEU of the images that have references; `empty` captions came out without a word (they count, with length 0)."""

    bleu: Bleu
    empty: int


def score_captions(captions: Sequence[tuple[str, str]], references: References) -> Scored:
    """BLEU of (image id, caption) pairs. UserError as `tokenised_set`, and when no image has a reference."""
    tokens = tokenised_set(captions, references)
    if not references.tokens:
        raise UserError(
            f"none of the {len(captions)} captioned images has a reference caption: nothing to score against"
        )
    return Scored(
        corpus_bleu(tokens.captions, tokens.references), empty=sum(not text for text in tokens.captions.values())
    )


def tokenised_set(captions: Sequence[tuple[str, str]], references: References) -> TokenisedSet:
    """The captions, PTB-tokenised like the references, of the images that have some; in the order of the references.

    UserError, naming ids, for two captions of one image, an image with references and no caption, a caption of an image
    that is neither among the references nor the skipped.
    """
    counted = Counter(image_id for image_id, _ in captions)
    refuse([image_id for image_id, count in counted.items() if count > 1], "more than one caption")
    refuse([image_id for image_id in references.tokens if image_id not in counted], "references but no caption")
    known = references.tokens.keys() | set(references.skipped)
    refuse([image_id for image_id in counted if image_id not in known], "a caption but are not in the scored set")
    texts = dict(captions)
    tokens = ptb_tokenise([texts[image_id] for image_id in references.tokens])
    return TokenisedSet(dict(zip(references.tokens, tokens, strict=True)), references.tokens)


def refuse(image_ids: Sequence[str], what: str) -> None:
    """UserError that names the first of them and counts the rest; nothing when there are none."""
    if image_ids:
        raise UserError(f"these images have {what}: {some(list(map(repr, image_ids)))}")
