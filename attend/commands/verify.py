"""`attend verify`: a feature store against its manifest."""

from __future__ import annotations

import sys
from contextlib import suppress
from pathlib import Path

import click

from attend.data.listing import some
from attend.data.manifest import Manifest
from attend.data.verify import surplus
from attend.data.verify import verify as verify_store
from attend.errors import UserError


@click.command()
@click.option("--dataset", default="scenes", show_default=True, help="Whose store.")
@click.option("--encoder", default="vgg19", show_default=True, help="Whose features.")
@click.option(
    "--out", default="artifacts", show_default=True, type=click.Path(path_type=Path), help="Where stores are."
)
def verify(dataset: str, encoder: str, out: Path) -> None:
    """Read a whole store: hashes, shapes, ids, values, photos without features. Changes nothing."""
    folder = out / "features" / dataset / encoder
    manifest = Manifest.load(folder)
    problems = verify_store(folder)
    for problem in problems:
        click.echo(str(problem), err=True)
    verdict = f"{len(problems)} problems" if problems else "all is as the manifest says"
    click.echo(f"{folder}: {manifest.images} photos in {len(manifest.shards)} shards: {verdict}")
    with suppress(UserError):  # items that cannot be read are among the problems
        extra = surplus(folder)
        if extra:
            click.echo(f"{len(extra):,} of the photos are not in the dataset: they do no harm ({some(extra, most=3)})")
    if problems:
        sys.exit(1)
