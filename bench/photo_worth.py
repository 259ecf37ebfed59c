"""How much a captioner depends on the photo: `python bench/photo_worth.py STORE --run RUN --run RUN`.

log p of people's captions (the first of each photo) with their own photo, and with another photo of the split, the one
`--apart` further on in the dataset's order. The difference is what the captioner loses, in nats a word, when it is
shown another photo: a language model that ignores photos loses 0, however likely it finds the captions.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import cast

import click
import torch

from attend.data.store_reader import FeatureStore
from attend.score.decode import split_items
from attend.score.likelihood import caption_likelihoods, per_word
from attend.train.models.interface import Captioner
from attend.train.run import Run, load_run

CPU = torch.device("cpu")


@click.command(help=__doc__)
@click.argument("store", type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.option("--run", "runs", multiple=True, required=True, type=click.Path(exists=True, path_type=Path))
@click.option("--split", default="val", show_default=True, help="photos to read")
@click.option("--images", type=click.IntRange(min=0), default=0, help="the first so many of them  [default: all]")
@click.option("--apart", default=137, show_default=True, help="how much further on the other photo is")
def main(store: Path, runs: Sequence[Path], split: str, images: int, apart: int) -> None:
    features = FeatureStore(store)
    captions = {item.image_id: item.captions[0] for item in split_items(features, split, images) if item.captions}
    others = exchanged(captions, apart)
    print(f"{len(captions)} photos of {split} in {store}, nats a word")
    print(f"{'run':<24}{'own photo':>12}{'another':>12}{'difference':>12}")
    for folder in runs:
        run = load_run(folder, CPU)
        own, other = (log_p(run, features, texts) for texts in (captions, others))
        print(f"{folder.name:<24}{own:>12.3f}{other:>12.3f}{own - other:>12.3f}")


def exchanged(captions: Mapping[str, str], apart: int) -> dict[str, str]:
    """The captions with every one under the photo `apart` further on. click.UsageError: some would keep their own."""
    if not captions or apart % len(captions) == 0:
        raise click.UsageError(
            f"--apart={apart} leaves captions under their own photos ({len(captions)} in all): take another number"
        )
    image_ids, texts = list(captions), list(captions.values())
    return {image_ids[(place + apart) % len(image_ids)]: text for place, text in enumerate(texts)}


def log_p(run: Run, features: FeatureStore, captions: Mapping[str, str]) -> float:
    """Mean log p a word, the end word included, of a caption for each photo."""
    config, model = run.config, cast(Captioner, run.model)
    found = caption_likelihoods(model, run.vocabulary, features, captions, config.search, CPU, config.words.longest)
    return per_word(list(found.values()))


if __name__ == "__main__":
    main()
