"""The handlers of the server: a page with what it loads, facts of the run, and captions for photos that are sent."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from dataclasses import dataclass
from importlib.resources import files
from typing import Any
from urllib.parse import unquote

from tornado.web import RequestHandler, stream_request_body

from attend.printable import printable
from attend.score.serve.answer import UploadError
from attend.score.serve.hosts import may_ask
from attend.score.serve.worker import STOPPING, Worker

ASSETS = {
    "base.css": "attend.score.viewer",
    "viewer.css": "attend.score.viewer",
    "light.js": "attend.score.viewer",
    "stage.js": "attend.score.viewer",
    "words.js": "attend.score.viewer",
    "viewer.js": "attend.score.viewer",
    "live.css": "attend.score.serve",
    "live.js": "attend.score.serve",
}
KINDS = {"css": "text/css; charset=utf-8", "js": "text/javascript; charset=utf-8"}
HEADERS = {
    "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
    "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "Cache-Control": "no-store",
}


@dataclass(frozen=True)
class Site:
    """What the handlers work with. `told` hears a line about every photo."""

    names: frozenset[str]
    facts: dict[str, Any]
    worker: Worker
    told: Callable[[str], None]


class Page(RequestHandler):
    """What all answers have in common: who may ask, and that mistakes are told as JSON."""

    def initialize(self, site: Site) -> None:
        self.site = site

    def set_default_headers(self) -> None:
        for name, value in HEADERS.items():
            self.set_header(name, value)
        self.clear_header("Server")

    def prepare(self) -> Any:
        if not may_ask(self.request.headers, self.site.names):
            self.refuse(UploadError(403, "this server answers only its own pages, under its own address"))

    def refuse(self, refused: UploadError) -> None:
        """Answer with why not."""
        self.set_status(refused.status)
        self.finish({"error": refused.why})

    def write_error(self, status_code: int, **values: Any) -> None:
        self.finish({"error": f"{status_code}: {self._reason}"})

    def check_etag_header(self) -> bool:
        return False


class Asset(Page):
    """A style or a program."""

    def get(self, name: str) -> None:
        if name not in ASSETS:
            self.refuse(UploadError(404, f"there is no {name}"))
            return
        self.set_header("Content-Type", KINDS[name.rpartition(".")[2]])
        self.finish((files(ASSETS[name]) / "web" / name).read_bytes())


class Home(Page):
    """The page."""

    def get(self) -> None:
        self.set_header("Content-Type", "text/html; charset=utf-8")
        self.finish((files("attend.score.serve") / "web" / "live.html").read_bytes())


class Facts(Page):
    """The run, and what may be sent."""

    def get(self) -> None:
        self.set_header("Content-Type", "application/json")
        self.finish(json.dumps(self.site.facts))


@stream_request_body
class Captions(Page):
    """`POST /captions`: the bytes of one photo; its name, percent-encoded, in `X-Photo-Name`. Nothing goes to disk."""

    def initialize(self, site: Site) -> None:
        super().initialize(site)
        self.limits = site.worker.limits
        self.content = bytearray()
        self.too_large = False

    def prepare(self) -> Any:
        super().prepare()
        if self._finished:
            return
        if self.request.method == "POST" and self._length_told() > self.limits.bytes:
            self.refuse(self._size_refused())

    def data_received(self, chunk: bytes) -> None:
        if len(self.content) + len(chunk) > self.limits.bytes:
            self.too_large = True
            self.content.clear()
        elif not self.too_large:
            self.content += chunk

    async def post(self) -> None:
        name = unquote(self.request.headers.get("X-Photo-Name", "")).strip()[:120] or "the photo"
        try:
            if self.too_large:
                raise self._size_refused()
            found = await self._found(name)
        except UploadError as refused:
            self.site.told(printable(f"{refused.status} {refused.why}"))
            self.refuse(refused)
            return
        self.site.told(printable(f"200 {name!r}: {' '.join(found['captions'][0]['words'])}"))
        self.set_header("Content-Type", "application/json")
        self.finish(json.dumps(found))

    async def _found(self, name: str) -> dict[str, Any]:
        future = self.site.worker.caption(name, bytes(self.content))
        try:
            return await asyncio.wrap_future(future)
        except asyncio.CancelledError:
            if future.cancelled():  # by the worker, which is closed: it waited behind other photos
                raise UploadError(503, STOPPING) from None
            raise

    def _length_told(self) -> int:
        """0 where the header is no number; what comes is counted all the same."""
        try:
            return int(self.request.headers.get("Content-Length", "0"))
        except ValueError:
            return 0

    def _size_refused(self) -> UploadError:
        return UploadError(413, f"a photo may have {self.limits.bytes / 2**20:g} MB: make it smaller")
