"""Names of hosts: how long their addresses are believed, and hosts that have IPv6 alone."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
from pytest_twisted import ensureDeferred
from scrapy.utils.defer import deferred_from_coro

from fixtures.crawls import CrawlCommand
from fixtures.server import Server, page
from sitecrawl.resolver import ForgettingResolver, addresses_of
from tests.fetch.names import Names
from tests.fetch.test_fetch_ipv6 import LOOPBACK, has_loopback

STEERED = """
from sitecrawl.resolver import ForgettingResolver
from tests.fetch.names import Names


class Steered(ForgettingResolver):
    def __init__(self, reactor, cache_size):
        super().__init__(reactor, cache_size)
        self.original_resolver = Names()
        self.original_resolver.known["site.test"] = ["::1"]
"""


@pytest.fixture
def resolver(names: Names) -> ForgettingResolver:
    """The crawl's resolver in front of the test's name service."""
    from twisted.internet import reactor  # once the reactor is installed

    made: Any = ForgettingResolver(SimpleNamespace(nameResolver=names), 10)
    reactor.installNameResolver(made)
    return made


@pytest.mark.usefixtures("resolver")
@ensureDeferred
async def test_addresses_are_believed_for_a_while(
    names: Names, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def found() -> list[str]:
        return list(await deferred_from_coro(addresses_of("moves.test", 1)))

    names.known["moves.test"] = ["192.0.2.1"]
    assert await found() == ["192.0.2.1"]
    names.known["moves.test"] = ["192.0.2.2"]
    assert await found() == ["192.0.2.1"]
    monkeypatch.setattr("sitecrawl.resolver.monotonic", lambda: 1e12)
    assert await found() == ["192.0.2.2"]
    names.known["moves.test"] = ["192.0.2.3"]
    assert await found() == ["192.0.2.2"]


@pytest.mark.skipif(not has_loopback(), reason="this machine has no address ::1")
def test_a_host_that_has_an_ipv6_address_alone(server: Server, crawl: CrawlCommand) -> None:
    (crawl.directory / "own.py").write_text(STEERED, encoding="utf-8")
    site = {"/": page("/a", title="Start"), "/a": page(title="A"), "/robots.txt": ""}
    port = server.serve(site, LOOPBACK).rpartition(":")[2]
    origin = f"http://site.test:{port}"
    run = crawl(f"{origin}/", settings={"TWISTED_DNS_RESOLVER": "own.Steered"})
    assert run.documents.keys() == {f"{origin}/", f"{origin}/a"}, run.log[-3000:]
    assert server.log.targets() == ["/robots.txt", "/", "/a"]
    assert {each.host for each in server.log.of()} == {f"site.test:{port}"}


def test_names_of_localhost_need_no_name_service(server: Server, crawl: CrawlCommand) -> None:
    site = {"/": page("/a", title="Start"), "/a": page(title="A"), "/robots.txt": ""}
    port = server.serve(site).rpartition(":")[2]
    origin = f"http://app.localhost:{port}"
    run = crawl(f"{origin}/")
    assert run.documents.keys() == {f"{origin}/", f"{origin}/a"}, run.log[-3000:]
    assert {each.host for each in server.log.of()} == {f"app.localhost:{port}"}
