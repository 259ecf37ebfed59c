"""Who may talk to the server: its own pages, under its own names."""

from __future__ import annotations

import pytest

from attend.score.serve.hosts import host_of, may_ask, own_names

NAMES = own_names("photos.lan")


@pytest.mark.parametrize(
    "host", ["localhost:8765", "127.0.0.1:1", "[::1]:8765", "photos.lan", "PHOTOS.LAN:9", "10.0.0.7:80"]
)
def test_own_names_and_addresses_in_numbers_are_answered(host: str) -> None:
    assert may_ask({"Host": host}, NAMES)
    assert may_ask({"Host": host, "Origin": f"http://{host}", "Sec-Fetch-Site": "same-origin"}, NAMES)


@pytest.mark.parametrize(
    "host",
    ["", "evil.example", "localhost.evil.example:8765", "photos.lan.evil.example", "[::1", "127.0.0.1.evil.example"],
)
@pytest.mark.fault("a page elsewhere points its own name at the server", "refused", "Captions and pictures")
def test_other_names_are_refused(host: str) -> None:
    assert not may_ask({"Host": host}, NAMES)


@pytest.mark.parametrize(
    "headers",
    [
        {"Origin": "http://evil.example"},
        {"Origin": "null"},
        {"Origin": "http://localhost:9999"},
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "same-site"},
    ],
)
@pytest.mark.fault("a page elsewhere sends photos to the server", "refused", "Captions and pictures")
def test_other_pages_are_refused(headers: dict[str, str]) -> None:
    assert not may_ask({"Host": "localhost:8765", **headers}, NAMES)


def test_hosts_without_their_ports() -> None:
    assert [host_of(address) for address in ("localhost:1", "[::1]:2", "A.b", "", "[")] == [
        "localhost",
        "::1",
        "a.b",
        "",
        "",
    ]
