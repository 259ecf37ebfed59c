"""`attend train`: stage 2."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from attend.commands.shared_options import device_option


@click.command()
@click.option("--dataset", default=None, help="Dataset whose features to train on.  [default: scenes]")
@click.option("--variant", default=None, help="Captioner to train.  [default: soft]")
@click.option("--encoder", default=None, help="Encoder of the features.  [default: vgg19]")
@click.option("--run", "name", default=None, help="Name of the run.  [default: DATASET-ENCODER-VARIANT]")
@click.option(
    "--out", type=click.Path(path_type=Path), default=Path("artifacts"), show_default=True, help="Output folder."
)
@device_option
@click.option("--gpus", default=1, show_default=True, help="Processes, one a GPU; with --device cpu on the processor.")
@click.option("--resume/--no-resume", default=False, help="Go on with a run that exists.")
@click.option("--preset", default=None, help="Preset to start from.  [default: the dataset's own]")
@click.option("--start", default=None, metavar="RUN", help="Begin with the best weights and the words of this run.")
@click.option("--config", "repeated", type=click.Path(path_type=Path), help="config.toml of a run to repeat.")
@click.option("--set", "words", multiple=True, help='Settings, e.g. --set "optim.epochs=3 model.units=512".')
def train(
    dataset: str | None,
    variant: str | None,
    encoder: str | None,
    name: str | None,
    out: Path,
    device: str,
    gpus: int,
    resume: bool,
    preset: str | None,
    start: str | None,
    repeated: Path | None,
    words: tuple[str, ...],
) -> None:
    """Train a captioner on a feature store: OUT/features/DATASET/ENCODER → OUT/runs/RUN."""
    from attend.cli import tell
    from attend.errors import UserError
    from attend.progress import say
    from attend.score.validation import make_validate
    from attend.settings import only, read_settings
    from attend.train import ranks
    from attend.train.config_file import SECTIONS, override_config, preset_names, read_preset
    from attend.train.launch import check_processes, launch
    from attend.train.models.variants import refuse_without_effect
    from attend.train.repeating import Origin, read_origin
    from attend.train.search_settings import refuse_idle
    from attend.train.start import find_start, like_start
    from attend.train.training import Request, check_config
    from attend.train.training import train as run_training

    check_processes(gpus, device)
    if preset is not None and preset not in preset_names():
        raise UserError(f"--preset {preset} is unknown: one of {', '.join(preset_names())}")
    values = only(read_settings(words), SECTIONS, "train")
    if repeated is None:
        dataset, variant = dataset or "scenes", variant or "soft"
        origin = Origin(dataset, variant, encoder or "vgg19", read_preset(preset or dataset, variant))
    elif dataset or variant or encoder or preset or start:
        raise UserError("--config says dataset, variant, encoder, preset and start already: leave those options out")
    else:
        origin = read_origin(repeated)
    refuse_without_effect(origin.variant, values)
    folder = out / "runs" / (name or f"{origin.dataset}-{origin.encoder}-{origin.variant}")
    config = override_config(origin.config, values)
    asked = out / "runs" / start if start else origin.start
    begins = find_start(folder, asked, resume)
    if begins:
        config = like_start(config, values, begins)
    refuse_idle(values.get("search", {}), config.search)
    check_config(origin.variant, config)
    if gpus > 1 and not ranks.launched():
        sys.exit(launch(gpus, device, sys.argv[1:], folder))
    request = Request(
        store=out / "features" / origin.dataset / origin.encoder,
        dataset=origin.dataset,
        variant=origin.variant,
        folder=folder,
        config=config,
        device=ranks.own_device(device),
        resume=resume,
        start=asked,
        repeats=origin.record,
    )
    try:
        result = run_training(request, make_validate, say)
    except (UserError, OSError) as error:
        if not ranks.launched() or "--debug" in sys.argv:
            raise
        tell(error)
        ranks.leave(2)
    if not result.finished and ranks.first():
        click.echo("RESUME=1 goes on from here")
    if not result.finished or ranks.launched():
        ranks.leave(0 if result.finished else 1)
