"""One extraction at a time in a store, whoever and wherever the other one is."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from attend.data.atomic import host_name
from attend.errors import UserError
from attend.extract.store_lock import LOCK, TAKEOVER, store_lock

OTHER = """
import sys, time
from pathlib import Path
from attend.extract.store_lock import store_lock
with store_lock(Path(sys.argv[1]), print):
    print("at work", flush=True)
    time.sleep(600)
"""


@pytest.fixture
def other(tmp_path):
    """Another process at work in the store `tmp_path`."""
    process = subprocess.Popen([sys.executable, "-c", OTHER, str(tmp_path)], stdout=subprocess.PIPE, text=True)
    assert process.stdout and process.stdout.readline() == "at work\n"
    yield process
    process.kill()
    process.wait()


def end(process: subprocess.Popen) -> None:
    """Kill it and wait until it has ended, leaving its status to somebody else."""
    process.kill()
    os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)


def take(folder: Path) -> list[str]:
    """What is said while the lock is taken and let go."""
    said: list[str] = []
    with store_lock(folder, said.append):
        assert (folder / LOCK).is_file()
    assert not (folder / LOCK).exists()
    return said


def test_nothing_is_left_behind(tmp_path):
    assert take(tmp_path / "new" / "store") == [] and list(tmp_path.iterdir()) == []
    with store_lock(tmp_path / "new" / "store", print):
        (tmp_path / "new" / "store" / "manifest.json").touch()
    assert [path.name for path in (tmp_path / "new" / "store").iterdir()] == ["manifest.json"]


def test_a_process_at_work_is_named_and_nothing_is_touched(tmp_path, other):
    before = (tmp_path / LOCK).read_bytes()
    with pytest.raises(UserError, match=rf"{LOCK}: process {other.pid} of .* on {host_name()} since 2.* is at work in"):
        take(tmp_path)
    assert (tmp_path / LOCK).read_bytes() == before


@pytest.mark.fault("a lock left by a killed extraction", "taken over and said", "Store")
def test_a_killed_process_leaves_a_lock_that_is_taken_over_and_said(tmp_path, other):
    end(other)  # it is a zombie until somebody waits for it
    said = take(tmp_path)
    assert len(said) == 1 and said[0].startswith(f"took the store over: process {other.pid} of ")
    assert said[0].endswith(" has ended")
    assert take(tmp_path) == []


def test_another_process_with_the_number_of_the_one_that_ended(tmp_path, other):
    owner = json.loads((tmp_path / LOCK).read_text())
    (tmp_path / LOCK).write_text(json.dumps(owner | {"begun": owner["begun"] - 3600}))
    assert len(take(tmp_path)) == 1


@pytest.mark.fault("a lock of another machine", "refused with the cure", "Store")
def test_of_another_machine_nobody_here_can_tell(tmp_path, other):
    owner = json.loads((tmp_path / LOCK).read_text()) | {"host": "elsewhere"}
    (tmp_path / LOCK).write_text(json.dumps(owner))
    other.kill()
    with pytest.raises(UserError, match=r"on elsewhere since .*; wait for it, or delete the file if it has ended$"):
        take(tmp_path)
    (tmp_path / LOCK).unlink()
    assert take(tmp_path) == []


def test_a_lock_that_says_nothing(tmp_path):
    (tmp_path / LOCK).touch()
    with pytest.raises(UserError, match=rf"{LOCK} does not say who is at work in the store: delete it if nobody is"):
        take(tmp_path)


@pytest.mark.parametrize(
    ("field", "value"),
    [("process", "7"), ("process", -1), ("process", 2**40), ("process", True), ("begun", "x"), ("host", 3)],
)
@pytest.mark.fault("a lock edited by hand", "refused with the cure, as an empty one", "Store")
def test_a_lock_edited_by_hand_says_nothing(tmp_path, field, value):
    good = {"host": host_name(), "process": 1, "begun": 0.0, "user": "u", "since": "s"}
    (tmp_path / LOCK).write_text(json.dumps(good | {field: value}))
    with pytest.raises(UserError, match=rf"{LOCK} does not say who is at work in the store: delete it if nobody is$"):
        take(tmp_path)


@pytest.mark.fault("OUT is a file, or a link to nothing", "named, with what to do", "Store")
def test_something_else_in_the_place_of_a_folder(tmp_path):
    file, link = tmp_path / "file", tmp_path / "link"
    file.touch()
    link.symlink_to("nowhere")
    for out, what in [
        (file, "is no folder: move it away, or give another OUT"),
        (link, "is a link to nowhere, which is not there: mend the link, or give another OUT"),
    ]:
        with pytest.raises(UserError) as caught:
            take(out / "features" / "store")
        assert str(caught.value) == f"{out} {what}"


def test_of_many_that_take_a_store_over_one_gets_it(tmp_path, other):
    end(other)
    words = [sys.executable, "-c", OTHER, str(tmp_path)]
    many = [subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) for _ in range(4)]
    try:
        said = {process.pid: process.stdout.readline() for process in many if process.stdout}
        losers = [pid for pid, line in said.items() if not line]
        assert len(losers) == 3
        winner = json.loads((tmp_path / LOCK).read_text())["process"]
        assert winner not in losers and not (tmp_path / TAKEOVER).exists()
    finally:
        for process in many:
            process.kill()
            process.communicate()


def test_a_lock_that_somebody_else_holds_now_is_not_removed(tmp_path):
    with store_lock(tmp_path, print):
        other = json.loads((tmp_path / LOCK).read_text()) | {"process": os.getpid() + 1}
        (tmp_path / LOCK).write_text(json.dumps(other))
    assert (tmp_path / LOCK).is_file()


def test_a_store_that_may_only_be_read_needs_no_lock(tmp_path):
    """A real read-only filesystem: a bind mount in a namespace of its own."""
    code = "import sys; from pathlib import Path; from attend.extract.store_lock import store_lock\n"
    code += "with store_lock(Path(sys.argv[1]), print): print('no lock')"
    mount = 'mount --bind "$1" "$1" && mount -o remount,ro,bind "$1" || exit 99; shift; "$@"'
    inside = [sys.executable, "-c", code, str(tmp_path)]
    done = subprocess.run(["unshare", "-rm", "sh", "-c", mount, "sh", str(tmp_path), *inside], capture_output=True)
    if done.returncode == 99 or b"unshare" in done.stderr:
        pytest.skip("this machine does not let a test mount anything: unshare -rm")
    assert done.stdout == b"no lock\n" and list(tmp_path.iterdir()) == [], done.stderr
