"""`attend export-arctic`: runs as the authors' checkpoints."""

from __future__ import annotations

from pathlib import Path

import click


@click.command("export-arctic")
@click.argument("run", type=click.Path(path_type=Path))
@click.option("--out", "model", type=click.Path(path_type=Path), required=True, help="MODEL.npz to write.")
@click.option(
    "--dictionary",
    type=click.Path(path_type=Path),
    default=None,
    help="Pickle of words and ids to write.  [default: dictionary.pkl beside MODEL.npz]",
)
def export_arctic(run: Path, model: Path, dictionary: Path | None) -> None:
    """Write the run directory RUN as kelvinxu/arctic-captions would: MODEL.npz, MODEL.npz.pkl and the dictionary."""
    from attend.train.arctic.exporting import export_run
    from attend.train.arctic.importing import ArcticFiles
    from attend.train.run import load_run

    files = ArcticFiles(model, model.with_name(f"{model.name}.pkl"), dictionary or model.with_name("dictionary.pkl"))
    for line in export_run(load_run(run), files):
        click.echo(line)
    for path in (files.model, files.options, files.dictionary):
        click.echo(str(path))
