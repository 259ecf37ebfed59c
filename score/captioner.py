"""A trained captioner for use: photos, or annotations, to captions; and its probabilities for given words."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import cast

import torch
from PIL import Image
from torch import Tensor

from attend.device import choose_device
from attend.errors import UserError
from attend.extract.colours import to_rgb, upright
from attend.extract.encoders import Encoder, build_encoder
from attend.extract.images import Preprocessing, prepare, read_photo
from attend.score.ensemble import load_ensemble
from attend.score.search.beam import beam_search
from attend.score.search.caption import Caption
from attend.score.search.context import with_context
from attend.train.config import SearchSettings
from attend.train.models.interface import Batch, Captioner
from attend.train.run import Run

Photo = str | Path | Image.Image
PHOTOS_AT_ONCE = 32


def load_captioner(
    path: str | Path | Sequence[str | Path], device: str = "auto", weights: str | Path | None = None
) -> LoadedCaptioner:
    """The captioner of a run directory, with the weights of its best validation; of several, their ensemble.

    `weights` is where the encoder's come from (`imagenet`, `random:SEED`, a path) and is only needed to caption photos
    with a run whose features were made with a weights file. UserError when the run is incomplete.
    """
    chosen = choose_device(device)
    folders = [path] if isinstance(path, str | Path) else path
    run = load_ensemble([Path(folder) for folder in folders], chosen)
    return LoadedCaptioner(run, chosen, None if weights is None else str(weights))


class LoadedCaptioner:
    """A captioner in evaluation mode on `device`. The encoder is built when the first photo comes."""

    def __init__(self, run: Run, device: torch.device, weights: str | None) -> None:
        self.run, self.device, self._weights = run, device, weights
        self.vocabulary, self.model = run.vocabulary, cast(Captioner, run.model)

    @cached_property
    def preprocessing(self) -> Preprocessing:
        """How the photos the run was trained on became pixels."""
        return Preprocessing.from_record(self.run.fingerprint.preprocessing)

    @cached_property
    def encoder(self) -> Encoder:
        """The run's encoder, in the precision of its features. UserError unless it has the very weights they have."""
        made = self.run.fingerprint
        encoder = build_encoder(made.encoder, self._weights or self._recorded_weights(), self.device, made.precision)
        if encoder.weights_sha256 != made.weights_sha256:
            raise UserError(
                f"WEIGHTS={self._weights or made.weights} is not what {self.run.folder} was trained on: "
                f"sha256 {encoder.weights_sha256[:12]}, not {made.weights_sha256[:12]}; give the file {made.weights}"
            )
        return encoder

    def pixels(self, photo: Photo) -> Tensor:
        """What the encoder sees of a photo: uint8 (3, size, size). PhotoError for one that cannot be read."""
        if isinstance(photo, Image.Image):
            return prepare(to_rgb(upright(photo), self.preprocessing.background), self.preprocessing)
        return read_photo(Path(photo), self.preprocessing).pixels

    def encode(self, photos: Sequence[Photo]) -> Tensor:
        """Annotations (B, L, D) float16 on the device, equal to those that `attend features` stores."""
        return self.encoder.encode(torch.stack([self.pixels(photo) for photo in photos]))

    def caption_pixels(self, pixels: Tensor, search: SearchSettings | None = None) -> list[Caption]:
        """The best caption for each of uint8 (B, 3, size, size), as `pixels` gives them."""
        return self.caption_annotations(self.encoder.encode(pixels), search)

    def caption(self, images: Photo | Sequence[Photo], search: SearchSettings | None = None) -> list[Caption]:
        """The best caption of each photo (a path or a Pillow image; one or a list), in order.

        `search` is by default the run's own. PhotoError for a photo that cannot be read.
        """
        photos = [images] if isinstance(images, str | Path | Image.Image) else list(images)
        captions: list[Caption] = []
        for start in range(0, len(photos), PHOTOS_AT_ONCE):
            captions += self.caption_annotations(self.encode(photos[start : start + PHOTOS_AT_ONCE]), search)
        return captions

    def caption_annotations(self, annotations: Tensor, search: SearchSettings | None = None) -> list[Caption]:
        """The best caption for each of annotations (B, L, D), any float type."""
        annotations = self._checked(annotations)
        found = beam_search(self.model, annotations, None, self.vocabulary, search or self.run.config.search)
        return [best for [best] in found]

    @torch.inference_mode()
    def log_probs(self, annotations: Tensor, words: Tensor) -> Tensor:
        """log p(word at t | words before t, annotations) as (B, T, K) float32, at test time: no dropout.

        Hard attention looks as the run's `search.context` says.

        Annotations (B, L, D), words (B, T) ids; position t has read `words[:, :t]`, so position 0 has read none, and
        what `words[:, t:]` holds does not matter to it. ValueError for other shapes, T = 0 and ids outside 0 to K - 1.
        """
        annotations = self._checked(annotations)
        words = torch.as_tensor(words, device=self.device)
        if words.dim() != 2 or len(words) != len(annotations) or not words.numel() or words.is_floating_point():
            raise ValueError(
                f"words must be (B, T) ids with B = {len(annotations)}, not {words.dtype} {tuple(words.shape)}"
            )
        if not 0 <= int(words.min()) <= int(words.max()) < len(self.vocabulary):
            raise ValueError(f"word ids must be 0 to {len(self.vocabulary) - 1}, not {words.min()} to {words.max()}")
        lengths = words.new_full((len(words),), words.shape[1], dtype=torch.int64)
        model = with_context(self.model, self.run.config.search)
        return model(Batch(annotations, words.long(), lengths)).log_probs

    def _checked(self, annotations: Tensor) -> Tensor:
        """Annotations as float32 on the device. ValueError unless (B, L, D) with the D of this captioner."""
        annotations = torch.as_tensor(annotations)
        if annotations.dim() != 3 or annotations.shape[2] != self.run.channels:
            raise ValueError(f"annotations must be (B, L, {self.run.channels}), not {tuple(annotations.shape)}")
        return annotations.to(self.device, torch.float32)

    def _recorded_weights(self) -> str:
        """The weights named in the run: a name that is enough, or the file where it lay at extraction."""
        name, file = self.run.fingerprint.weights, self.run.weights_file
        if not file:
            return name
        if not Path(file).is_file():
            raise UserError(
                f"{self.run.folder} was trained on features made with {file}, which is not there: give WEIGHTS=PATH"
            )
        return file
