"""Looks host names up, as the reactor does, within a bounded time."""

from __future__ import annotations

import asyncio
import socket
from contextlib import suppress
from time import monotonic
from typing import Any

from scrapy.exceptions import CannotResolveHostError
from scrapy.resolver import CachingHostnameResolver, dnscache
from scrapy.utils.datatypes import LocalCache
from twisted.internet.interfaces import IHostResolution, IResolutionReceiver
from typing_extensions import override
from zope.interface import implementer

LIFETIME = 300.0  # seconds; the system's resolver does not say how long an answer holds
LOOPBACK = ["127.0.0.1", "::1"]  # RFC 6761, 6.3; the system's resolver may not know it


class ForgettingResolver(CachingHostnameResolver):
    """Scrapy's resolver for IPv4 and IPv6, whose cache has no end of its own.

    Hosts move: a crawl that goes on for weeks would lose them, or ask who has their address now.
    """

    def __init__(self, reactor: Any, cache_size: int) -> None:
        super().__init__(reactor, cache_size)
        self._holds_until: LocalCache[str, float] = LocalCache(cache_size)

    @override
    def resolveHostName(
        self, resolutionReceiver: Any, hostName: str, *rest: Any, **named: Any
    ) -> Any:
        """Look a name up, unless that was done lately."""
        now = monotonic()
        if now >= self._holds_until.get(hostName, 0.0):
            dnscache.pop(hostName, None)
            self._holds_until[hostName] = now + LIFETIME
        return super().resolveHostName(resolutionReceiver, hostName, *rest, **named)


@implementer(IResolutionReceiver)
class Lookup:
    """Gathers what the reactor's resolver finds; ``addresses`` holds it once all is there."""

    def __init__(self) -> None:
        self.addresses: asyncio.Future[list[str]] = asyncio.get_running_loop().create_future()
        self._found: list[str] = []

    def resolutionBegan(self, resolution: IHostResolution) -> None:  # noqa: N802
        """The look-up has begun."""

    def addressResolved(self, address: Any) -> None:  # noqa: N802
        """One address has been found."""
        self._found.append(address.host)

    def resolutionComplete(self) -> None:  # noqa: N802
        """There will be no more addresses."""
        if not self.addresses.done():
            self.addresses.set_result(self._found)


async def addresses_of(host: str, seconds: float) -> list[str]:
    """The IP addresses of a host, best first; raises CannotResolveHostError."""
    if _is_address(host):
        return [host]
    if host.endswith(".localhost"):
        return LOOPBACK
    found: list[str] = []
    with suppress(UnicodeError, TimeoutError):
        host.encode("idna")
        found = await _look_up(host, seconds)
    if not found:
        raise CannotResolveHostError(f"no address of {host} is found")
    return found


async def _look_up(host: str, seconds: float) -> list[str]:
    from twisted.internet import reactor  # which the crawl chooses

    lookup = Lookup()
    resolver: Any = reactor.nameResolver
    resolver.resolveHostName(lookup, host)
    async with asyncio.timeout(seconds):
        return await lookup.addresses


def _is_address(host: str) -> bool:
    for family in (socket.AF_INET, socket.AF_INET6):
        with suppress(OSError, ValueError):
            socket.inet_pton(family, host.partition("%")[0])
            return True
    return False
