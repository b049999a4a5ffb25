"""Writes a request as it goes over the wire."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from sitecrawl.download.decoding import ACCEPT_ENCODING
from sitecrawl.download.routes import DEFAULT_PORTS, site_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from scrapy import Request

    from sitecrawl.download.routes import Route

URL = re.compile(r"[a-z]+://([^/?]*)([!-~]*)", re.IGNORECASE)
TOKEN = re.compile(rb"[!#$%&'*+\-.^_`|~0-9A-Za-z]+")  # RFC 9110, 5.6.2
UNTITLED = {b"Content-Md5": b"Content-MD5", b"Dnt": b"DNT", b"Te": b"TE"}
FRAMING = (b"Content-Length", b"Transfer-Encoding")  # written by what the body is


def request_bytes(request: Request, route: Route) -> bytes:
    """The request for a connection of ``route``; the URL's path and query as they stand.

    Raises ValueError for what would not be one.
    """
    by_proxy = not route.guarded and route.tunnel is None
    method = token(request.method.encode("ascii"))
    lines = [b"%b %b HTTP/1.1" % (method, target(request.url, absolute=by_proxy))]
    if request.body or request.method in ("POST", "PUT"):
        lines.append(b"Content-Length: %d" % len(request.body))
    lines += _fields(request, route)
    if "Accept-Encoding" not in request.headers:
        lines.append(b"Accept-Encoding: " + ACCEPT_ENCODING.encode())
    if "Host" not in request.headers:
        lines.append(b"Host: " + host_of(site_of(request.url)))
    lines += (b"", request.body)
    return b"\r\n".join(lines)


def target(url: str, *, absolute: bool = False) -> bytes:
    """What is asked for: path and query, or for a proxy the whole URL (RFC 9112, 3.2)."""
    url = url.partition("#")[0]
    found = URL.fullmatch(url)
    if found is None:
        raise ValueError(f"not a URL that can be asked for: {url!r}")
    path = found[2] if found[2].startswith("/") else "/" + found[2]
    if "|" in path:  # Tomcat refuses it; Chromium writes it so in the path, and only there
        name, mark, query = path.partition("?")
        path = name.replace("|", "%7C") + mark + query
    if absolute:
        path = url[: found.start(1)] + found[1].rpartition("@")[2] + path
    return path.encode("ascii")


@lru_cache(1000)
def host_of(site: str) -> bytes:
    """The Host field's value for scheme and authority of a URL."""
    parts = urlsplit(site)
    host = parts.hostname or ""
    if ":" in host:
        host = f"[{host}]"
    if parts.port not in (None, DEFAULT_PORTS[parts.scheme]):
        host += f":{parts.port}"
    return host.encode("ascii")


@lru_cache(1000)
def token(name: bytes) -> bytes:
    """A method or a field's name, if it is one; else raises ValueError."""
    if not TOKEN.fullmatch(name):
        raise ValueError(f"not a name in HTTP: {name!r}")
    return UNTITLED.get(name, name)


def _fields(request: Request, route: Route) -> Iterator[bytes]:
    for name, values in dict.items(request.headers):
        if name in FRAMING or (route.tunnel and name == b"Proxy-Authorization"):
            continue
        written = token(name)
        for value in values:
            if b"\n" in value or b"\r" in value:
                value = b" ".join(value.split())  # noqa: PLW2901 - no field ends within its value
            yield b"%b: %b" % (written, value)
