"""`attend features`: stage 1, photos to a feature store."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from pathlib import Path

import click
from click.core import ParameterSource

from attend.commands.shared_options import device_option
from attend.data.atomic import remove_own
from attend.data.datasets import DATASETS, read_dataset
from attend.data.items import Problem, count_items
from attend.data.scenes.settings import ScenesSettings
from attend.data.store_format import CODECS, DEFAULT_CODEC, SHARD_ROWS
from attend.device import PRECISIONS, cores
from attend.extract.crew import Crew, check_request, this_process
from attend.extract.encoders import ENCODERS, architecture_of, build_encoder, describe
from attend.extract.extraction import Summary, carry_out, settle
from attend.extract.fit import choose_preprocessing
from attend.extract.images import FITS
from attend.extract.options import ON_ERROR, Options
from attend.extract.problems import problem_lines
from attend.extract.resume import check_same
from attend.extract.store_lock import store_lock
from attend.extract.survey import Survey, survey
from attend.extract.weights import are_named, weights_name
from attend.settings import only, read_settings
from attend.sigterm import sigterm_as_ctrl_c


@click.command()
@click.option("--dataset", default="scenes", show_default=True, help=f"One of {', '.join(DATASETS)}.")
@click.option("--encoder", "encoder_name", default="vgg19", show_default=True, help=f"One of {', '.join(ENCODERS)}.")
@click.option("--data", type=click.Path(path_type=Path), help="Raw data.  [default: datasets/DATASET]")
@click.option("--images", type=click.Path(path_type=Path), help="Folder of photos, when it is not below DATA.")
@click.option("--captions", type=click.Path(path_type=Path), help="Captions file, when it is not below DATA.")
@click.option("--out", default="artifacts", show_default=True, type=click.Path(path_type=Path), help="Where to write.")
@click.option("--weights", default="imagenet", show_default=True, help="imagenet, random:SEED or a state dict's path.")
@click.option("--precision", default="auto", show_default=True, help=f"auto, {' or '.join(PRECISIONS)}.")
@click.option(
    "--fit", default="auto", show_default=True, help=f"How a photo fills the input: auto, {' or '.join(FITS)}."
)
@device_option
@click.option(
    "--codec", help=f"Compression, one of {', '.join(CODECS)}.  [default: the store's own, or {DEFAULT_CODEC}]"
)
@click.option("--batch", default=50, show_default=True, help="Photos in memory at once; changes no feature.")
@click.option("--threads", type=int, default=cores, show_default="one a processor", help="Decode photos.")
@click.option(
    "--on-error",
    default="skip",
    show_default=True,
    help=f"A photo cannot be read: {' or '.join(ON_ERROR)}. Where skip is said, the exit status stays 0.",
)
@click.option(
    "--rebuild/--no-rebuild", default=False, help="Delete the store that is there and extract everything again."
)
@click.option("--workers", type=int, help="Processes of this machine that share the work.  [default: this one alone]")
@click.option("--scheduler", help="Address of a running Dask scheduler, such as tcp://host:8786, whose workers do it.")
@click.option("--shard-rows", type=int, help=f"Photos a shard.  [default: the store's own, or {SHARD_ROWS}]")
@click.option("--set", "settings", multiple=True, metavar="FIELD=VALUE", help="A setting, such as scenes.images=600.")
def features(
    dataset: str,
    encoder_name: str,
    data: Path | None,
    images: Path | None,
    captions: Path | None,
    out: Path,
    weights: str,
    precision: str,
    fit: str,
    device: str,
    codec: str | None,
    batch: int,
    threads: int,
    on_error: str,
    rebuild: bool,
    workers: int | None,
    scheduler: str | None,
    shard_rows: int | None,
    settings: tuple[str, ...],
) -> None:
    """Photos to a feature store in OUT/features/DATASET/ENCODER. Goes on where an earlier run ended."""
    options = Options(codec, batch, threads, on_error, rebuild, shard_rows)
    check_request(workers, scheduler)
    architecture_of(encoder_name)
    data = data or Path("datasets") / dataset
    if scheduler is not None:  # the workers of a cluster were started in folders of their own
        data, out = data.absolute(), out.absolute()
        images, captions = images and images.absolute(), captions and captions.absolute()
        weights = weights if are_named(weights) else str(Path(weights).absolute())
    scenes = ScenesSettings(**only(read_settings(settings), ["scenes"], "features").get("scenes", {}))
    items = read_dataset(dataset, data, images=images, captions=captions, scenes=scenes)
    folder = out / "features" / dataset / encoder_name
    with sigterm_as_ctrl_c(), store_lock(folder, click.echo):
        found = survey(items, folder, options)
        click.echo(count_items(items))
        for line in problem_lines(found.problems):
            click.echo(line, err=True)
        if precision == "auto" and found.existing is not None:
            precision = found.existing.fingerprint.precision
        try:
            with _crew(workers, scheduler, device, precision) if found.tasks else _alone(device, precision) as crew:
                summary = _bring_up_to_date(found, crew, encoder_name, weights, fit, dataset, options)
        finally:
            remove_own(folder)  # workers write until they have ended
    report(summary, folder, summary.problems[len(found.problems) :])
    if summary.problems and not _skipping_was_asked_for():
        sys.exit(1)


def _skipping_was_asked_for() -> bool:
    """Whether somebody said `--on-error skip`, so that photos without features are no unfinished work."""
    context = click.get_current_context()
    said = context.get_parameter_source("on_error") is ParameterSource.COMMANDLINE
    return said and context.params["on_error"] == "skip"


def _alone(device: str, precision: str) -> AbstractContextManager[Crew]:
    return nullcontext(this_process(device, precision))


def _crew(workers: int | None, scheduler: str | None, device: str, precision: str) -> AbstractContextManager[Crew]:
    """Dask is imported only where it is used: one process starts without it."""
    if workers is None and scheduler is None:
        return _alone(device, precision)
    from attend.extract.cluster.joining import joined

    return joined(workers, scheduler, device, precision, click.echo)


def _bring_up_to_date(
    found: Survey, crew: Crew, encoder_name: str, weights: str, fit: str, dataset: str, options: Options
) -> Summary:
    """What there is to do, with as little loaded as it takes."""
    existing = found.existing
    preprocessing = choose_preprocessing(fit, encoder_name, (item.path for item in found.to_do), existing)
    with_weights = f"{encoder_name} with weights {weights_name(weights)}"
    click.echo(f"{with_weights} on {crew.where} in {crew.precision}, fit={preprocessing.fit}")
    if existing is not None:  # refuse before the weights are loaded what differs in anything else
        wanted = describe(encoder_name, architecture_of(encoder_name), crew.precision, preprocessing)
        wanted = replace(wanted, weights_sha256=existing.fingerprint.weights_sha256)
        check_same(found.folder, existing, dataset, options, wanted)
    if existing is not None and not found.tasks and are_named(weights) and weights == existing.fingerprint.weights:
        return settle(found, existing, click.echo)
    encoder = build_encoder(encoder_name, weights, crew.device, crew.precision)
    return carry_out(found, encoder, preprocessing, dataset, options, click.echo, crew.run)


def report(summary: Summary, folder: Path, unnamed: Sequence[Problem]) -> None:
    """The last lines: what was done, how fast, and what was not; `unnamed` are problems that nobody was told of yet."""
    if summary.encoded:
        click.echo(
            f"{summary.encoded} photos in {summary.seconds:.0f} s, {summary.encoded / summary.seconds:.1f} photos/s, "
            f"encoder busy {summary.share:.0%} of the time; {summary.stored} photos in {folder}"
        )
    else:
        click.echo(f"nothing to extract: {folder} has {summary.stored} photos")
    if summary.animated:
        click.echo(f"{summary.animated} animated photos: their first frame was taken")
    if summary.problems:
        click.echo(f"photos without features: {len(summary.problems)}; run the same again to retry them", err=True)
        for line in problem_lines(unnamed):
            click.echo(line, err=True)
