"""The judge of names, on cases judged by hand."""

from __future__ import annotations

from pathlib import Path

import pytest

from attend.data.items import Item, Region
from attend.data.scenes.naming import judge, mentions, naming_accuracy
from attend.errors import UserError

BOX = (0.0, 0.0, 9.0, 9.0)


def _regions(*names: str) -> list[Region]:
    return [Region(name, BOX) for name in names]


STREET = _regions("red car", "blue car", "white house", "orange cat", "red cup", "green boat", "pink bicycle")


@pytest.mark.parametrize(
    ("caption", "thing", "colour", "wrong"),
    [
        ("A red car on the street.", True, True, ()),
        ("a car", True, False, ()),
        ("a big red car", True, True, ()),
        ("An orange cat.", True, True, ()),
        ("two red and blue cars", True, True, ()),
        ("a red, a blue and a green car", True, True, ("green car",)),
        ("a red car and a blue car", True, True, ()),
        ("A RED CAR!", True, True, ()),
        ("a red mug", True, True, ()),
        ("a green sailboat", True, True, ()),
        ("a pink bike", True, True, ()),
        ("three white houses", True, True, ()),
        # wrong colours and wrong things
        ("a green car", True, False, ("green car",)),
        ("a red house", True, False, ("red house",)),
        ("a blue dog", False, False, ("blue dog",)),
        ("a dog", False, False, ("dog",)),
        ("a red car and a dog", True, True, ("dog",)),
        ("a white car next to a red house", True, False, ("white car", "red house")),
        # a colour counts only on its own noun
        ("the car is red", True, False, ()),
        ("a car in red light", True, False, ()),
        ("a white wall behind a car", True, False, ()),
        ("a cat and an orange", True, False, ()),
        ("a red thing, a car", True, False, ()),
        ("a house under a blue sky", True, False, ()),
        ("a red", False, False, ()),
        ("", False, False, ()),
        # words that only contain a name
        ("a red carpet with catkins", False, False, ()),
    ],
)
def test_judged_by_hand(caption: str, thing: bool, colour: bool, wrong: tuple[str, ...]) -> None:
    verdict = judge(caption, STREET)
    assert (verdict.thing, verdict.colour, verdict.wrong) == (thing, colour, wrong)


def test_colours_do_not_wander_between_nouns() -> None:
    regions = _regions("red car", "blue house")
    assert judge("a blue car and a red house", regions).wrong == ("blue car", "red house")
    assert judge("a red car and a blue house", regions).wrong == ()


def test_mentions_keep_numbers_and_plurals() -> None:
    found = mentions("Two big red cars and a small blue cat under three fish")
    assert [(m.kind, m.colour, m.number, m.plural) for m in found] == [
        ("car", "red", "two", True),
        ("cat", "blue", "", False),
        ("fish", "", "three", False),
    ]
    assert [m.name for m in mentions("two red and three yellow balls")] == ["red ball", "yellow ball"]


def _item(image_id: str, *names: str) -> Item:
    return Item(image_id, Path(f"{image_id}.png"), "val", ("a caption",), tuple(_regions(*names)))


def test_shares_and_counts() -> None:
    items = [_item("1", "red car"), _item("2", "blue cat"), _item("3", "green boat"), _item("4", "pink cup")]
    captions = {"1": "a red car", "2": "a blue cat and a red dog", "3": "a red boat", "4": "two lamps"}
    accuracy = naming_accuracy(captions, items)
    assert (accuracy.pictures, accuracy.thing, accuracy.colour, accuracy.faultless) == (4, 0.75, 0.5, 0.25)
    assert accuracy.wrong_names == 3  # red dog, red boat, lamp


def test_naming_everything_is_found_out() -> None:
    kinds, colours = ("car", "cat", "boat", "cup"), ("red", "blue", "green", "pink")
    everything = " and ".join(f"a {colour} {kind}" for kind in kinds for colour in colours)
    accuracy = naming_accuracy({"1": everything}, [_item("1", "red car")])
    assert (accuracy.colour, accuracy.faultless, accuracy.wrong_names) == (1, 0, 15)


@pytest.mark.parametrize(
    ("captions", "what"),
    [({}, "picture 1 has no caption"), ({"1": "a cat", "9": "a dog"}, "caption 9 belongs to no picture")],
)
def test_captions_and_pictures_must_agree(captions: dict[str, str], what: str) -> None:
    with pytest.raises(UserError, match=what):
        naming_accuracy(captions, [_item("1", "red car")])


def test_pictures_without_regions_cannot_be_judged() -> None:
    with pytest.raises(UserError, match="no named regions"):
        naming_accuracy({"1": "a cat"}, [_item("1")])
    with pytest.raises(UserError, match="there is no picture"):
        naming_accuracy({}, [])
