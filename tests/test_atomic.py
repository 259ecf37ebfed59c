"""Files that appear whole or not at all."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from attend.data.atomic import partial_path, publish, remove_abandoned, write_atomically

FULL = """
import resource, sys
from pathlib import Path
from attend.data.atomic import write_atomically
resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))
try:
    write_atomically(Path(sys.argv[1]), bytes(2000))
except OSError as error:
    print(error.strerror)
"""


def test_old_content_or_new(tmp_path: Path) -> None:
    path = tmp_path / "new folder" / "x.json"
    write_atomically(path, b"old")
    write_atomically(path, b"new")
    assert path.read_bytes() == b"new"
    assert list(path.parent.iterdir()) == [path]


def test_a_write_that_fails_keeps_the_old_and_leaves_nothing(tmp_path: Path) -> None:
    path = tmp_path / "x.json"
    path.write_bytes(b"old")
    done = subprocess.run([sys.executable, "-c", FULL, str(path)], capture_output=True, text=True, check=True)
    assert done.stdout == "File too large\n"
    assert path.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [path]


def test_a_failed_rename_leaves_nothing(tmp_path: Path) -> None:
    (tmp_path / "x").mkdir()
    (tmp_path / "x" / "y").touch()
    with pytest.raises(OSError, match="x"):
        write_atomically(tmp_path / "x", b"new")
    assert [path.name for path in tmp_path.iterdir()] == ["x"]


def test_partial_names_are_hidden_and_never_equal(tmp_path: Path) -> None:
    one, two = partial_path(tmp_path / "x.h5"), partial_path(tmp_path / "x.h5")
    assert one != two
    assert one.parent == tmp_path
    assert one.name.startswith(".x.h5.") and one.suffix == ".partial"
    one.write_bytes(b"z")
    publish(one, tmp_path / "x.h5")
    assert [path.name for path in tmp_path.iterdir()] == ["x.h5"]


@pytest.mark.fault(
    "half-written files of a killed run, and of one that still runs elsewhere",
    "only those of dead processes of this machine are removed",
    "Store",
)
def test_only_dead_processes_of_this_machine_are_cleaned_up_after(tmp_path: Path) -> None:
    dead = subprocess.Popen([sys.executable, "-c", ""])
    dead.wait()
    mine = partial_path(tmp_path / "mine.h5")
    parts = mine.name.split(".")
    parts[-3] = str(dead.pid)
    abandoned = tmp_path / ".".join(parts)
    parts[-4] = "another-machine"
    elsewhere = tmp_path / ".".join(parts)
    others = [tmp_path / "x.partial", tmp_path / ".odd.partial", tmp_path / "shard-00000.h5"]
    for path in (mine, abandoned, elsewhere, *others):
        path.touch()
    assert os.getpid() != dead.pid
    assert remove_abandoned(tmp_path) == [abandoned]
    assert set(tmp_path.iterdir()) == {mine, elsewhere, *others}
    assert remove_abandoned(tmp_path / "absent") == []
