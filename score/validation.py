"""The judge of a captioner in training: corpus BLEU of captions it finds by itself, exactly as `attend bleu` scores."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import cast

import torch
from PIL import Image
from torch import nn

from attend.data.store_reader import FeatureStore
from attend.data.vocabulary import Vocabulary
from attend.errors import UserError
from attend.extract.images import Preprocessing
from attend.score.decode import caption_images, share_of_photos, split_items
from attend.score.likelihood import caption_likelihoods, per_word
from attend.score.metrics.bleu import ORDERS, Bleu
from attend.score.metrics.references import tokenise_references
from attend.score.metrics.scoring import score_captions
from attend.score.pictures.samples import sample_pictures
from attend.score.search.rules import make_rules
from attend.train import ranks
from attend.train.config import TrainConfig
from attend.train.models.interface import Captioner

DIGITS = 5
"""Of a log-likelihood, what counts when two are compared."""


@dataclass(frozen=True)
class ValidationScores:
    """One validation. BLEU from 0 to 100."""

    bleu: Bleu
    captions: dict[str, str]
    """Caption of each image id."""
    unfinished: int
    """Captions cut at the length limit."""
    log_likelihood: float
    """Mean log p per word of the first reference of each photo, the end word included, in nats."""
    pictures: tuple[tuple[str, Image.Image], ...] = ()
    """Names and pictures of the first captions: of the first process alone."""

    @property
    def bleu4(self) -> float:
        """BLEU-4 with the brevity penalty: a captioner that stops early must not win."""
        return self.bleu.with_penalty[3]

    @property
    def standing(self) -> tuple[float, float]:
        """What validations are compared by: BLEU-4, and of equal ones the log-likelihood.

        pycocoevalcap's guards against 0/0 give captions without four right words in a row a BLEU-4 near 0 that says
        nothing, and falls as captions become longer: it counts as 0. The likelihood is rounded, since its last digits
        depend on how photos are shared among processes.
        """
        right = self.bleu.counts[:, ORDERS - 1].sum() > 0
        return (self.bleu4 if right else 0.0), round(self.log_likelihood, DIGITS)

    def as_log(self) -> dict[str, float | int]:
        """Plain values for the log."""
        return {
            "bleu4": self.bleu4,
            "bleu4_without_penalty": self.bleu.without_penalty[3],
            "bleu1": self.bleu.with_penalty[0],
            "log_likelihood": self.log_likelihood,
            "ratio": self.bleu.ratio,
            "unfinished": self.unfinished,
            "images": len(self.bleu.by_image),
        }


def make_validate(
    store: FeatureStore, config: TrainConfig, vocabulary: Vocabulary, device: torch.device
) -> Callable[[nn.Module], ValidationScores]:
    """A function that scores a captioner (in evaluation mode) on the first photos of the validation split.

    The processes of a training caption a share each. References are tokenised here, once. UserError when the split has
    no photo, or none with a reference, and when the search wants words that are not in the vocabulary.
    """
    make_rules(config.search, vocabulary)  # what it refuses is refused before anything is trained
    items = split_items(store, config.validation.split, config.validation.images)
    references = tokenise_references({item.image_id: item.captions for item in items})
    image_ids = [item.image_id for item in items]
    written = {item.image_id: item.captions[0] for item in items if item.captions}
    by_id = {item.image_id: item for item in items}
    preprocessing = Preprocessing.from_record(store.manifest.fingerprint.preprocessing)
    if not references.tokens:
        raise UserError(f"no photo of the split {config.validation.split} has a reference caption to validate against")

    def validate(model: nn.Module) -> ValidationScores:
        captioner, wanted = cast(Captioner, model), share_of_photos(store, image_ids, ranks.rank(), ranks.world())
        label = "validation" if ranks.first() else ""
        mine = caption_images(captioner, vocabulary, store, wanted, config.search, device, label)
        texts = {image_id: (caption.text, caption.finished) for image_id, caption in mine.items()}
        people = {image_id: written[image_id] for image_id in wanted if image_id in written}
        likely = caption_likelihoods(captioner, vocabulary, store, people, config.search, device, config.words.longest)
        found = {image_id: text for part in ranks.gathered(texts) for image_id, text in part.items()}
        likelihoods = {image_id: each for part in ranks.gathered(likely) for image_id, each in part.items()}
        captions = {image_id: found[image_id][0] for image_id in image_ids}
        sampled = [by_id[image_id] for image_id in wanted[: config.validation.pictures]] if ranks.first() else []
        return ValidationScores(
            bleu=score_captions(list(captions.items()), references).bleu,
            captions=captions,
            unfinished=sum(not finished for _, finished in found.values()),
            log_likelihood=per_word([likelihoods[image_id] for image_id in written]),
            pictures=tuple(sample_pictures(sampled, mine, preprocessing, store.grid)),
        )

    return validate
