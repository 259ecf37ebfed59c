"""Captions: each is true of the drawn picture, said correctly, and unlike its neighbours.

Truth is checked by a reader of English noun phrases and relation words written here, against the boxes in pixels.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from random import Random

import pytest

from attend.data.items import Region
from attend.data.scenes.captions import captions
from attend.data.scenes.composition import compose
from attend.data.scenes.naming import judge
from attend.data.scenes.picture import Box, draw
from attend.data.scenes.scene import Scene

SIZE = 96
NOUNS = {
    "house": "house houses", "tree": "tree trees", "flower": "flower flowers", "kite": "kite kites", "car": "car cars",
    "boat": "boat boats sailboat sailboats", "bicycle": "bicycle bicycles bike bikes", "cat": "cat cats",
    "dog": "dog dogs", "bird": "bird birds", "fish": "fish", "table": "table tables", "chair": "chair chairs",
    "lamp": "lamp lamps", "cup": "cup cups mug mugs", "ball": "ball balls", "umbrella": "umbrella umbrellas",
}  # fmt: skip
KIND = {word: kind for kind, words in NOUNS.items() for word in words.split()}
COUNT = {"a": 1, "an": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8}
SIZES = {"big": "big", "large": "big", "small": "small", "little": "small"}
COLOUR = "red|orange|yellow|green|blue|pink|brown|white|black"
PHRASE = re.compile(
    rf"(?:\b({'|'.join(COUNT)}|some|a few|several|pair of|group of|rows of) )?(?:({'|'.join(SIZES)}) )?"
    rf"(?:({COLOUR}) )?\b({'|'.join(KIND)})\b( of different colours)?"
)
PLACES = {
    "grass": "meadow", "meadow": "meadow", "field": "meadow", "country": "meadow", "beach": "beach", "sand": "beach",
    "seaside": "beach", "street": "street", "town": "street", "room": "room", "floor": "room", "indoors": "room",
    "wall": "wall", "shelf": "shelf", "night": "night", "dark": "night", "stars": "night", "starry": "night",
    "moon": "night", "moonlight": "night", "snow": "snow", "winter": "snow", "snowy": "snow", "lake": "lake",
    "sunset": "sunset", "evening": "sunset", "sea": "beach sunset sea", "water": "lake sunset sea",
    "sunny": "meadow beach street lake", "cloudy": "meadow beach street lake",
}  # fmt: skip
WEATHER = {"sunny": "sun", "in the sun": "sun", "cloudy": "clouds", "clouds": "clouds", "moon": "moon"}
LINKS = {
    "to the left of": "left", "left of": "left", "to the right of": "right", "right of": "right", "next to": "next",
    "beside": "next", "above": "above", "over": "above", "below": "below", "under": "below", "on top of": "on",
    "on": "on", "between": "between",
}  # fmt: skip
LINK = re.compile(rf"\b({'|'.join(sorted(LINKS, key=len, reverse=True))})\b")


@dataclass
class Pictured:
    """One picture with its captions."""

    scene: Scene
    boxes: list[Box]
    captions: tuple[str, ...]


@pytest.fixture(scope="module")
def pictures() -> list[Pictured]:
    found = []
    for number in range(300):
        scene = compose(Random(f"captions:{number}"), 8)
        _, boxes = draw(scene, SIZE, f"captions:{number}")
        found.append(Pictured(scene, boxes, captions(scene, Random(f"captions:{number}"))))
    return found


@pytest.fixture(scope="module")
def written() -> list[tuple[Scene, tuple[str, ...]]]:
    scenes = [compose(Random(f"written:{number}"), 8) for number in range(1200)]
    return [(scene, captions(scene, Random(f"written:{number}"))) for number, scene in enumerate(scenes)]


def _meant(phrase: re.Match[str], scene: Scene) -> list[int]:
    """Which things a noun phrase means, having checked that there are as many as it says."""
    count, size, colour, noun, different = phrase.groups()
    meant = [
        number
        for number, thing in enumerate(scene.things)
        if thing.kind == KIND[noun] and colour in (None, thing.colour) and (size is None or SIZES[size] == thing.size)
    ]
    plural = noun.endswith("s")
    if count in COUNT:
        assert len(meant) == COUNT[count], phrase[0]
        assert noun == "fish" or plural == (COUNT[count] > 1), phrase[0]
    else:
        least = {"some": 3, "a few": 3, "several": 5, "group of": 3, "pair of": 2, "rows of": 6}.get(count, 2)
        assert len(meant) >= least and (noun == "fish" or plural), phrase[0]
        assert count != "pair of" or len(meant) == 2
    if different:
        assert len({scene.things[number].colour for number in meant}) > 1
    return meant


def _centre(boxes: list[Box]) -> tuple[float, float]:
    left, top = min(b[0] for b in boxes), min(b[1] for b in boxes)
    return (left + max(b[0] + b[2] for b in boxes)) / 2, (top + max(b[1] + b[3] for b in boxes)) / 2


def _related(link: str, one: list[Box], other: list[Box]) -> bool:
    """Whether the boxes stand so that the word fits; loosely, as the word is loose."""
    (x, y), (other_x, other_y) = _centre(one), _centre(other)
    apart = all(a[0] + a[2] <= b[0] or b[0] + b[2] <= a[0] for a in one for b in other)
    if link in ("left", "right"):
        return apart and (x < other_x) == (link == "left")
    if link == "next":
        return apart and abs(max(b[1] + b[3] for b in one) - max(b[1] + b[3] for b in other)) < 0.2 * SIZE
    if link in ("above", "on"):
        touching = min(b[1] + b[3] for b in one) > min(b[1] for b in other)
        return y < other_y and touching == (link == "on")
    if link == "below":
        return y > other_y and not apart
    return len(other) == 2 and min(b[0] for b in other) < x < max(b[0] for b in other)


def _check_relations(text: str, picture: Pictured) -> int:
    """Check every relation between two noun phrases of a caption; returns how many there were."""
    phrases = list(PHRASE.finditer(text))
    meant = [_meant(phrase, picture.scene) for phrase in phrases]
    boxes = [[picture.boxes[number] for number in numbers] for numbers in meant]
    side = re.fullmatch(r"(?:[a-z ]+, )?(.+) on the left and (.+) on the right.*", text)
    if side:
        cut = side.end(1)
        before = [box for phrase, found in zip(phrases, boxes, strict=True) if phrase.end() <= cut for box in found]
        after = [box for phrase, found in zip(phrases, boxes, strict=True) if phrase.start() >= cut for box in found]
        assert _related("left", before, after), text
        return 1
    checked = 0
    for link in LINK.finditer(text):
        before = [i for i, phrase in enumerate(phrases) if phrase.end() <= link.start()]
        after = [i for i, phrase in enumerate(phrases) if phrase.start() >= link.end()]
        with_them = re.match(r" (it|them)\b", text[link.end() :])
        if with_them and " with " in text:  # "a table with two cups on it"
            owner = text.index(" with ")
            holders = [box for i in before if phrases[i].end() <= owner for box in boxes[i]]
            held = [box for i in before if phrases[i].start() > owner for box in boxes[i]]
            assert (with_them[1] == "it") == (len(holders) == 1), text
            assert _related(LINKS[link[1]], held, holders), text
        elif after and before and phrases[after[0]].start() == link.end() + 1:
            one = [box for i in before for box in boxes[i]]
            assert _related(LINKS[link[1]], one, [box for i in after for box in boxes[i]]), text
        else:
            continue
        checked += 1
    return checked


def test_relations_and_numbers_are_true(pictures: list[Pictured]) -> None:
    related = 0
    for picture in pictures:
        for caption in picture.captions:
            related += _check_relations(caption.lower().rstrip("."), picture)
    assert related > 350


def test_rows_are_rows(pictures: list[Pictured]) -> None:
    for picture in pictures:
        for caption in picture.captions:
            claims = {relation.how for relation in picture.scene.relations}
            feet = sorted(top + height for _, top, _, height in picture.boxes)
            if re.search(r"two rows", caption):
                assert claims == {"rows"} and feet[-1] - feet[0] > 0.1 * SIZE
            elif re.search(r"\b(row|line|side by side)\b", caption):
                assert feet[-1] - feet[0] <= (0.2 if "next" in claims else 0.03) * SIZE


def test_places_and_weather_are_true(written: list[tuple[Scene, tuple[str, ...]]]) -> None:
    placed = 0
    for scene, five in written:
        for caption in five:
            words = set(re.findall(r"[a-z]+", caption.lower()))
            for word in words & set(PLACES):
                assert scene.background in PLACES[word].split(), (caption, scene.background)
                placed += 1
            for sign, weather in WEATHER.items():
                assert sign not in caption.lower() or scene.weather == weather, caption
    assert placed > 2500


def test_no_caption_names_what_is_not_there(written: list[tuple[Scene, tuple[str, ...]]]) -> None:
    coloured = 0
    for scene, five in written:
        regions = [Region(thing.name, (0, 0, 1, 1)) for thing in scene.things]
        for caption in five:
            verdict = judge(caption, regions)
            assert verdict.thing and not verdict.wrong, caption
            coloured += verdict.colour
    assert coloured > 0.85 * 5 * len(written)


def test_articles_and_verbs_agree(written: list[tuple[Scene, tuple[str, ...]]]) -> None:
    for _, five in written:
        for caption in five:
            text = caption.lower()
            assert not re.search(r"\ba [aeiou]|\ban [^aeiou]", text), caption
            assert not re.search(r"  | ,|\.\.|,,", text) and text == text.strip(), caption
            several = "is|stands|sits|lies|flies|swims|floats|sails|grows|blooms"
            assert not re.search(rf"^(two|three|four|five|six|seven|eight) [a-z ]*?s ({several})\b", text), caption
            assert not re.search(
                r"^an? (?!few|group|pair|row)(\w+ ){1,3}(are|stand|sit|lie|fly|swim|float|sail|grow|bloom)\b", text
            ), caption
            assert not re.search(
                r"\bthis is (two|three|some)|\bthese are an? (?!few|group)|\bthere are an? (?!few)", text
            )


def test_five_different_voices(written: list[tuple[Scene, tuple[str, ...]]]) -> None:
    everything = [re.sub(r"[.,]", "", caption.lower()) for _, five in written for caption in five]
    lengths = Counter(len(caption.split()) for caption in everything)
    vocabulary = {word for caption in everything for word in caption.split()}
    assert all(len({re.sub(r"[.,]", "", caption.lower()) for caption in five}) == 5 for _, five in written)
    assert len(set(everything)) > 0.8 * len(everything)
    assert 150 <= len(vocabulary) <= 250
    assert min(lengths) <= 3 and max(lengths) >= 14
    assert 7 < sum(length * count for length, count in lengths.items()) / lengths.total() < 11
    assert max(lengths.values()) < 0.25 * lengths.total()
    openings = Counter(caption.split()[0] for caption in everything)
    assert len(openings) >= 20 and max(openings.values()) < 0.65 * len(everything)


def test_same_captions_again() -> None:
    scene = compose(Random("again"), 8)
    assert captions(scene, Random("voice")) == captions(scene, Random("voice"))
    assert captions(scene, Random("voice")) != captions(scene, Random("other voice"))
