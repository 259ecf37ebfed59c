"""The command `attend`: one subcommand a stage, each in `attend/commands`, loaded only when it is called."""

from __future__ import annotations

import errno
import sys
from importlib import import_module

import click

from attend import __version__
from attend.errors import UserError
from attend.printable import printable

COMMANDS = {
    "features": "Stage 1: photos to a feature store.",
    "verify": "Check a feature store against its manifest.",
    "train": "Stage 2: a feature store to a captioner.",
    "bleu": "Stage 3: captions and scores of a run.",
    "score": "Scores of captions from anywhere, comparisons, people.",
    "caption": "Caption any photos.",
    "naming": "How often captions of the scenes name a right thing in its right colour.",
    "report": "HTML report of a run with attention pictures.",
    "serve": "A page that captions the photos dropped on it.",
    "import-arctic": "A checkpoint of the authors' code to a run.",
    "export-arctic": "A run to a checkpoint of the authors' code.",
}


class StageGroup(click.Group):
    """Finds subcommands by name, so that `attend --help` does not import torch."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        if name not in COMMANDS:
            return None
        module = name.replace("-", "_")
        command: click.Command = getattr(import_module(f"attend.commands.{module}"), module)
        if not any(option.name == "debug" for option in command.params):
            debug = click.Option(["--debug"], is_flag=True, expose_value=False, help="Show the traceback of an error.")
            command.params.append(debug)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))


@click.group(cls=StageGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="attend")
def attend() -> None:
    """Show, Attend and Tell: photos → feature store → captioner → captions, scores, pictures."""


def main() -> None:
    """Run the command line. Exit status: 0 everything was done, 1 something was not, 2 a mistake in what was asked."""
    try:
        attend()
    except (UserError, OSError) as error:
        if "--debug" in sys.argv:
            raise
        tell(error)
        sys.exit(2)


def tell(error: UserError | OSError) -> None:
    """One line on standard error: what went wrong, and the cure."""
    if isinstance(error, UserError):
        told = str(error)
    else:
        where = f"{error.filename}: " if error.filename else ""
        cure = ": make room and run the same again" if error.errno == errno.ENOSPC else ""
        told = f"{where}{error.strerror or error}{cure}"
    print(printable(f"attend: {told}"), file=sys.stderr)
