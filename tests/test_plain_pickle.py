"""Plain data out of pickles of either Python, and nothing else: what a pickle asks to be called is never called."""

from __future__ import annotations

import os
import pickle
import struct
from collections import OrderedDict
from pathlib import Path

import numpy as np
import pytest

from attend.errors import UserError
from attend.train.arctic.plain_pickle import read_plain_pickle


def read(folder: Path, content: bytes):
    (folder / "x.pkl").write_bytes(content)
    return read_plain_pickle(folder / "x.pkl")


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
def test_plain_data_of_every_protocol(tmp_path, protocol):
    data = {"a": [1, -2.5, None, True, (3, "é☕")], "b": {"c": {4, 5}}, 6: 2**70, "d": b"bytes"}
    expected = data | {"d": "bytes"}
    if protocol < 4:  # sets are calls of a function there
        data["b"] = expected["b"] = {"c": [4, 5]}
    assert read(tmp_path, pickle.dumps(data, protocol)) == expected
    assert read(tmp_path, pickle.dumps(OrderedDict(a=1), protocol)) == {"a": 1}


@pytest.mark.parametrize("protocol", [0, 1, 2, pickle.HIGHEST_PROTOCOL])
def test_numbers_and_arrays_of_numpy(tmp_path, protocol):
    numbers = [np.float64(0.1), np.float32(0.5), np.int64(-7), np.uint8(200), np.bool_(True), np.dtype(">i4").type(9)]
    found = read(tmp_path, pickle.dumps(numbers, protocol))
    assert found == [0.1, 0.5, -7, 200, True, 9]
    assert [type(value) for value in found] == [float, float, int, int, bool, int]
    by_rows = np.arange(6, dtype=">f4").reshape(2, 3)
    for array in (by_rows, np.asfortranarray(by_rows), np.array(["dog", "é"]), np.zeros((0, 2)), np.array(3.5)):
        assert read(tmp_path, pickle.dumps(array, min(protocol, 4))) == array.tolist()


def test_what_python_2_wrote(tmp_path):
    """By hand: `{'dim': 1000L, 'rate': numpy.float64(0.25), 'caf\\xc3\\xa9': u'\\xe9', '\\xe9': True}` of cPickle."""
    text = (
        b"(dp1\nS'dim'\np2\nL1000L\nsS'rate'\np3\ncnumpy.core.multiarray\nscalar\np4\n(cnumpy\ndtype\np5\n"
        b"(S'f8'\np6\nI0\nI1\ntp7\nRp8\n(I3\nS'<'\np9\nNNNI-1\nI-1\nI0\ntp10\nbS'"
        + repr(struct.pack("<d", 0.25))[2:-1].encode()
        + b"'\np11\ntp12\nRp13\nsS'caf\\xc3\\xa9'\np14\nV\\u00e9\np15\nsS'\\xe9'\np16\nI01\ns."
    )
    assert read(tmp_path, text) == {"dim": 1000, "rate": 0.25, "café": "é", "é": True}
    short = b"\x80\x02}q\x01(U\x03dimq\x02M\xe8\x03U\x08selectorq\x03\x88u."
    assert read(tmp_path, short) == {"dim": 1000, "selector": True}


class Caller:
    """Unpickled by calling `function(*arguments)`."""

    def __init__(self, function, *arguments):
        self.call = function, arguments

    def __reduce__(self):
        return self.call


@pytest.mark.parametrize("protocol", [0, 2, 4])
@pytest.mark.parametrize(
    ("function", "name"),
    [(os.system, "posix.system"), (eval, "eval"), (getattr, "getattr"), (np.load, "numpy.*load"), (set, "set")],
)
@pytest.mark.fault("a program inside a pickle of the authors' code", "not run; refused by name", "Training")
def test_calls_are_refused_by_name_and_not_made(tmp_path, function, name, protocol):
    victim = tmp_path / "made"
    argument = f"touch {victim}" if function is os.system else f"open({str(victim)!r}, 'w')"
    with pytest.raises(UserError, match=rf"x\.pkl is no pickle of plain data \(it names .*{name}") as error:
        read(tmp_path, pickle.dumps({"a": Caller(function, argument)}, protocol))
    assert "\n" not in str(error.value)
    assert not victim.exists()


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"no pickle",
        pickle.dumps({"a": 1})[:-3],
        b"cos\nsystem\n(S'true'\ntR.",
        b"cnumpy\ndtype\n.",  # a type, not an object
        b"c_codecs\nencode\n.",
        b"c_codecs\nencode\n(Vx\nVrot13\ntR.",
        b"(cnumpy\ndtype\nc__builtin__\neval\ntR.",
        b"cnumpy\ndtype\n}S'__init__'\nNsb.",  # the state of a class
        b"cnumpy\ndtype\n(N}S'__init__'\nNstb.",
        pickle.dumps(np.array([os.getpid], dtype=object), 2),
        pickle.dumps(np.zeros(2, dtype=[("a", "f4")]), 2),
        pickle.dumps(np.datetime64("2015-02-10"), 2),
        b"(" * 3 + b"]" * 5000 + b"a" * 4999 + b".",
        pickle.dumps(Path("x"), 2),
    ],
)
def test_damaged_and_devious_pickles_are_one_line(tmp_path, content):
    with pytest.raises(UserError, match=r"x\.pkl") as error:
        read(tmp_path, content)
    assert "\n" not in str(error.value)


def test_a_missing_file_is_named(tmp_path):
    with pytest.raises(UserError, match=r"none\.pkl is not there"):
        read_plain_pickle(tmp_path / "none.pkl")
