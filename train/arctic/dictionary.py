"""The authors' `dictionary.pkl` (word → id) and our vocabulary: ids stay what they are."""

from __future__ import annotations

from pathlib import Path

from attend.data.vocabulary import END, SPECIAL, UNKNOWN, Vocabulary
from attend.errors import UserError
from attend.train.arctic.plain_pickle import read_plain_pickle

FIRST = {END: "<eos>", UNKNOWN: "UNK"}
"""What the authors call ids 0 and 1; most of their dictionaries leave these two out."""


def read_dictionary(path: Path, size: int) -> tuple[Vocabulary, list[str]]:
    """A vocabulary of `size` ids, and lines about words beyond it and ids without a word.

    An id without a word is shown as `<unused ID>`: the model has a probability for it all the same. UserError: not a
    table of words and ids, two words with one id, another word at id 0 or 1, a word that reads like a sign of ours.
    """
    table = read_plain_pickle(path)
    if not isinstance(table, dict) or not table:
        raise UserError(f"{path} is no dictionary of words and their ids: give dictionary.pkl")
    words: dict[int, str] = {}
    dropped = 0
    for word, number in table.items():
        if not isinstance(word, str) or type(number) is not int or number < 0:
            raise UserError(f"{path}: {word!r} → {number!r} is not a word and its id: give dictionary.pkl")
        if number in FIRST:
            if word != FIRST[number]:
                raise UserError(
                    f"{path}: {word!r} has id {number}, which means {FIRST[number]}: number words from 2 on"
                )
        elif number >= size:
            dropped += 1
        elif number in words:
            raise UserError(f"{path}: {words[number]!r} and {word!r} both have id {number}: number each word once")
        else:
            words[number] = word
    unused = [number for number in range(len(SPECIAL), size) if number not in words]
    signs = {*SPECIAL, *map(_unused, unused)}
    if strange := sorted(signs & set(words.values())):
        raise UserError(f"{path}: the word {strange[0]} would be taken for a sign: rename it in the dictionary")
    notes = [f"{dropped} words with ids from {size} on are unknown to the model and dropped"] if dropped else []
    if unused:
        notes.append(f"{len(unused)} ids have no word: {_ranges(unused)}")
    return Vocabulary((*SPECIAL, *(words.get(n, _unused(n)) for n in range(len(SPECIAL), size)))), notes


def to_dictionary(vocabulary: Vocabulary) -> dict[str, int]:
    """Word → id, with <eos> and UNK and without ids that have no word."""
    named = {FIRST[number]: number for number in FIRST}
    for number, word in enumerate(vocabulary.words):
        if number in FIRST or word == _unused(number):
            continue
        if word in named:
            raise UserError(f"the word {word!r} has the name of id {named[word]} in the authors' dictionary")
        named[word] = number
    return named


def _unused(number: int) -> str:
    return f"<unused {number}>"


def _ranges(numbers: list[int]) -> str:
    """Ascending 1, 2, 3, 7 → "1 to 3, 7"."""
    runs: list[list[int]] = []
    for number in numbers:
        if runs and number == runs[-1][1] + 1:
            runs[-1][1] = number
        else:
            runs.append([number, number])
    return ", ".join(str(first) if first == last else f"{first} to {last}" for first, last in runs)
