"""Who may talk to the server: pages of the server itself, under a name that is its own."""

from __future__ import annotations

import ipaddress
import socket
from collections.abc import Mapping
from urllib.parse import urlsplit


def host_of(address: str) -> str:
    """`localhost:8765` → `localhost`, `[::1]:8765` → `::1`; "" for what is no address."""
    try:
        return (urlsplit(f"//{address}").hostname or "").lower()
    except ValueError:
        return ""


def own_names(host: str) -> frozenset[str]:
    """The names under which a server that listens on `host` may be called, besides addresses in numbers."""
    return frozenset({"localhost", host.lower(), socket.gethostname().lower(), socket.getfqdn().lower()} - {""})


def may_ask(headers: Mapping[str, str], names: frozenset[str]) -> bool:
    """Whether a request is for this server and, if a page sent it, from one of this server.

    A page elsewhere can point a name of its own at this machine, so names that are not `names` are refused; an address
    in numbers cannot be pointed elsewhere. A browser says which page sends a request: `Origin`, `Sec-Fetch-Site`. A
    link on a page elsewhere may be followed: that sends no `Origin`, and the page it stands on reads nothing.
    """
    host = headers.get("Host", "")
    name = host_of(host)
    if name not in names and not _is_number(name):
        return False
    origin = headers.get("Origin")
    if origin is not None and origin.partition("://")[2] != host:
        return False
    how = (headers.get("Sec-Fetch-Mode"), headers.get("Sec-Fetch-Dest"))
    followed = origin is None and how == ("navigate", "document")
    return followed or headers.get("Sec-Fetch-Site", "same-origin") in ("same-origin", "none")


def _is_number(name: str) -> bool:
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True
