"""DNS resolver: the reactor's, with an expiring cache and a time limit."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from time import monotonic
from typing import Any

from scrapy.exceptions import CannotResolveHostError
from scrapy.resolver import CachingHostnameResolver, dnscache
from scrapy.utils.datatypes import LocalCache
from twisted.internet.interfaces import IHostResolution, IResolutionReceiver
from typing_extensions import override
from zope.interface import implementer

from sitecrawl.policy.http.network_addresses import is_address

LIFETIME = 300.0  # seconds; the system's resolver does not report TTLs
LOOPBACK = ["127.0.0.1", "::1"]  # RFC 6761, 6.3; the system's resolver may not know it


class ForgettingResolver(CachingHostnameResolver):
    """Scrapy's resolver for IPv4 and IPv6, with a cache that expires.

    Hosts move: a crawl of several weeks would lose them, or ask the new owner of their address.
    """

    def __init__(self, reactor: Any, cache_size: int) -> None:
        super().__init__(reactor, cache_size)
        self._holds_until: LocalCache[str, float] = LocalCache(cache_size)

    @override
    def resolveHostName(
        self, resolutionReceiver: Any, hostName: str, *rest: Any, **named: Any
    ) -> Any:
        """Look a name up, unless it is cached."""
        now = monotonic()
        if now >= self._holds_until.get(hostName, 0.0):
            dnscache.pop(hostName, None)
            self._holds_until[hostName] = now + LIFETIME
        return super().resolveHostName(resolutionReceiver, hostName, *rest, **named)


@implementer(IResolutionReceiver)
class Lookup:
    """Receiver of the reactor's resolver; ``addresses`` is set once the lookup is complete."""

    def __init__(self) -> None:
        self.addresses: asyncio.Future[list[str]] = asyncio.get_running_loop().create_future()
        self._found: list[str] = []

    def resolutionBegan(self, resolution: IHostResolution) -> None:  # noqa: N802
        """Ignore the beginning of the lookup."""

    def addressResolved(self, address: Any) -> None:  # noqa: N802
        """Record one address."""
        self._found.append(address.host)

    def resolutionComplete(self) -> None:  # noqa: N802
        """Set the result."""
        if not self.addresses.done():
            self.addresses.set_result(self._found)


async def addresses_of(host: str, seconds: float) -> list[str]:
    """Return the IP addresses of a host, best first; raises CannotResolveHostError."""
    if is_address(host):
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
    from twisted.internet import reactor  # installed by the crawl

    lookup = Lookup()
    resolver: Any = reactor.nameResolver
    resolver.resolveHostName(lookup, host)
    async with asyncio.timeout(seconds):
        return await lookup.addresses
