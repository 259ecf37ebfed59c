"""Workers make the store that one process makes, whatever dies."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
from dataclasses import replace
from pathlib import Path

import dask
import pytest
from click.testing import CliRunner, Result
from distributed import Client, LocalCluster

from attend.cli import attend
from attend.data.manifest import Manifest
from attend.data.verify import verify
from attend.errors import UserError
from attend.extract.cluster import joining, running, worker
from attend.extract.cluster.joining import LOCAL, joined
from attend.extract.cluster.setup import Setup
from attend.extract.cluster.worker import check_fit
from attend.extract.encoders import build_encoder
from attend.extract.images import Preprocessing
from attend.extract.libraries import library_versions
from attend.extract.plan import ShardTask, plan_shards
from attend.extract.shard_job import Job
from attend.extract.timing import Clock
from tests.poison import POISON, environment
from tests.tiny_encoder import CPU, drawn_items, tiny_encoder

pytestmark = pytest.mark.slow
ENCODER = "efficientnet_lite0"
PHOTOS = 12


@pytest.fixture(scope="module")
def cluster(tmp_path_factory):
    """A scheduler with two workers that have the reader of poison, as if somebody had started them."""
    with pytest.MonkeyPatch.context() as patch:
        for name, value in environment(tmp_path_factory.mktemp("poison")).items():
            patch.setenv(name, value)
        with (
            dask.config.set(LOCAL),
            LocalCluster(
                n_workers=2, threads_per_worker=1, dashboard_address="127.0.0.1:0", silence_logs=50
            ) as cluster,
        ):
            yield cluster


@pytest.fixture(scope="module")
def one_process(tmp_path_factory) -> Path:
    """The store as one process makes it, with one photo that is damaged."""
    work = tmp_path_factory.mktemp("one process")
    make_photos(work)
    assert features(work).exit_code == 1
    return work / "out"


def make_photos(work: Path) -> list[Path]:
    items = drawn_items(work / "photos", PHOTOS, (40, 40))
    items[3].path.write_bytes(b"damaged")
    lines = [f"{item.image_id},{item.captions[0]}\n" for item in items]
    (work / "captions.csv").write_text("".join(["image,caption\n", *lines]))
    return [item.path for item in items]


def features(work: Path, *words: str, rows: int = 4) -> Result:
    source = ["--dataset", "folder", "--images", str(work / "photos"), "--captions", str(work / "captions.csv")]
    what = ["--encoder", ENCODER, "--weights", "random:1", "--precision", "float32", "--shard-rows", str(rows)]
    return CliRunner().invoke(attend, ["features", *source, *what, "--out", str(work / "out"), *words])


def store_of(out: Path) -> Path:
    return out / "features" / "folder" / ENCODER


def content(out: Path, work: Path) -> dict[str, bytes]:
    """Every file of a store but the times of the photos and the place they lie in."""
    folder = store_of(out)
    files = {path.name: path.read_bytes() for path in folder.iterdir() if path.suffix == ".h5"}
    for name in ("items.jsonl", "problems.jsonl"):
        files[name] = (folder / name).read_bytes().replace(str(work).encode(), b"")
    records = [replace(shard, photos=()) for shard in Manifest.load(folder).shards]
    return files | {"manifest": repr(records).encode()}


@pytest.mark.fault("two workers", "the store of one process, byte for byte", "Scale and hardware")
def test_the_same_store_as_one_process(cluster, one_process, tmp_path):
    make_photos(tmp_path)
    result = features(tmp_path, "--scheduler", cluster.scheduler_address)
    assert result.exit_code == 1 and "dashboard: http://127.0.0.1:" in result.stdout
    assert f"{ENCODER} with weights random:1 on 2 workers on cpu in float32" in result.stdout
    assert "12 of 12 photos to do, about" in result.stdout and "photos without features: 1" in result.stderr
    assert content(tmp_path / "out", tmp_path) == content(one_process, one_process.parent)
    left = [problem.where for problem in verify(store_of(tmp_path / "out"))]
    assert left == ["3.png"] and not list(store_of(tmp_path / "out").glob(".*"))


def kill_once_it_works(process: int, folder: Path) -> None:
    """In a thread: SIGKILL for a worker as soon as the first shard is in the manifest."""
    manifest = folder / "manifest.json"
    while not (manifest.is_file() and Manifest.load(folder).shards):
        time.sleep(0.01)
    os.kill(process, signal.SIGKILL)


@pytest.mark.fault(
    "a worker killed in the middle", "its shard is done again, the result is the same", "Scale and hardware"
)
def test_a_worker_that_is_killed_costs_nothing_but_time(cluster, one_process, tmp_path):
    make_photos(tmp_path)
    before = {worker.pid for worker in cluster.workers.values()}
    args = (next(iter(cluster.workers.values())).pid, store_of(tmp_path / "out"))
    killer = threading.Thread(target=kill_once_it_works, args=args, daemon=True)
    killer.start()
    result = features(tmp_path, "--scheduler", cluster.scheduler_address)
    killer.join(10)
    assert not killer.is_alive() and "photos without features: 1" in result.stderr
    assert content(tmp_path / "out", tmp_path) == content(one_process, one_process.parent)
    wait_for_two(cluster)
    assert {worker.pid for worker in cluster.workers.values()} != before


def wait_for_two(cluster) -> None:
    with Client(cluster) as client:
        client.wait_for_workers(2, timeout=120)


def by_hand(words: list[str], log: Path, request: pytest.FixtureRequest) -> subprocess.Popen[bytes]:
    """`dask …` as somebody types it, ended with the test."""
    with log.open("wb") as output:
        process = subprocess.Popen(
            [sys.executable, "-m", "dask", *words], stdout=output, stderr=output, start_new_session=True
        )
    request.addfinalizer(process.wait)
    request.addfinalizer(process.kill)
    return process


@pytest.mark.fault(
    "a scheduler and two workers started by hand, one of them killed half-way",
    "the store of one process, byte for byte",
    "Scale and hardware",
)
def test_a_cluster_that_was_started_by_hand_loses_a_worker(one_process, tmp_path, request):
    make_photos(tmp_path)
    file = tmp_path / "scheduler.json"
    words = ["--host", "127.0.0.1", "--port", "0", "--no-dashboard", "--scheduler-file", str(file)]
    by_hand(["scheduler", *words], tmp_path / "scheduler.log", request)
    while not (file.is_file() and file.read_text().endswith("}")):
        time.sleep(0.05)
    address = json.loads(file.read_text())["address"]
    words = ["worker", address, "--nthreads", "1", "--no-nanny", "--no-dashboard"]
    first, second = (by_hand(words, tmp_path / f"worker {number}.log", request) for number in range(2))
    with Client(address) as client:
        client.wait_for_workers(2, timeout=120)
    folder = store_of(tmp_path / "out")
    killer = threading.Thread(target=kill_once_it_works, args=(first.pid, folder), daemon=True)
    killer.start()
    result = features(tmp_path, "--scheduler", address)
    killer.join(10)
    assert first.wait(10) == -signal.SIGKILL and second.poll() is None
    assert f"{ENCODER} with weights random:1 on 2 workers on cpu in float32" in result.stdout
    assert result.exit_code == 1 and "photos without features: 1" in result.stderr
    assert content(tmp_path / "out", tmp_path) == content(one_process, one_process.parent)


@pytest.mark.fault(
    "a photo that kills the process that decodes it", "named; its shard is finished without it", "Scale and hardware"
)
def test_a_photo_that_kills_costs_itself(cluster, tmp_path):
    paths = make_photos(tmp_path)
    paths[6].write_bytes(POISON)
    wait_for_two(cluster)
    result = features(tmp_path, "--scheduler", cluster.scheduler_address)
    assert result.exit_code == 1, result.output
    died = "workers died of 12 photos from 0.png on: done again without those that kill, if any does"
    assert result.stdout.count("workers died") == 1 and died in result.stdout  # of the sample: then they are known
    assert f"{paths[6]} kills the process that decodes it (SIGKILL): replace it" in result.stderr
    lines = (store_of(tmp_path / "out") / "problems.jsonl").read_text().splitlines()
    assert len(lines) == 2 and "3.png" in lines[0] and "6.png" in lines[1]
    assert {problem.where for problem in verify(store_of(tmp_path / "out"))} == {"3.png", "6.png"}
    wait_for_two(cluster)


@pytest.mark.fault(
    "workers with other versions, weights or folders", "refused, what differs is named", "Scale and hardware"
)
def test_workers_that_do_not_fit_are_refused_by_name(cluster, tmp_path, monkeypatch):
    wait_for_two(cluster)
    items = drawn_items(tmp_path / "photos", 2, (40, 40))
    encoder = build_encoder(ENCODER, "random:1", CPU, "float32")
    encoder.weights_sha256 = "0" * 64
    job = Job(tmp_path / "store", Preprocessing(), "zstd", {}, 4, 1)
    with (
        joined(None, cluster.scheduler_address, "auto", "float32", print) as crew,
        pytest.raises(
            UserError, match=r"^worker process \d+ on \S+ has other weights under random:1 \(sha256 \w{8}…, not"
        ),
    ):
        list(crew.run(plan_shards(items, []), encoder, job, Clock()))
    assert list((tmp_path / "store").iterdir()) == []
    here = joining.library_versions()
    monkeypatch.setattr(joining, "library_versions", lambda: here | {"pillow": "1"})
    with (
        pytest.raises(
            UserError, match=rf"has pillow {here['pillow']}, the coordinating process pillow 1: install the same"
        ),
        joined(None, cluster.scheduler_address, "auto", "float32", print),
    ):
        pass


def encoders_built(cluster) -> dict[str, int]:
    """Worker → how many encoders it has built in its life."""
    with Client(cluster) as client:
        return client.run(lambda: worker._build.cache_info().misses)


@pytest.mark.fault("5,000 photos on a cluster", "no large graph; one encoder a worker", "Scale and hardware")
def test_5000_photos_travel_light_and_the_encoder_is_built_once(cluster, tmp_path, recwarn):
    """Ids and paths alone: no captions, no model. Photos that are not there cost no encoder's time."""
    (item,) = drawn_items(tmp_path / "photos", 1, (40, 40))
    words = ("a long caption " * 20,) * 5
    items = [replace(item, image_id=f"{n}", path=tmp_path / f"{n}.png", captions=words) for n in range(4999)]
    encoder = build_encoder(ENCODER, "random:1", CPU, "float32")
    job = Job(tmp_path / "store", Preprocessing(), "zstd", {}, 50, 1)
    said: list[int] = []
    before = encoders_built(cluster)
    with joined(None, cluster.scheduler_address, "auto", "float32", print) as crew:
        results = list(crew.run(plan_shards([*items, item], []), encoder, job, Clock(), said.append))
    assert all(count - before.get(address, 0) <= 1 for address, count in encoders_built(cluster).items())
    assert sorted(result.index for result in results) == [0, 1, 2, 3, 4] and sum(said) == 5000
    assert sum(len(result.problems) for result in results) == 4999
    assert [str(warning.message) for warning in recwarn if "arge" in str(warning.message)] == []


def test_what_is_raised_in_a_worker_ends_the_run(cluster, tmp_path):
    make_photos(tmp_path)
    result = features(tmp_path, "--scheduler", cluster.scheduler_address, "--on-error", "stop")
    assert isinstance(result.exception, UserError) and "ON_ERROR=skip goes on without it" in str(result.exception)
    assert not list(store_of(tmp_path / "out").glob(".*.partial"))


@pytest.mark.fault("a scheduler that does not answer", "refused with the cure", "Scale and hardware")
def test_a_scheduler_nobody_answers_for(tmp_path):
    make_photos(tmp_path)
    result = features(tmp_path, "--scheduler", "tcp://127.0.0.1:9")
    cure = "start one with `dask scheduler`, or give WORKERS=n for workers on this machine"
    assert str(result.exception) == f"SCHEDULER=tcp://127.0.0.1:9: no scheduler answers there: {cure}"
    assert not (tmp_path / "out").exists()


@pytest.mark.fault("a scheduler without workers", "waited for, then refused with the cure", "Scale and hardware")
def test_a_scheduler_without_workers(tmp_path, monkeypatch):
    monkeypatch.setattr(joining, "SECONDS_FOR_WORKERS", 1)
    said: list[str] = []
    with LocalCluster(n_workers=0, dashboard_address="127.0.0.1:0") as cluster:
        address = cluster.scheduler_address
        with pytest.raises(UserError) as caught, joined(None, address, "auto", "auto", said.append):
            pass
    assert said == [f"{address} has no workers yet: waiting up to 1 s for the first"]
    cure = f"start some with `dask worker {address} --nthreads 1`"
    assert str(caught.value) == f"SCHEDULER={address} got no worker in 1 s: {cure}"


def test_a_worker_that_comes_late_is_checked_too(tmp_path):
    versions = library_versions()
    setup = Setup(ENCODER, "random:1", "", "float32", "cpu", tmp_path / "store" / "token", (), tuple(versions.items()))
    with pytest.raises(UserError, match=rf"does not see {tmp_path}/store: all need the store under the same path$"):
        check_fit(setup)
    others = tuple((versions | {"torch": "0.1"}).items())
    with pytest.raises(
        UserError, match=r"^worker process \d+ on \S+ has torch .*, the coordinating process torch 0.1: inst"
    ):
        check_fit(replace(setup, versions=others))


@pytest.mark.fault("no worker is left", "ends; what is safe is said", "Scale and hardware")
def test_when_no_worker_is_left_the_run_ends_with_what_is_safe(monkeypatch):
    monkeypatch.setattr(running, "SECONDS_WITHOUT_WORKERS", 0.2)
    monkeypatch.setattr(running, "SECONDS_BETWEEN_LOOKS", 0.1)
    with LocalCluster(n_workers=0, dashboard_address="127.0.0.1:0") as nobody, Client(nobody) as client:
        workers = running.Workers(client, "cpu", (), print)
        cure = "finished shards are safe; start workers and run the same again"
        with pytest.raises(UserError, match=f"^no worker is left for 0.2 s: {cure}$"):
            workers._finished({client.submit(abs, -1): ShardTask(0, ())})


@pytest.mark.fault("the scheduler is killed during the work", "ends; what is safe is said", "Scale and hardware")
def test_a_scheduler_that_is_killed_ends_the_run_with_what_is_safe(tmp_path, request, monkeypatch):
    monkeypatch.setattr(running, "SECONDS_BETWEEN_LOOKS", 0.1)
    monkeypatch.setattr(running, "SECONDS_WITHOUT_WORKERS", 30)
    file = tmp_path / "scheduler.json"
    words = ["--host", "127.0.0.1", "--port", "0", "--no-dashboard", "--scheduler-file", str(file)]
    scheduler = subprocess.Popen(
        [sys.executable, "-m", "distributed.cli.dask_scheduler", *words], stderr=subprocess.DEVNULL
    )
    request.addfinalizer(scheduler.wait)
    request.addfinalizer(scheduler.kill)
    while not (file.is_file() and file.read_text().endswith("}")):
        time.sleep(0.05)
    items = drawn_items(tmp_path / "photos", 2)
    job = Job(tmp_path / "store", Preprocessing("whole", 32, 36), "none", {}, 2, 1)
    with Client(scheduler_file=str(file)) as client:
        threading.Timer(1, scheduler.kill).start()
        work = running.Workers(client, "cpu", (), print).run(
            [ShardTask(0, tuple(items))], tiny_encoder(monkeypatch), job, Clock()
        )
        with pytest.raises(UserError) as caught:
            list(work)
    assert str(caught.value) == "the scheduler went away: finished shards are safe; run the same again"
    assert not list((tmp_path / "store").iterdir())


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--workers", "0"], "WORKERS=0: at least 1; leave it out for one process without a cluster"),
        (["--workers", "2", "--scheduler", "tcp://x:1"], "SCHEDULER= joins those that run already: give one of them"),
        (["--workers", "2", "--device", "cuda:1"], "DEVICE=cuda:1: each worker takes a GPU of its own"),
    ],
)
def test_requests_that_make_no_sense(tmp_path, words, message):
    make_photos(tmp_path)
    result = features(tmp_path, *words)
    assert isinstance(result.exception, UserError) and message in str(result.exception)
    assert not (tmp_path / "out").exists()


def test_one_process_starts_without_dask():
    code = "import sys, attend.commands.features; sys.exit('dask' in sys.modules or 'distributed' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
