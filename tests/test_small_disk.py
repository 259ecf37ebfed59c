"""A real filesystem that fills up, and one that may not be written: a small tmpfs in a namespace of its own.

What is on it goes with the namespace, so it is copied out before the command ends.
"""

from __future__ import annotations

import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

import pytest

from attend.data.manifest import Manifest
from attend.data.store_reader import FeatureStore
from attend.data.verify import verify
from attend.train.checkpoint import read_checkpoint
from tests.command_line import ROOT, Done, attend, finish, start
from tests.tiny_attend import register
from tests.tiny_encoder import drawn_items
from tests.tiny_run import NAME
from tests.tiny_store import make_store

pytestmark = pytest.mark.slow

NO_ROOM = "No space left on device: make room and run the same again"
IN_NAMESPACE = """
mount -t tmpfs -o size="$1" none "$2" && cp -r "$3/." "$2" && cd "$2" || exit 99
[ -z "$5" ] || { cat /dev/zero > filler 2> /dev/null; true; }
[ -z "$6" ] || mount -o remount,ro "$2"
folder=$2 copy=$4; shift 6
"$@"; code=$?
rm -f filler 2> /dev/null; cp -r "$folder/." "$copy"
exit $code
"""


def namespaces_work() -> bool:
    """Whether this machine lets an ordinary process mount a tmpfs for itself."""
    if shutil.which("unshare") is None:
        return False
    try_it = ["unshare", "-rm", "sh", "-c", "mount -t tmpfs -o size=64k none /tmp"]
    return subprocess.run(try_it, capture_output=True, check=False).returncode == 0


@dataclass(frozen=True)
class SmallDisk:
    """`run` starts with what is in `seed`; what was on the disk at the end is in `after`."""

    folder: Path

    @property
    def seed(self) -> Path:
        return self.folder / "seed"

    @property
    def after(self) -> Path:
        return self.folder / "after"

    def run(self, size: str, *words: object, full: bool = False, read_only: bool = False) -> Done:
        """`attend` with these words in a filesystem of `size`: `full` of something else, or read-only."""
        for name in ("seed", "disk", "after"):
            (self.folder / name).mkdir(exist_ok=True)
        places = [str(self.folder / name) for name in ("disk", "seed", "after")]
        switches = ["x" if switch else "" for switch in (full, read_only)]
        wrapper = ["unshare", "-rm", "sh", "-c", IN_NAMESPACE, "sh", size, *places, *switches]
        return finish(start(*words, module="tests.tiny_attend", wrapper=wrapper, cwd=ROOT))


@pytest.fixture
def disk(tmp_path: Path) -> SmallDisk:
    if not namespaces_work():
        pytest.skip("this machine does not let a test mount a tmpfs: unshare -rm")
    return SmallDisk(tmp_path)


def photos_with_captions(folder: Path, count: int) -> tuple[object, ...]:
    """`attend features` on photos in `folder`, but for its OUT."""
    items = drawn_items(folder / "own", count)
    lines = [f"{item.image_id},{item.captions[0]}" for item in items]
    (folder / "captions.csv").write_text("\n".join(["image,caption", *lines]))
    source = ("--dataset", "folder", "--images", folder / "own", "--captions", folder / "captions.csv")
    return ("features", *source, "--encoder", "tiny", "--weights", "random:1", "--precision", "float32", "--out")


@pytest.mark.fault(
    "the disk fills up in the middle of an extraction", "one line, exit 2; finished shards stay, it goes on", "Store"
)
def test_extraction_on_a_disk_that_fills_up(disk: SmallDisk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source = photos_with_captions(tmp_path, 40)
    done = disk.run("100k", *source, "out")
    store = disk.after / "out" / "features" / "folder" / "tiny"
    kept = Manifest.load(store)
    assert 4 <= kept.images < 40
    told = f"is full: {kept.images} photos in {len(kept.shards)} shards are safe; make room and run the same again"
    assert (done.code, done.err.splitlines()[-1]) == (2, f"attend: the disk of out/features/folder/tiny {told}")
    assert len(FeatureStore(store).read(FeatureStore(store).ids)) == kept.images
    assert not list(store.glob(".*.partial"))
    register(monkeypatch)
    again = attend(*source, disk.after / "out")
    assert again.code == 0 and f"{40 - kept.images} of 40 photos to do" in again.out
    assert verify(store) == []


@pytest.mark.fault("a disk that is full before an extraction", "one line with the path, exit 2", "Store")
def test_extraction_on_a_full_disk(disk: SmallDisk, tmp_path: Path) -> None:
    done = disk.run("100k", *photos_with_captions(tmp_path, 4), "out", full=True)
    assert done.code == 2
    assert done.err.splitlines()[-1] == f"attend: out/features/folder/tiny/.extracting: {NO_ROOM}"


@pytest.mark.fault(
    "the disk fills up while a checkpoint is written", "one line, exit 2; the earlier checkpoint is whole", "Training"
)
def test_training_on_a_disk_that_fills_up(disk: SmallDisk) -> None:
    make_store(disk.seed / "features" / "tiny" / "tiny", images=8, validation=2)
    settings = (
        "model.units=64 model.embedding=64 batches.size=4 optim.precision=float32 optim.epochs=3 "
        "search.longest=8 search.beam=1"
    )
    words = ("train", "--dataset", "tiny", "--encoder", "tiny", "--run", "r", "--set", settings, "--out")
    done = disk.run("1200k", *words, ".")
    assert done.code == 2
    line = done.err.splitlines()[-1]
    assert line.startswith("attend: runs/r/last.pt could not be written (") or line.startswith(
        "attend: runs/r/best.pt could not be written ("
    )
    assert line.endswith("the earlier one is kept: make room, then RESUME=1 goes on from last.pt")
    run = disk.after / "runs" / "r"
    assert not list(run.glob(".*.partial"))
    assert read_checkpoint(run / "last.pt")["position"]["step"] > 0
    (disk.after / "features").rename(disk.folder / "features")
    shutil.move(disk.after / "runs", disk.folder / "runs")
    resumed = attend(*words, disk.folder, "--resume")
    assert resumed.code == 0, resumed.err
    assert "all 3 epochs done" in resumed.out


@pytest.fixture
def scored(disk: SmallDisk, photo_run: Path, monkeypatch: pytest.MonkeyPatch) -> SmallDisk:
    """A run on photos with scores and a report."""
    shutil.copytree(photo_run, disk.seed)
    register(monkeypatch)
    assert attend("bleu", "--run", NAME, "--out", disk.seed, "--split", "val").code == 0
    return disk


@pytest.mark.fault("no room for new scores", "one line, exit 2; the old scores and captions stay whole", "Scores")
def test_scoring_on_a_full_disk(scored: SmallDisk) -> None:
    done = scored.run("4m", "bleu", "--run", NAME, "--out", ".", "--split", "val", "--beam", 1, full=True)
    assert done.code == 2
    assert done.err.splitlines()[-1] == f"attend: runs/{NAME}/captions-val.json: {NO_ROOM}"
    for name in ("captions-val.json", "scores-val.json"):
        old, now = scored.seed / "runs" / NAME / name, scored.after / "runs" / NAME / name
        assert now.read_bytes() == old.read_bytes()
    assert not list((scored.after / "runs" / NAME).glob(".*.partial"))


@pytest.mark.fault(
    "no room for the captions of a folder", "one line, exit 2; the old file stays whole", "Captions and pictures"
)
def test_captions_to_a_file_on_a_full_disk(scored: SmallDisk) -> None:
    (scored.seed / "captions.jsonl").write_text("old\n")
    words = ("caption", "--run", NAME, "--out", ".", "--images", "photos", "--output", "captions.jsonl")
    done = scored.run("4m", *words, full=True)
    assert done.code == 2
    assert done.err.splitlines()[-1] == f"attend: captions.jsonl: {NO_ROOM}"
    assert (scored.after / "captions.jsonl").read_text() == "old\n"
    assert not list(scored.after.glob(".*.partial"))


@pytest.mark.fault(
    "a store and a run on a disk that may not be written",
    "features has nothing to do and says so; new scores are refused in one line, exit 2",
    "Store",
)
def test_a_read_only_disk(scored: SmallDisk, tmp_path: Path) -> None:
    source = photos_with_captions(tmp_path, 6)
    assert attend(*source, scored.seed).code == 0
    again = scored.run("4m", *source, ".", read_only=True)
    assert (again.code, again.out.splitlines()[-1]) == (0, "nothing to extract: features/folder/tiny has 6 photos")
    other = scored.run("4m", "bleu", "--run", NAME, "--out", ".", "--split", "val", "--beam", 1, read_only=True)
    told = f"attend: runs/{NAME}/captions-val.json: Read-only file system"
    assert (other.code, other.err.splitlines()[-1]) == (2, told)
