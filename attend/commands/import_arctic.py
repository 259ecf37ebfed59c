"""`attend import-arctic`: the authors' checkpoints as runs."""

from __future__ import annotations

from pathlib import Path

import click

FILE = click.Path(path_type=Path)


@click.command("import-arctic")
@click.argument("model", type=FILE)
@click.option("--options", type=FILE, required=True, help="Pickle of the options: MODEL.npz.pkl.")
@click.option("--dictionary", type=FILE, required=True, help="Pickle of words and ids: dictionary.pkl.")
@click.option("--out", "folder", type=FILE, required=True, help="Run directory to write.")
@click.option("--store", type=FILE, default=None, help="Feature store to use it with.  [default: its own are unknown]")
def import_arctic(model: Path, options: Path, dictionary: Path, folder: Path, store: Path | None) -> None:
    """Turn MODEL.npz of kelvinxu/arctic-captions into a run directory.

    The pickles are read as plain data: nothing in them is executed.
    """
    import torch

    from attend.data.manifest import Fingerprint, Manifest
    from attend.extract.encoders import ENCODERS
    from attend.extract.images import Preprocessing
    from attend.train.arctic.importing import ArcticFiles, Features, import_run
    from attend.train.record import versions

    unknown = Fingerprint(
        "vgg19", ENCODERS["vgg19"].layer, "unknown", "unknown", "float32", Preprocessing().to_record()
    )
    features = None if store is None else Features(store, Manifest.load(store))
    files = ArcticFiles(model, options, dictionary)
    for line in import_run(files, folder, features, unknown, versions(torch.device("cpu"))):
        click.echo(line)
    if features is None:
        click.echo("its features are unknown: --store binds it to a store, for `attend bleu` and `attend caption`")
    click.echo(str(folder))
