"""Options that several commands share are the same in all of them."""

from __future__ import annotations

import click
import pytest
from click.testing import CliRunner

from attend.cli import COMMANDS, attend
from attend.commands.shared_options import adding


def options_of(command: str) -> dict[str, click.Option]:
    found = attend.get_command(click.Context(attend), command)
    return {name: option for option in found.params if isinstance(option, click.Option) for name in option.opts}


@pytest.mark.parametrize("command", ["bleu", "caption", "serve"])
def test_whoever_searches_takes_the_whole_search(command):
    assert {"--beam", "--length-normalisation", "--set", "--device"} <= options_of(command).keys()


def test_every_command_that_computes_says_where_in_the_same_words():
    devices = {name: options_of(name)["--device"] for name in COMMANDS if "--device" in options_of(name)}
    assert {"features", "train", "bleu", "caption", "report", "serve"} <= devices.keys()
    assert {(option.default, option.help) for option in devices.values()} == {("auto", "auto, cpu, cuda or cuda:N.")}


@pytest.mark.parametrize(
    ("command", "several"), [("bleu", True), ("caption", True), ("serve", True), ("report", False), ("naming", False)]
)
def test_only_commands_that_take_an_ensemble_offer_one(command, several):
    assert ("ensemble" in options_of(command)["--run"].help) is several


def test_options_are_added_in_the_order_they_are_named():
    @click.command()
    @adding(click.option("--first"), click.option("--second"))
    def command(first: str, second: str) -> None:
        click.echo(f"{first} {second}")

    assert CliRunner().invoke(command, ["--second", "b", "--first", "a"]).output == "a b\n"
    assert [option.name for option in command.params] == ["first", "second"]
