"""Five captions a picture, as five people would write: curt, counting, relating, scenic, thorough."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

from attend.data.scenes.phrases import by_kind
from attend.data.scenes.scene import Scene, Thing
from attend.data.scenes.sentences import doing, namer, relation
from attend.data.scenes.wording import IN_AIR, ON_GROUND, SETTING, WEATHER

CAPTIONS = 5
"""Captions a picture."""


def captions(scene: Scene, chance: Random) -> tuple[str, ...]:
    """Five different captions, one of each voice, in any order."""
    voices = [curt, counting, relating, scenic, thorough]
    written: list[str] = []
    for voice in chance.sample(voices, CAPTIONS):
        for _ in range(100):
            caption = _punctuated(voice(scene, chance), chance)
            if _plain(caption) not in map(_plain, written):
                written.append(caption)
                break
        else:
            raise ValueError(f"no new caption in the {voice.__name__} voice for {scene}")
    return tuple(written)


def curt(scene: Scene, chance: Random) -> str:
    """The main thing, at most with where it is."""
    things = _main(scene)
    say = namer(scene, chance)
    name = say(things, chance.choice(["exact", "loose"]))
    forms = [name, name, f"{name} {_where(scene, things, chance)}", f"a picture of {name}", _there(say(things))]
    counted = say(things)
    if len(things) == 1:
        forms.append(f"this is {counted}")
    elif _verb(counted) == "are" and len(by_kind(things)) == 1:
        forms.append(f"these are {counted}")
    return chance.choice(forms)


def counting(scene: Scene, chance: Random) -> str:
    """Everything there is, with numbers."""
    kinds = list(dict.fromkeys(thing.kind for thing in scene.things))
    chance.shuffle(kinds)
    things = sorted(scene.things, key=lambda thing: kinds.index(thing.kind))
    name = namer(scene, chance)(things, "exact")
    there, where = _there(name), _setting(scene, chance)
    return chance.choice([name, f"{name} {where}", there, f"{there} {where}", f"{where}, {there}"])


def relating(scene: Scene, chance: Random) -> str:
    """How things stand to one another; for a lone thing, what it does."""
    if not scene.relations:
        return scenic(scene, chance)
    return relation(scene, chance.choice(scene.relations), chance, namer(scene, chance))


def scenic(scene: Scene, chance: Random) -> str:
    """The main thing, what it does, where, sometimes the weather."""
    things = _main(scene)
    name = namer(scene, chance)(things, chance.choice(["exact", "exact", "loose"]))
    participle, verb = doing(things, chance)
    be = "is" if len(things) == 1 else "are"
    where, weather = _where(scene, things, chance), ""
    if scene.weather and chance.random() < 0.35:
        weather = chance.choice(WEATHER[scene.weather])
        where = f"{where} {weather}"
    forms = [f"{name} {verb} {where}", f"{name} {where}"]
    if not _carried(scene, things):
        forms += [f"{name} {be} {where}"]
    if participle:
        forms += [f"{name} {participle} {where}", f"{name} {be} {participle} {where}"]
    if weather and participle:
        forms += [f"{name} {verb} {weather}"]
    return chance.choice(forms)


def thorough(scene: Scene, chance: Random) -> str:
    """A relation and the setting together; for a lone thing, what it does and the setting."""
    where = _setting(scene, chance)
    if scene.weather and chance.random() < 0.3:
        where = chance.choice(WEATHER[scene.weather])
    before = chance.random() < 0.35
    say = namer(scene, chance)
    if scene.relations:
        said = relation(scene, chance.choice(scene.relations), chance, say, clause=before)
    else:
        name = say(scene.things)
        participle, verb = doing(scene.things, chance)
        said = f"{name} {chance.choice([participle, verb])}" if participle else name
        if before:
            said = f"{name} {verb}" if participle else _there(name)
    return f"{where}, {said}" if before else f"{said} {where}"


def _main(scene: Scene) -> list[Thing]:
    """What the picture is of: the things its first relation is about, or all of them."""
    if scene.relations:
        return [scene.things[number] for number in scene.relations[0].things]
    return list(scene.things)


def _setting(scene: Scene, chance: Random) -> str:
    """Where it all is: where nothing stands, the sky or the water is the setting."""
    places = IN_AIR if all(thing.airborne for thing in scene.things) else SETTING
    return chance.choice(places[scene.background])


def _where(scene: Scene, things: Sequence[Thing], chance: Random) -> str:
    """Where these things are: in the air, on the ground, or on something, when only the setting is sure."""
    if _carried(scene, things):
        return chance.choice(SETTING[scene.background])
    return chance.choice((IN_AIR if things[0].airborne else ON_GROUND)[scene.background])


def _carried(scene: Scene, things: Sequence[Thing]) -> bool:
    """Whether another thing carries these."""
    carried = [scene.things[number] for about in scene.relations if about.how == "on" for number in about.things]
    return any(thing in carried for thing in things)


def _there(name: str) -> str:
    """ "there is" or "there are" before a name."""
    return f"there {_verb(name)} {name}"


def _verb(name: str) -> str:
    """What goes before a name, as its first word asks for: "is" a cat and two dogs, "are" two dogs and a cat."""
    return "is" if name.split()[0] in ("a", "an") else "are"


def _punctuated(text: str, chance: Random) -> str:
    """As people type: half with a capital and a full stop, the rest with less."""
    text = " ".join(text.split())
    style = chance.random()
    if style > 0.75:
        return text
    text = text[0].upper() + text[1:]
    return f"{text}." if style < 0.5 else text


def _plain(caption: str) -> str:
    return caption.lower().rstrip(".")
