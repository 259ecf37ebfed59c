"""The command line as a whole: help without torch, one-line errors, exit codes."""

from __future__ import annotations

import errno
import subprocess
import sys

import click
import pytest

from attend import cli
from attend.cli import COMMANDS, attend
from attend.errors import UserError


def run(*arguments: str, **options) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-m", "attend", *arguments], capture_output=True, text=True, **options)


@pytest.mark.fault("help that takes as long as torch", "does not import torch", "Installation and own data")
def test_help_lists_every_command_and_does_not_import_torch():
    code = "import sys; from attend.cli import main\ntry: main()\nfinally: print('torch' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code, "--help"], capture_output=True, text=True, check=True)
    assert done.stdout.strip().endswith("False")
    for name in COMMANDS:
        assert f"  {name} " in done.stdout


@pytest.mark.parametrize("name", list(COMMANDS))
def test_every_command_has_help_and_a_debug_option(name):
    command = attend.get_command(click.Context(attend), name)
    assert command is not None
    text = command.get_help(click.Context(command))
    assert "--debug" in text
    assert command.help


@pytest.mark.fault(
    "a command before the stage it needs", "one line, exit 2; no folder is made", "Installation and own data"
)
def test_a_users_mistake_is_one_line_and_exit_2(tmp_path):
    done = run("verify", "--dataset", "flickr8k", cwd=tmp_path)
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1
    assert done.stderr.startswith("attend: artifacts/features/flickr8k/vgg19 has no manifest.json")
    assert not list(tmp_path.iterdir())


def test_debug_shows_the_traceback(tmp_path):
    done = run("verify", "--dataset", "flickr8k", "--debug", cwd=tmp_path)
    assert done.returncode == 1
    assert "Traceback" in done.stderr
    assert "UserError" in done.stderr


@pytest.mark.fault("a misspelled command or option", "named", "Installation and own data")
def test_unknown_options_and_commands_are_named():
    assert "No such option" in run("train", "--epochs", "3").stderr
    assert "No such command 'trian'" in run("trian").stderr


@pytest.mark.parametrize(
    ("error", "told"),
    [
        (UserError("x.csv row 3 has no image: add one"), "attend: x.csv row 3 has no image: add one\n"),
        (
            OSError(errno.ENOSPC, "No space left on device", "last.pt"),
            "attend: last.pt: No space left on device: make room and run the same again\n",
        ),
        (OSError(errno.EACCES, "Permission denied", "x/y"), "attend: x/y: Permission denied\n"),
    ],
)
def test_errors_that_people_can_mend_have_no_traceback(monkeypatch, capsys, error, told):
    def fail() -> None:
        raise error

    monkeypatch.setattr(cli, "attend", fail)
    with pytest.raises(SystemExit) as exit_code:
        cli.main()
    assert exit_code.value.code == 2
    assert capsys.readouterr().err == told


@pytest.mark.fault("a fault of the program itself", "not hidden behind one line", "Installation and own data")
def test_other_errors_are_not_hidden(monkeypatch):
    def fail() -> None:
        raise ZeroDivisionError

    monkeypatch.setattr(cli, "attend", fail)
    with pytest.raises(ZeroDivisionError):
        cli.main()
