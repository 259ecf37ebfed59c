"""A trained captioner for use: photos, or annotations, to captions; and its probabilities for given words."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import Literal, cast, overload

import torch
from PIL import Image
from torch import Tensor

from attend.device import choose_device
from attend.errors import UserError
from attend.extract.colours import to_rgb, upright
from attend.extract.encoders import Encoder, build_encoder
from attend.extract.framing import Framing, framing
from attend.extract.images import Preprocessing, prepare, read_photo
from attend.score.ensemble import load_ensemble
from attend.score.read_back import read_back
from attend.score.search.caption import Caption
from attend.score.search.context import with_context
from attend.score.search.find import find_captions
from attend.score.seen import SeenCaption, on_photo
from attend.train.config import SearchSettings
from attend.train.models.interface import Batch, Captioner
from attend.train.run import Run

Photo = str | Path | Image.Image
Photos = Photo | Sequence[Photo]
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

    def prepared(self, photo: Photo) -> tuple[Tensor, Framing]:
        """What the encoder sees of a photo, uint8 (3, size, size), and which part of the photo that is.

        PhotoError for one that cannot be read.
        """
        if isinstance(photo, Image.Image):
            turned = to_rgb(upright(photo), self.preprocessing.background)
            return prepare(turned, self.preprocessing), framing(turned.size, self.preprocessing)
        read = read_photo(Path(photo), self.preprocessing)
        return read.pixels, framing(read.upright, self.preprocessing)

    def pixels(self, photo: Photo) -> Tensor:
        """The first of `prepared`."""
        return self.prepared(photo)[0]

    def encode(self, photos: Sequence[Photo]) -> Tensor:
        """Annotations (B, L, D) float16 on the device, equal to those that `attend features` stores."""
        return self.encoder.encode(torch.stack([self.pixels(photo) for photo in photos]))

    @overload
    def caption(self, images: Photos, search: SearchSettings | None = None) -> list[Caption]: ...
    @overload
    def caption(
        self, images: Photos, search: SearchSettings | None = None, *, attention: Literal[True]
    ) -> list[SeenCaption]: ...
    @overload
    def caption(self, images: Photos, search: SearchSettings | None = None, *, n_best: int) -> list[list[Caption]]: ...
    @overload
    def caption(
        self, images: Photos, search: SearchSettings | None = None, *, n_best: int, attention: Literal[True]
    ) -> list[list[SeenCaption]]: ...

    def caption(
        self,
        images: Photos,
        search: SearchSettings | None = None,
        *,
        n_best: int | None = None,
        attention: bool = False,
    ) -> list[Caption] | list[SeenCaption] | list[list[Caption]] | list[list[SeenCaption]]:
        """The best caption of each photo (a path or a Pillow image; one or a list), in order.

        With `n_best` a list of that many for each photo, in the search's order (docs/captions.md). With `attention`
        the captions are `SeenCaption`s, which know the photo: maps, and boxes in its pixels. `search` is by default the
        run's own. PhotoError for a photo that cannot be read.
        """
        photos = [images] if isinstance(images, str | Path | Image.Image) else list(images)
        found: list[list[Caption]] = []
        for start in range(0, len(photos), PHOTOS_AT_ONCE):
            pixels, framings = zip(*map(self.prepared, photos[start : start + PHOTOS_AT_ONCE]), strict=True)
            lists = self.n_best_pixels(torch.stack(pixels), 1 if n_best is None else n_best, search)
            if attention:
                pairs = zip(lists, framings, strict=True)
                lists = [[on_photo(one, self.run.grid, frame) for one in captions] for captions, frame in pairs]
            found += lists
        return found if n_best is not None else [best for best, *_ in found]

    def read(self, image: Photo, words: Sequence[str], search: SearchSettings | None = None) -> SeenCaption:
        """Given words on a photo: how likely the captioner finds each, and where it looks. See `read_back`."""
        pixels, frame = self.prepared(image)
        annotations = self._checked(self.encoder.encode(pixels.unsqueeze(0)))
        settings = search or self.run.config.search
        [caption] = read_back(self.model, annotations, [words], self.vocabulary, settings)
        return on_photo(caption, self.run.grid, frame)

    def caption_pixels(self, pixels: Tensor, search: SearchSettings | None = None) -> list[Caption]:
        """The best caption for each of uint8 (B, 3, size, size), as `pixels` gives them."""
        return [best for best, *_ in self.n_best_pixels(pixels, 1, search)]

    def n_best_pixels(self, pixels: Tensor, n_best: int, search: SearchSettings | None = None) -> list[list[Caption]]:
        """The `n_best` best captions for each of uint8 (B, 3, size, size), as `pixels` gives them."""
        return self.n_best_annotations(self.encoder.encode(pixels), n_best, search)

    def caption_annotations(self, annotations: Tensor, search: SearchSettings | None = None) -> list[Caption]:
        """The best caption for each of annotations (B, L, D), any float type."""
        return [best for best, *_ in self.n_best_annotations(annotations, 1, search)]

    def n_best_annotations(
        self, annotations: Tensor, n_best: int, search: SearchSettings | None = None
    ) -> list[list[Caption]]:
        """The `n_best` best captions for each of annotations (B, L, D), any float type, in the search's order."""
        annotations = self._checked(annotations)
        return find_captions(self.model, annotations, None, self.vocabulary, search or self.run.config.search, n_best)

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
