"""Which connection a request needs."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import urlsplit

from scrapy.exceptions import NotSupported
from scrapy.utils.url import add_http_if_no_scheme

if TYPE_CHECKING:
    from scrapy import Request

BindAddress = tuple[str, int] | None
DEFAULT_PORTS = {"http": 80, "https": 443}
SITE = re.compile(r"[a-z]+://[^/?#]*", re.IGNORECASE)


class Tunnel(NamedTuple):
    """The proxy that hands a TLS connection on, and what it is told of us."""

    host: str
    port: int
    authorization: bytes | None


class Route(NamedTuple):
    """A connection to ``host``; requests of equal routes can share one.

    Addresses are judged where it is ``guarded``: those of proxies, which the user chose, are not.
    """

    host: str
    port: int
    is_tls: bool
    bind: BindAddress
    guarded: bool = True
    tunnel: Tunnel | None = None


def route_of(request: Request, bind: str | tuple[str, int] | None) -> Route:
    """The way to the request's server or to its proxy, from a local address."""
    direct = _direct(site_of(request.url), request.meta.get("bindaddress") or bind)
    proxy = request.meta.get("proxy")
    return _through(proxy, direct, request) if proxy else direct


def site_of(url: str) -> str:
    """Scheme and authority of a URL, without what is asked for; raises ValueError."""
    found = SITE.match(url)
    if found is None:
        raise ValueError(f"not a URL that can be asked for: {url!r}")
    return found[0]


@lru_cache(1000)
def _direct(site: str, bind: str | tuple[str, int] | None) -> Route:
    parts = urlsplit(site)
    host, port = parts.hostname or "", parts.port or DEFAULT_PORTS[parts.scheme]
    return Route(host, port, parts.scheme == "https", (bind, 0) if isinstance(bind, str) else bind)


def _through(proxy: str, direct: Route, request: Request) -> Route:
    parts = urlsplit(add_http_if_no_scheme(proxy))
    if parts.scheme not in DEFAULT_PORTS:
        raise NotSupported(f"a proxy can be http:// or https://, not {parts.scheme}://")
    host, port = parts.hostname or "", parts.port or DEFAULT_PORTS[parts.scheme]
    if not direct.is_tls:
        return Route(host, port, parts.scheme == "https", direct.bind, guarded=False)
    if parts.scheme == "https":
        raise NotSupported("https:// URLs cannot be fetched through an https:// proxy")
    tunnel = Tunnel(host, port, request.headers.get("Proxy-Authorization"))
    return direct._replace(guarded=False, tunnel=tunnel)
