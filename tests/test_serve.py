"""The server: captions for whatever is sent, clear words for what cannot be captioned, nothing left on a disk."""

from __future__ import annotations

import asyncio
import base64
import http.client
import io
import json
import re
import signal
import socket
import struct
import subprocess
import sys
import threading
import time
import zlib
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from PIL import Image
from tornado.httpserver import HTTPServer
from tornado.netutil import bind_sockets

from attend.errors import UserError
from attend.score.captioner import LoadedCaptioner, load_captioner
from attend.score.serve import worker as worker_module
from attend.score.serve.answer import Limits, UploadError, answer
from attend.score.serve.server import LARGEST_READ, make_application, serve
from attend.score.serve.worker import Worker
from tests.tiny_encoder import drawn_photo, tiny_encoder
from tests.tiny_run import NAME

LIMITS = Limits(bytes=200_000, pixels=1_000_000)


@pytest.fixture(scope="module")
def captioner(photo_run: Path) -> Iterator[LoadedCaptioner]:
    with pytest.MonkeyPatch.context() as patch:
        tiny_encoder(patch)
        found = load_captioner(photo_run / "runs" / NAME, "cpu")
        assert found.encoder
        yield found


@contextmanager
def listening(
    captioner: LoadedCaptioner, told: Callable[[str], None] = lambda line: None, worker: Worker | None = None
) -> Iterator[int]:
    """The port of a server in a thread of this process."""
    worker = worker or Worker(captioner, captioner.run.config.search, LIMITS, best=2)
    loop, ready = asyncio.new_event_loop(), threading.Event()
    sockets = bind_sockets(0, "127.0.0.1")

    async def listen() -> None:
        server = HTTPServer(make_application(worker, "127.0.0.1", told), max_body_size=LARGEST_READ)
        server.add_sockets(sockets)
        ready.set()

    def run() -> None:
        asyncio.set_event_loop(loop)
        starting = loop.create_task(listen())
        loop.run_forever()
        starting.result()

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    ready.wait(10)
    yield sockets[0].getsockname()[1]
    loop.call_soon_threadsafe(loop.stop)
    thread.join(10)
    worker.close()


@pytest.fixture(scope="module")
def port(captioner: LoadedCaptioner) -> Iterator[int]:
    """Where a server listens."""
    with listening(captioner) as found:
        yield found


def ask(port: int, method: str, path: str, body: bytes | None = None, **headers: str) -> tuple[int, dict, dict]:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    connection.request(method, path, body, {name.replace("_", "-"): value for name, value in headers.items()})
    response = connection.getresponse()
    content = response.read()
    connection.close()
    is_json = "json" in response.headers.get("Content-Type", "")
    return response.status, json.loads(content) if is_json else {"text": content.decode()}, dict(response.headers)


def send(port: int, content: bytes, name: str = "photo.png", **headers: str) -> tuple[int, dict]:
    return ask(port, "POST", "/captions", content, X_Photo_Name=name, **headers)[:2]


def encoded(photo: Image.Image, kind: str = "PNG", **options: object) -> bytes:
    file = io.BytesIO()
    photo.save(file, kind, **options)
    return file.getvalue()


def test_a_photo_gets_the_captions_it_gets_elsewhere(port: int, captioner: LoadedCaptioner, photo_run: Path) -> None:
    path = photo_run / "photos" / "photo 9.png"
    status, found = send(port, path.read_bytes())
    assert status == 200
    [expected] = captioner.caption(path, n_best=2, attention=True)
    assert [one["words"] for one in found["captions"]] == [list(one.words) for one in expected]
    best = found["captions"][0]
    assert best["gates"] == pytest.approx(expected[0].gates, abs=1e-4)
    assert best["probabilities"] == pytest.approx(expected[0].probabilities, abs=1e-4)
    maps = np.frombuffer(base64.b64decode(best["maps"]), dtype=np.uint8).reshape(-1, 4) / 255
    peaks = expected[0].attention.max(axis=1, keepdims=True)
    assert maps * peaks == pytest.approx(expected[0].attention, abs=1 / 255)
    assert best["size"] == [40, 47]  # becomes 36 × 42, of which the middle 32 × 32 is seen
    assert best["seen"] == pytest.approx([2 / 36, 5 / 42, 32 / 36, 32 / 42], abs=1e-6)
    with Image.open(io.BytesIO(base64.b64decode(found["photo"].split(",")[1]))) as shown:
        assert (shown.format, shown.size) == ("JPEG", (40, 47))


def test_a_turned_photo_is_captioned_and_shown_upright(port: int, captioner: LoadedCaptioner, tmp_path: Path) -> None:
    exif = Image.Exif()
    exif[0x0112] = 6  # to be turned by a quarter
    path = tmp_path / "turned.jpg"
    drawn_photo(3, (60, 40)).save(path, exif=exif, quality=95)
    status, found = send(port, path.read_bytes())
    assert status == 200
    assert found["captions"][0]["words"] == list(captioner.caption(path)[0].words)
    assert found["captions"][0]["size"] == [40, 60]
    with Image.open(io.BytesIO(base64.b64decode(found["photo"].split(",")[1]))) as shown:
        assert shown.size == (40, 60) and not shown.getexif()


def big_head(width: int, height: int) -> bytes:
    """A PNG whose head promises a size and whose body does not keep it."""
    head = b"IHDR" + struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    body = b"IDAT" + zlib.compress(b"\0" * 100)
    parts = [struct.pack(">I", len(part) - 4) + part + struct.pack(">I", zlib.crc32(part)) for part in (head, body)]
    return b"\x89PNG\r\n\x1a\n" + b"".join(parts)


WHOLE = encoded(drawn_photo(1, (40, 40)), "JPEG")
BAD = {
    "empty": (b"", 422, "photo.png is empty: choose another file"),
    "no picture": (b"GIF, or not", 415, "is not JPEG, PNG, GIF, WebP, BMP or TIFF: convert it"),
    "truncated": (WHOLE[: len(WHOLE) // 2], 422, "photo.png is damaged"),
    "PNG cut in its head": (encoded(drawn_photo(1))[:20], 422, "damaged"),
    "huge": (big_head(2000, 2000), 413, "has 2,000 × 2,000 pixels; 1,000,000 are allowed: make it smaller"),
    "bomb": (big_head(60000, 60000), 413, "has too many pixels; 1,000,000 are allowed"),
    "promises more than it holds": (big_head(500, 500), 422, "damaged"),
    "PostScript, for which Pillow starts another program": (
        b"%!PS-Adobe-3.0 EPSF-3.0\n%%BoundingBox: 0 0 9 9\nshowpage\n",
        415,
        "is not JPEG",
    ),
    "HTML": (b"<script>alert(1)</script>", 415, "is not JPEG"),
    "a strip": (encoded(Image.new("RGB", (90_000, 1))), 422, "is a strip of 90000 × 1 pixels"),
    "too many bytes": (b"x" * 200_001, 413, "a photo may have 0.190735 MB: make it smaller"),
}


@pytest.mark.parametrize("kind", list(BAD))
@pytest.mark.fault(
    "a bad upload: empty, truncated, huge, no photo", "refused in words; the next is captioned", "Captions and pictures"
)
def test_bad_uploads_are_refused_in_words_and_harm_nothing(port: int, kind: str) -> None:
    content, status, message = BAD[kind]
    found = send(port, content)
    assert found[0] == status, found
    assert message in found[1]["error"]
    assert "Traceback" not in found[1]["error"]
    assert send(port, WHOLE)[0] == 200, "the server goes on"


@pytest.mark.parametrize(
    ("photo", "kind", "note"),
    [
        (drawn_photo(1).convert("CMYK"), "JPEG", ""),
        (drawn_photo(1).convert("L"), "PNG", ""),
        (drawn_photo(1).convert("P"), "GIF", ""),
        (drawn_photo(1).convert("RGBA"), "WEBP", ""),
        (Image.fromarray(np.full((40, 40), 60000, dtype=np.uint16)), "PNG", ""),
        (drawn_photo(1).convert("1"), "TIFF", ""),
        (drawn_photo(1), "BMP", ""),
        (drawn_photo(1, (1, 1)), "PNG", ""),
    ],
)
def test_strange_photos_are_captioned(port: int, photo: Image.Image, kind: str, note: str) -> None:
    status, found = send(port, encoded(photo, kind))
    assert status == 200, found
    assert found["note"] == note


@pytest.mark.fault(
    "an animation dropped on the server's page", "its first frame is captioned, and it says so", "Captions and pictures"
)
def test_of_an_animation_the_first_frame_is_captioned(port: int) -> None:
    frames = [drawn_photo(number, (40, 40)) for number in range(3)]
    content = encoded(frames[0], "PNG", save_all=True, append_images=frames[1:])
    status, found = send(port, content)
    assert status == 200
    assert found["note"] == "Only the first frame of this animation was looked at."
    assert found["captions"] == send(port, encoded(frames[0]))[1]["captions"]


@pytest.mark.fault("an upload that says it has 10 GB", "refused before it is sent", "Captions and pictures")
def test_a_length_that_is_too_large_is_refused_before_the_body(port: int) -> None:
    with socket.create_connection(("127.0.0.1", port), timeout=10) as connection:
        connection.sendall(b"POST /captions HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 10000000000\r\n\r\n")
        assert b"413" in connection.recv(1000).split(b"\r\n")[0]


def test_an_upload_without_a_length_is_counted(port: int) -> None:
    with socket.create_connection(("127.0.0.1", port), timeout=20) as connection:
        connection.sendall(b"POST /captions HTTP/1.1\r\nHost: 127.0.0.1\r\nTransfer-Encoding: chunked\r\n\r\n")
        for _ in range(4):
            connection.sendall(b"%x\r\n%s\r\n" % (100_000, b"x" * 100_000))
        connection.sendall(b"0\r\n\r\n")
        assert b"413" in connection.recv(1000).split(b"\r\n")[0]


@pytest.mark.fault("a page elsewhere uses the server of this machine", "refused", "Captions and pictures")
def test_other_names_and_pages_are_refused(port: int) -> None:
    embedded = {"Sec_Fetch_Site": "cross-site", "Sec_Fetch_Mode": "navigate", "Sec_Fetch_Dest": "iframe"}
    posted = {**embedded, "Sec_Fetch_Dest": "document", "Origin": "null"}
    strange = ({"Origin": "http://["}, {"Origin": "evil.example"}, {"Host": "["}, embedded, posted)
    for headers in (
        {"Host": "evil.example"},
        {"Origin": "http://evil.example"},
        {"Sec_Fetch_Site": "cross-site"},
        *strange,
    ):
        for method, path in (("GET", "/"), ("GET", "/run"), ("GET", "/nothing"), ("POST", "/captions")):
            status, found, answered = ask(port, method, path, WHOLE if method == "POST" else None, **headers)
            assert status == 403 and "only its own pages" in found["error"]
            assert "Access-Control-Allow-Origin" not in answered


def test_a_link_on_a_page_elsewhere_can_be_followed(port: int) -> None:
    followed = {"Sec_Fetch_Site": "cross-site", "Sec_Fetch_Mode": "navigate", "Sec_Fetch_Dest": "document"}
    assert ask(port, "GET", "/", **followed)[0] == 200
    assert ask(port, "GET", "/", Host="evil.example", **followed)[0] == 403


@pytest.mark.fault("an upload whose length is no number", "its bytes are counted", "Captions and pictures")
def test_a_length_that_is_no_number_is_not_believed(port: int, caplog: pytest.LogCaptureFixture) -> None:
    for length, body, status in (
        ("3, 3", b"abc", b"415"),  # as some proxies write it
        ("200001, 200001", b"x" * 200_001, b"413"),
        ("abc", b"", b"400"),
    ):
        with socket.create_connection(("127.0.0.1", port), timeout=20) as connection:
            head = f"POST /captions HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: {length}\r\n\r\n"
            connection.sendall(head.encode() + body)
            assert status in connection.recv(1000).split(b"\r\n")[0], length
    assert "Uncaught exception" not in caplog.text


@pytest.mark.fault("a file name that steers a terminal", "told without what steers", "Captions and pictures")
def test_a_file_name_cannot_steer_the_terminal_or_write_a_line_of_its_own(captioner: LoadedCaptioner) -> None:
    lines: list[str] = []
    with listening(captioner, lines.append) as port:
        for content in (b"no photo", WHOLE):
            send(port, content, name="a%1B%5B2J%0A200%20b%E2%80%AE.png")
    assert lines[0].startswith("415 a\ufffd[2J\ufffd200 b\ufffd.png is not JPEG")
    assert len(lines) == 2 and all(line.isprintable() for line in lines)


@pytest.mark.fault("the server is stopped while photos wait", "they are told so", "Captions and pictures")
def test_photos_that_wait_when_the_server_stops_are_told(
    captioner: LoadedCaptioner, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    begun, go = threading.Event(), threading.Event()

    def slow(*words: object) -> None:
        begun.set()
        go.wait(20)
        raise UploadError(422, "done")

    monkeypatch.setattr(worker_module, "answer", slow)
    worker = Worker(captioner, captioner.run.config.search, LIMITS, best=1)
    with listening(captioner, print, worker) as port, ThreadPoolExecutor(2) as pool:
        first = pool.submit(send, port, WHOLE)
        assert begun.wait(20)
        second = pool.submit(send, port, WHOLE)
        while worker._pool._work_queue.empty():
            time.sleep(0.01)
        closing = threading.Thread(target=worker.close)
        closing.start()
        stopping = {"error": "the server is being stopped: start it again"}
        assert second.result(20) == (503, stopping)
        go.set()
        assert first.result(20) == (422, {"error": "done"})
        closing.join()
        assert send(port, WHOLE) == (503, stopping)
    assert "Uncaught exception" not in caplog.text


def test_addresses_methods_and_headers(port: int) -> None:
    status, found, headers = ask(port, "GET", "/")
    assert status == 200 and "Drop a photo" in found["text"]
    assert headers["Content-Security-Policy"].startswith("default-src 'none'; script-src 'self'")
    assert headers["X-Content-Type-Options"] == "nosniff" and headers["Cache-Control"] == "no-store"
    for link in re.findall(r'(?:src|href)="(assets/[^"]+)"', found["text"]):
        assert ask(port, "GET", f"/{link}")[0] == 200, link
    status, facts, _ = ask(port, "GET", "/run")
    assert (status, facts["run"], facts["bytes"], facts["grid"]) == (200, NAME, 200_000, [2, 2])
    for method, path, expected in (
        ("GET", "/none", 404),
        ("GET", "/assets/none.js", 404),
        ("GET", "/assets/..%2fserver.py", 404),
        ("GET", "/captions", 405),
        ("POST", "/", 405),
    ):
        status, found, _ = ask(port, method, path)
        assert status == expected and found["error"], (method, path)


@pytest.mark.fault(
    "a photo no caption of which obeys the search's rules", "said; the server goes on", "Captions and pictures"
)
def test_rules_that_a_photo_cannot_obey_are_said(captioner: LoadedCaptioner) -> None:
    search = replace(captioner.run.config.search, required="dog,cats,chair,window", longest=4)
    with pytest.raises(UploadError, match=r"search\.required: 4 words and the end do not fit") as refused:
        answer(captioner, "photo.jpg", WHOLE, search, LIMITS, 1)
    assert refused.value.status == 422


@pytest.mark.fault("several photos sent at once", "each gets its own captions", "Captions and pictures")
def test_photos_sent_at_once_get_their_own_captions(port: int) -> None:
    contents = [encoded(drawn_photo(number, (40, 40))) for number in range(6)]
    alone = [send(port, content)[1]["captions"] for content in contents]
    with ThreadPoolExecutor(6) as pool:
        together = list(pool.map(lambda content: send(port, content)[1]["captions"], contents))
    assert together == alone


@pytest.mark.fault("more photos sent than can wait", "those beyond are told to come again", "Captions and pictures")
def test_too_many_photos_at_once_are_told_to_come_again(
    captioner: LoadedCaptioner, monkeypatch: pytest.MonkeyPatch
) -> None:
    go = threading.Event()
    monkeypatch.setattr(worker_module, "answer", lambda *words: go.wait(10))
    worker = Worker(captioner, captioner.run.config.search, LIMITS, 1)
    waiting = [worker.caption("x", b"") for _ in range(worker_module.MOST_WAITING)]
    with pytest.raises(worker_module.UploadError, match="8 photos are waiting already: try again") as refused:
        worker.caption("x", b"")
    assert refused.value.status == 503
    go.set()
    assert [future.result() for future in waiting] == [True] * worker_module.MOST_WAITING
    assert worker.caption("x", b"").result() is True, "there is room again"
    worker.close()


@pytest.mark.fault("a port that is in use", "named, with the cure", "Captions and pictures")
def test_a_port_in_use_and_an_address_that_is_none_are_named(captioner: LoadedCaptioner, port: int) -> None:
    for host, number, message in (
        ("127.0.0.1", port, f"port {port} of 127.0.0.1 is in use"),
        ("192.0.2.1", 0, "cannot listen on 192.0.2.1"),
        ("", 0, "--host is empty: 127.0.0.1 is this machine alone"),
        ("a" * 70, 0, "cannot listen on a+: that is no name of a machine"),
    ):
        with pytest.raises(UserError, match=message):
            serve(captioner, captioner.run.config.search, host, number, LIMITS, 1, print)


@pytest.mark.slow
@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM])
def test_the_command_serves_until_it_is_stopped_and_leaves_nothing(photo_run: Path, tmp_path: Path, how: int) -> None:
    """In a process of its own, in an empty folder that is its folder for temporary files too."""
    program = (
        "import sys, pytest\nfrom tests.tiny_encoder import tiny_encoder\n"
        "patch = pytest.MonkeyPatch(); tiny_encoder(patch)\nfrom attend.cli import main\n"
        f"sys.argv = ['attend', 'serve', '--run', {NAME!r}, '--out', {str(photo_run)!r}, '--port', '0']\n"
        "main()"
    )
    root = str(Path(__file__).resolve().parents[1])
    environment = {
        "TMPDIR": str(tmp_path),
        "PYTHONPATH": root,
        "PATH": "/usr/bin:/bin",
        "OMP_NUM_THREADS": "1",
        "HOME": str(tmp_path),
    }
    process = subprocess.Popen(
        [sys.executable, "-c", program],
        cwd=tmp_path,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdout
    assert process.stdout.readline() == "loading the captioner and its encoder\n"
    line = process.stdout.readline()
    found = re.fullmatch(rf"{NAME}: http://127\.0\.0\.1:(\d+)/  \(Ctrl-C stops\)\n", line)
    assert found, line
    status, answered = send(int(found[1]), WHOLE, name="my%20photo.jpg")
    assert status == 200
    process.send_signal(how)
    out, errors = process.communicate(timeout=60)
    assert process.returncode == 0, errors
    assert out == f"200 'my photo.jpg': {' '.join(answered['captions'][0]['words'])}\n"
    assert errors == ""
    assert [path.name for path in tmp_path.rglob("*") if path.is_file() and "cache" not in str(path)] == []
