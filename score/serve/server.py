"""The server of `attend serve`: binds, tells its address, answers until it is asked to stop."""

from __future__ import annotations

import asyncio
import errno
import ipaddress
import signal
from collections.abc import Callable, Sequence
from dataclasses import asdict
from socket import socket
from typing import Any

from tornado.httpserver import HTTPServer
from tornado.netutil import bind_sockets
from tornado.web import Application

from attend.errors import UserError
from attend.score.captioner import LoadedCaptioner
from attend.score.serve.answer import KINDS_TOLD, Limits
from attend.score.serve.hosts import own_names
from attend.score.serve.pages import Asset, Captions, Facts, Home, Page, Site
from attend.score.serve.worker import Worker
from attend.score.viewer.view import looking, view_settings
from attend.train.config import SearchSettings

LARGEST_READ = 200 * 2**20
"""Bytes of a request that are read and dropped so that a browser hears why; a larger one is cut off."""
SECONDS_TO_SEND = 120.0


def make_application(worker: Worker, host: str, told: Callable[[str], None]) -> Application:
    """The pages for the worker's captioner, reached under `host`; `told` hears a line about every photo."""
    run, limits = worker.captioner.run, worker.limits
    facts = {
        **view_settings(run),
        "run": run.folder.name,
        "looking": looking(run.variant),
        "encoder": run.fingerprint.encoder,
        "dataset": run.dataset,
        "search": asdict(worker.search),
        "bytes": limits.bytes,
        "kinds": KINDS_TOLD,
    }
    site: dict[str, Any] = {"site": Site(own_names(host), facts, worker, told)}
    return Application(
        [
            (r"/", Home, site),
            (r"/assets/([a-z.]+)", Asset, site),
            (r"/run", Facts, site),
            (r"/captions", Captions, site),
        ],
        default_handler_class=NotFound,
        default_handler_args=site,
        log_function=lambda handler: None,
    )


class NotFound(Page):
    """Any other address."""

    def prepare(self) -> None:
        super().prepare()
        if not self._finished:
            self.set_status(404)
            self.finish({"error": "there is nothing here; the page is /"})


def serve(
    captioner: LoadedCaptioner,
    search: SearchSettings,
    host: str,
    port: int,
    limits: Limits,
    best: int,
    told: Callable[[str], None],
) -> None:
    """Answer on `host`:`port` (0: a free one) until Ctrl-C or SIGTERM. UserError: the address cannot be had."""
    if not host:
        raise UserError("--host is empty: 127.0.0.1 is this machine alone, 0.0.0.0 all its addresses")
    try:
        sockets = bind_sockets(port, host)
    except UnicodeError:
        raise UserError(f"cannot listen on {host}: that is no name of a machine") from None
    except OSError as error:
        if error.errno == errno.EADDRINUSE:
            raise UserError(f"port {port} of {host} is in use: choose another with --port (0: any free one)") from None
        raise UserError(f"cannot listen on {host}, port {port} ({error.strerror or error})") from None
    _ = captioner.encoder  # a mistake in the weights shows now, not at the first photo
    asyncio.run(_answer(Worker(captioner, search, limits, best), host, sockets, told))


async def _answer(worker: Worker, host: str, sockets: Sequence[socket], told: Callable[[str], None]) -> None:
    """Serve until a signal comes."""
    application = make_application(worker, host, told)
    server = HTTPServer(
        application,
        max_body_size=max(LARGEST_READ, worker.limits.bytes),
        body_timeout=SECONDS_TO_SEND,
        idle_connection_timeout=SECONDS_TO_SEND,
    )
    stop = asyncio.Event()
    for asked in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(asked, stop.set)
    server.add_sockets(sockets)
    told(f"{worker.captioner.run.folder.name}: http://{_written(sockets[0])}/  (Ctrl-C stops)")
    if not all(_is_loopback(each) for each in sockets):
        told(f"whoever reaches this machine on {host} can send photos: --host 127.0.0.1 keeps it to yourself")
    await stop.wait()
    server.stop()
    worker.close()
    await server.close_all_connections()


def _written(one: socket) -> str:
    host, port = one.getsockname()[:2]
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"


def _is_loopback(one: socket) -> bool:
    return ipaddress.ip_address(one.getsockname()[0].partition("%")[0]).is_loopback
