"""Pickles of plain data, read without running anything that a pickle can name.

A pickle is a program that may call any function. The authors' options and dictionaries need none: they hold containers,
numbers and strings. NumPy's numbers and arrays are rebuilt here from their bytes, without NumPy's own unpickling.
"""

from __future__ import annotations

import io
import pickle
from collections import OrderedDict
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from attend.errors import UserError

KINDS = "biufSU"
"""NumPy's kinds of plain elements: booleans, whole numbers, floats, strings."""


class _NumberType:
    """Stands for a `numpy.dtype`: its code, and the byte order that the pickle sets afterwards."""

    def __init__(self, code: Any, *_: Any) -> None:
        self.code, self.order = _text(code), "="

    def __setstate__(self, state: Any) -> None:
        self.order = _text(state[1]).replace("|", "=")

    def resolve(self) -> np.dtype:
        """The type itself."""
        found = np.dtype(self.code).newbyteorder(self.order)  # type: ignore[arg-type]
        if found.kind not in KINDS:
            raise pickle.UnpicklingError(f"it holds NumPy elements of type {self.code}")
        return found


class _NumberArray:
    """Stands for a `numpy.ndarray` until its bytes have been read."""

    def __init__(self) -> None:
        self.value: Any = None

    def __setstate__(self, state: Any) -> None:
        _, shape, kind, by_columns, data = state
        flat = np.frombuffer(_bytes(data), kind.resolve())
        self.value = flat.reshape(shape, order="F" if by_columns else "C").tolist()


class _PlainUnpickler(pickle.Unpickler):
    """Knows the few names that plain data of Python 2 and 3 mention; strings of Python 2 arrive as bytes."""

    def find_class(self, module: str, name: str) -> Callable[..., Any]:
        known: dict[tuple[str, str], Callable[..., Any]] = {
            ("collections", "OrderedDict"): OrderedDict,
            ("_codecs", "encode"): self.encode,
            ("__builtin__", "bytes"): self.no_bytes,
            ("numpy", "dtype"): _NumberType,
            ("numpy", "ndarray"): _NumberArray,
        }
        for core in ("numpy.core.multiarray", "numpy._core.multiarray"):
            known[core, "scalar"] = self.number
            known[core, "_reconstruct"] = self.array
        if (module, name) not in known:
            raise pickle.UnpicklingError(f"it names {module}.{name}, which is no plain container, number or string")
        return known[module, name]

    def encode(self, text: str, encoding: str) -> bytes:
        """How Python 3 writes bytes into old pickles."""
        if encoding not in ("latin1", "latin-1"):
            raise pickle.UnpicklingError(f"it encodes text as {encoding}")
        return text.encode("latin-1")

    def no_bytes(self) -> bytes:
        """How Python 3 writes an empty byte string into old pickles."""
        return b""

    def number(self, kind: _NumberType, data: Any) -> Any:
        """A NumPy scalar as a number of Python."""
        return np.frombuffer(_bytes(data), kind.resolve())[0].item()

    def array(self, *_: Any) -> _NumberArray:
        """An empty array, which is filled by its state."""
        return _NumberArray()


def read_plain_pickle(path: Path) -> Any:
    """What the pickle holds, as Python's containers, numbers and strings; arrays become lists.

    Byte strings, which Python 2 makes of every `str`, are read as UTF-8 or else as Latin-1.
    UserError: the file is missing, no pickle, or holds or calls anything else, which is named and not executed.
    """
    try:
        content = path.read_bytes()
    except FileNotFoundError:
        raise UserError(f"{path} is not there: give the pickle that lies beside the authors' model") from None
    try:
        return _plain(_PlainUnpickler(io.BytesIO(content), encoding="bytes").load())
    except RecursionError:
        raise UserError(f"{path} is nested too deep for options or a dictionary: give the authors' file") from None
    except Exception as error:  # a damaged pickle can raise anything
        what = " ".join(str(error).split())
        raise UserError(f"{path} is no pickle of plain data ({what}): nothing of it was executed") from None


def _plain(value: Any) -> Any:
    """The value with bytes decoded and stand-ins replaced. UnpicklingError for anything that is not plain."""
    if isinstance(value, _NumberArray):
        return _plain(value.value)
    if isinstance(value, dict):
        return {_plain(key): _plain(entry) for key, entry in value.items()}
    if type(value) in (list, tuple, set, frozenset):
        return type(value)(map(_plain, value))
    if isinstance(value, bytes):
        return _text(value)
    if value is None or type(value) in (bool, int, float, str):
        return value
    raise pickle.UnpicklingError(f"it holds {value!r}")


def _text(value: Any) -> str:
    if isinstance(value, str):
        return value
    try:
        return str(value, "utf-8")
    except UnicodeDecodeError:
        return str(value, "latin-1")


def _bytes(value: Any) -> bytes:
    return value if isinstance(value, bytes) else value.encode("latin-1")
