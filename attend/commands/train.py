"""`attend train`: stage 2."""

from __future__ import annotations

import sys
from pathlib import Path

import click


@click.command()
@click.option("--dataset", default="scenes", show_default=True, help="Dataset whose features to train on.")
@click.option("--variant", default="soft", show_default=True, help="Captioner to train.")
@click.option("--encoder", default="vgg19", show_default=True, help="Encoder of the features.")
@click.option("--run", "name", default=None, help="Name of the run.  [default: DATASET-ENCODER-VARIANT]")
@click.option(
    "--out", type=click.Path(path_type=Path), default=Path("artifacts"), show_default=True, help="Output folder."
)
@click.option("--device", default="auto", show_default=True, help="auto, cpu, cuda or cuda:N.")
@click.option("--resume/--no-resume", default=False, help="Go on with a run that exists.")
@click.option("--preset", default=None, help="Preset to start from.  [default: the dataset's own]")
@click.option("--start", default=None, metavar="RUN", help="Begin with the best weights and the words of this run.")
@click.option("--set", "words", multiple=True, help='Settings, e.g. --set "optim.epochs=3 model.units=512".')
def train(
    dataset: str,
    variant: str,
    encoder: str,
    name: str | None,
    out: Path,
    device: str,
    resume: bool,
    preset: str | None,
    start: str | None,
    words: tuple[str, ...],
) -> None:
    """Train a captioner on a feature store: OUT/features/DATASET/ENCODER → OUT/runs/RUN."""
    from attend.device import choose_device
    from attend.errors import UserError
    from attend.progress import say
    from attend.score.validation import make_validate
    from attend.settings import only, read_settings
    from attend.train.config_file import SECTIONS, override_config, preset_names, read_preset
    from attend.train.models.variants import refuse_without_effect
    from attend.train.start import like_start
    from attend.train.training import Request
    from attend.train.training import train as run_training

    if preset is not None and preset not in preset_names():
        raise UserError(f"--preset {preset} is unknown: one of {', '.join(preset_names())}")
    values = only(read_settings(words), SECTIONS, "train")
    refuse_without_effect(variant, values)
    config = override_config(read_preset(preset or dataset, variant), values)
    start_folder = out / "runs" / start if start else None
    if start_folder:
        config = like_start(config, values, start_folder)
    request = Request(
        store=out / "features" / dataset / encoder,
        dataset=dataset,
        variant=variant,
        folder=out / "runs" / (name or f"{dataset}-{encoder}-{variant}"),
        config=config,
        device=choose_device(device),
        resume=resume,
        start=start_folder,
    )
    result = run_training(request, make_validate, say)
    if not result.finished:
        click.echo("RESUME=1 goes on from here")
        sys.exit(1)
