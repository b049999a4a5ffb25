"""Which connection a request needs."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import urlsplit

from scrapy.exceptions import NotSupported
from scrapy.utils.httpobj import urlparse_cached
from scrapy.utils.url import add_http_if_no_scheme

if TYPE_CHECKING:
    from scrapy import Request

BindAddress = tuple[str, int] | None
DEFAULT_PORTS = {"http": 80, "https": 443}


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
    parts = urlparse_cached(request)
    host, port = parts.hostname or "", parts.port or DEFAULT_PORTS[parts.scheme]
    bind = request.meta.get("bindaddress") or bind
    if isinstance(bind, str):
        bind = (bind, 0)
    direct = Route(host, port, parts.scheme == "https", bind)
    proxy = request.meta.get("proxy")
    return _through(proxy, direct, request) if proxy else direct


def _through(proxy: str, direct: Route, request: Request) -> Route:
    parts = urlsplit(add_http_if_no_scheme(proxy))
    host, port = parts.hostname or "", parts.port or (443 if parts.scheme == "https" else 80)
    if not direct.is_tls:
        return Route(host, port, parts.scheme == "https", direct.bind, guarded=False)
    if parts.scheme == "https":
        raise NotSupported("https:// URLs cannot be fetched through an https:// proxy")
    tunnel = Tunnel(host, port, request.headers.get("Proxy-Authorization"))
    return direct._replace(guarded=False, tunnel=tunnel)
