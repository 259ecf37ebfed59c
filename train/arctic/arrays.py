"""The authors' `.npz`: named arrays, checked against what the options call for."""

from __future__ import annotations

import io
import zipfile
import zlib
from pathlib import Path
from typing import Any

import numpy as np

from attend.data.atomic import write_atomically
from attend.errors import UserError
from attend.train.arctic.parameters import Parameter

HISTORY = "history_errs"
BOOKKEEPING = frozenset({HISTORY, "zipped_params", "train_err", "valid_err", "test_err"})
"""What their training writes beside the weights. `zipped_params` is a pickled copy of the weights, never read."""


def read_arrays(path: Path, table: list[Parameter]) -> tuple[dict[str, np.ndarray], list[Any], list[str]]:
    """The arrays of `table` as float32, the history of validation and test errors, and lines about what was converted.

    UserError names every array that is missing or that the options do not call for, one of another shape or type, and
    one with numbers that are not finite. Nothing pickled is loaded.
    """
    try:
        archive = np.load(path, allow_pickle=False)
    except FileNotFoundError:
        raise UserError(f"{path} is not there: give the authors' MODEL.npz") from None
    except (ValueError, EOFError, zipfile.BadZipFile) as error:
        raise UserError(f"{path} is no .npz archive ({error}): give the authors' MODEL.npz") from None
    if not isinstance(archive, np.lib.npyio.NpzFile):
        raise UserError(f"{path} is one array, not an .npz archive: give the authors' MODEL.npz")
    with archive:
        wanted, there = {entry.name for entry in table}, set(archive.files) - BOOKKEEPING
        wrong = [f"lacks {', '.join(sorted(wanted - there))}"] if wanted - there else []
        if there - wanted:
            wrong.append(f"holds {', '.join(sorted(there - wanted))}, which the options do not call for")
        if wrong:
            raise UserError(f"{path} {' and '.join(wrong)}: give the options of this very model")
        arrays = {entry.name: _read(path, archive, entry.name) for entry in table}
        misshapen = [
            f"{entry.name} is {arrays[entry.name].shape}, not {entry.shape}"
            for entry in table
            if arrays[entry.name].shape != entry.shape
        ]
        if misshapen:
            raise UserError(f"{path}: {'; '.join(misshapen)}: give the options of this very model")
        history = _history(path, archive)
    rounded = [name for name, array in arrays.items() if array.dtype.itemsize > 4]
    notes = [f"rounded to float32: {', '.join(rounded)}"] if rounded else []
    return {name: array.astype(np.float32) for name, array in arrays.items()}, history, notes


def write_arrays(path: Path, arrays: dict[str, np.ndarray], history: list[Any]) -> None:
    """Write the archive whole, with the history that their `train(reload_=True)` reads."""
    content = io.BytesIO()
    np.savez(content, **{HISTORY: np.array(history, np.float64)}, **arrays)  # type: ignore[arg-type]
    write_atomically(path, content.getbuffer())


def _read(path: Path, archive: Any, name: str) -> np.ndarray:
    array = _load(path, archive, name)
    if array.dtype.kind != "f":
        raise UserError(f"{path}: {name} holds {array.dtype}, not floating-point numbers: give the authors' MODEL.npz")
    if not np.isfinite(array).all():
        raise UserError(f"{path}: {name} holds numbers that are not finite: this model is spoilt, give another")
    return array


def _history(path: Path, archive: Any) -> list[Any]:
    if HISTORY not in archive.files:
        return []
    history = _load(path, archive, HISTORY)
    if history.dtype.kind not in "iuf":
        raise UserError(f"{path}: {HISTORY} holds {history.dtype}, not numbers: give the authors' MODEL.npz")
    return history.astype(np.float64).tolist()


def _load(path: Path, archive: Any, name: str) -> np.ndarray:
    try:
        return archive[name]
    except (ValueError, EOFError, OSError, zipfile.BadZipFile, zlib.error) as error:
        raise UserError(f"{path}: {name} cannot be read ({error}): copy the file again") from None
