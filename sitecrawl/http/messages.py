"""HTTP/1.1 messages: the route of a request, its bytes, the response's head, body framing."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from typing import NamedTuple
from urllib.parse import urlsplit

from scrapy import Request
from scrapy.exceptions import NotSupported
from scrapy.utils.url import add_http_if_no_scheme

from sitecrawl.http.content_decoding import ACCEPT_ENCODING
from sitecrawl.http.fetch_errors import HeaderTooLargeError, MalformedResponseError

BindAddress = tuple[str, int] | None
DEFAULT_PORTS = {"http": 80, "https": 443}
SOCKS = frozenset({"socks4", "socks4a", "socks5", "socks5h"})
PROXY_PORTS = DEFAULT_PORTS | dict.fromkeys(SOCKS, 1080)
SCHEME_AND_AUTHORITY = re.compile(r"[a-z]+://[^/?#]*", re.IGNORECASE)
HEAD_END = re.compile(rb"\n\r?\n")  # RFC 9112, 2.2: a bare LF ends a line too
STATUS_LINE = re.compile(rb"((?i:HTTP)/\d+(?:\.\d+)?)[ \t]+(\d{1,4})(?!\d)[^\n]*\n")
HEADER_FIELD = re.compile(rb"^([!#$%&'*+\-.^_`|~0-9A-Za-z]+)[ \t]*:(.*)$", re.MULTILINE)
OBSOLETE_FOLD = re.compile(rb"\r?\n[ \t]+")  # RFC 9112, 5.2
BODILESS = frozenset({204, 304})
CONTENT_LENGTH = re.compile(rb"[0-9]{1,18}")
SIZE_LINE = re.compile(rb"[ \t]*([0-9a-fA-F]{1,16})[ \t]*(?:;.*)?")  # RFC 9112, 7.1
MAX_HEAD = 65_536
MAX_CHUNK_LINE = 1024
MAX_TRAILER = 65_536
URL_PARTS = re.compile(r"[a-z]+://([^/?]*)([!-~]*)", re.IGNORECASE)
TOKEN = re.compile(rb"[!#$%&'*+\-.^_`|~0-9A-Za-z]+")  # RFC 9110, 5.6.2
IRREGULAR_NAMES = {b"Content-Md5": b"Content-MD5", b"Dnt": b"DNT", b"Te": b"TE"}
BODY_HEADERS = (b"Content-Length", b"Transfer-Encoding")  # derived from the body


class Tunnel(NamedTuple):
    """Proxy that tunnels a connection, with its credentials."""

    host: str
    port: int
    authorization: bytes | None
    scheme: str


class Route(NamedTuple):
    """Endpoint of a connection; requests of equal routes can share a connection.

    Addresses are checked if ``guarded`` is true; those of proxies, which the user chose, are not.
    """

    host: str
    port: int
    is_tls: bool
    bind: BindAddress
    guarded: bool = True
    tunnel: Tunnel | None = None


def route_of(request: Request, bind: str | tuple[str, int] | None) -> Route:
    """Return the route to the request's server or its proxy, from a local address."""
    direct = _direct(site_of(request.url), request.meta.get("bindaddress") or bind)
    proxy = proxy_of(request)
    return _through(proxy, direct) if proxy else direct


def proxy_of(request: Request) -> Tunnel | None:
    """Return the proxy of a request, if it has one; raises NotSupported."""
    proxy = request.meta.get("proxy")
    if not proxy:
        return None
    parts = urlsplit(add_http_if_no_scheme(proxy))
    if parts.scheme not in PROXY_PORTS:
        raise NotSupported(f"a proxy can be http, https, socks4 or socks5, not {parts.scheme}://")
    port = parts.port or PROXY_PORTS[parts.scheme]
    authorization = request.headers.get("Proxy-Authorization")
    return Tunnel(parts.hostname or "", port, authorization, parts.scheme)


def site_of(url: str) -> str:
    """Return scheme and authority of a URL; raises ValueError."""
    found = SCHEME_AND_AUTHORITY.match(url)
    if found is None:
        raise ValueError(f"not a URL that can be requested: {url!r}")
    return found[0]


@lru_cache(1000)
def _direct(site: str, bind: str | tuple[str, int] | None) -> Route:
    parts = urlsplit(site)
    host, port = parts.hostname or "", parts.port or DEFAULT_PORTS[parts.scheme]
    return Route(host, port, parts.scheme == "https", (bind, 0) if isinstance(bind, str) else bind)


def _through(proxy: Tunnel, direct: Route) -> Route:
    if proxy.scheme in SOCKS:
        return direct._replace(guarded=False, tunnel=proxy)
    if not direct.is_tls:
        is_tls = proxy.scheme == "https"
        return Route(proxy.host, proxy.port, is_tls, direct.bind, guarded=False)
    if proxy.scheme == "https":
        raise NotSupported("https:// URLs cannot be fetched through an https:// proxy")
    return direct._replace(guarded=False, tunnel=proxy)


@dataclass(slots=True)
class ResponseHead:
    """Head of one response; ``fields`` are in order, with names in ``Title-Case``."""

    version: str
    status: int
    fields: list[tuple[bytes, bytes]]

    def values(self, name: bytes) -> list[bytes]:
        """Return all values of the fields called ``name``, in lower case and split at commas."""
        found = [value for key, value in self.fields if key == name]
        return [part.strip() for part in b",".join(found).lower().split(b",")] if found else []


@dataclass(eq=False, slots=True)
class HeadReader:
    """Incremental reader of a response's head of at most ``_left`` bytes; skips interim responses."""

    _left: int = MAX_HEAD
    _buffer: bytearray = field(default_factory=bytearray)

    def take(self, data: bytes) -> tuple[ResponseHead, bytes] | None:
        """Add received bytes; return the complete head and the bytes after it, else None.

        Raises MalformedResponseError for bytes that are not HTTP, and HeaderTooLargeError.
        """
        searched = max(0, len(self._buffer) - 2)
        buffer: bytes | bytearray = data
        if self._buffer:
            self._buffer += data
            buffer = self._buffer
        begin = 0
        while end := HEAD_END.search(buffer, max(begin, searched)):
            head = parse_head(bytes(buffer[begin : end.end()]))
            self._count_bytes(end.end() - begin)
            begin = end.end()
            if not 100 <= head.status < 200:  # RFC 9110, 15.2: interim responses may be ignored
                return head, bytes(buffer[begin:])
        self._buffer_rest(buffer[begin:])
        return None

    def _buffer_rest(self, rest: bytes | bytearray) -> None:
        if b"\n" in rest:
            _read_status(rest)
        if len(rest) > self._left:
            self._count_bytes(len(rest))
        self._buffer = bytearray(rest)

    def _count_bytes(self, size: int) -> None:
        self._left -= size
        if self._left < 0:
            raise HeaderTooLargeError("the response head is larger than 64 KiB")


def parse_head(block: bytes) -> ResponseHead:
    """Parse a complete head. Skip lines that are no header field, as browsers do."""
    found = _read_status(block)
    fields = block[found.end() :]
    if b"\n " in fields or b"\n\t" in fields:
        fields = OBSOLETE_FOLD.sub(b" ", fields)
    pairs = HEADER_FIELD.findall(fields)
    return ResponseHead(
        found[1].decode("ascii"),
        int(found[2]),
        # RFC 9112, 2.2: a bare CR means a space
        [(name.title(), value.strip().replace(b"\r", b" ")) for name, value in pairs],
    )


def _read_status(block: bytes | bytearray) -> re.Match[bytes]:
    found = STATUS_LINE.match(block)
    if found is None:
        raise MalformedResponseError(f"not an HTTP status line: {bytes(block[:80])!r}")
    return found


class Framing:
    """Splitter of the body from its framing; this one takes all bytes up to the connection's end.

    ``rest`` holds the bytes after the body once it is complete. ``ends_by_close``: closing the
    connection is its proper end.
    """

    rest: bytes | None = None
    ends_by_close = True

    def take(self, data: bytes) -> bytes:
        """Return the part of ``data`` that is body; raises MalformedResponseError."""
        return data


class ContentLengthFraming(Framing):
    """Framing by Content-Length."""

    ends_by_close = False

    def __init__(self, size: int) -> None:
        self._left = size

    def take(self, data: bytes) -> bytes:
        """Return the part of ``data`` within the announced length."""
        part = data[: self._left]
        self._left -= len(part)
        if not self._left:
            self.rest = data[len(part) :]
        return part


class ChunkedFraming(Framing):
    """Chunked framing (RFC 9112, 7.1); trailers are discarded."""

    ends_by_close = False

    def __init__(self) -> None:
        self._buffer = b""
        self._left = 0  # bytes of the current chunk that are still to come
        self._trailer = MAX_TRAILER
        self._read = self._read_size  # parser of the next line

    def take(self, data: bytes) -> bytes:
        """Return the chunk data within ``data``."""
        if self._buffer:
            data = self._buffer + data
            self._buffer = b""
        parts: list[bytes] = []
        at = 0
        while at < len(data):
            if self._left:
                part = data[at : at + self._left]
                parts.append(part)
                at += len(part)
                self._left -= len(part)
                continue
            end = data.find(b"\n", at)
            if end < 0:
                self._buffer_rest(data[at:])
                break
            line, at = data[at:end].removesuffix(b"\r"), end + 1
            if self._read(line):
                self.rest = data[at:]
                break
        return b"".join(parts)

    def _buffer_rest(self, begun: bytes) -> None:
        if len(begun) > MAX_CHUNK_LINE:
            raise MalformedResponseError("a line between the chunks does not end")
        self._buffer = begun

    def _read_size(self, line: bytes) -> bool:
        found = SIZE_LINE.fullmatch(line)
        if found is None:
            raise MalformedResponseError(f"not a chunk's size: {line[:80]!r}")
        self._left = int(found[1], 16)
        self._read = self._read_end if self._left else self._read_trailer
        return False

    def _read_end(self, line: bytes) -> bool:
        if line:
            raise MalformedResponseError("a chunk is longer than its size")
        self._read = self._read_size
        return False

    def _read_trailer(self, line: bytes) -> bool:
        self._trailer -= len(line) + 1
        if self._trailer < 0:
            raise MalformedResponseError("the trailer behind the chunks is too large")
        return not line


def framing_of(head: ResponseHead, *, to_head: bool) -> tuple[Framing, int | None]:
    """Return the framing of the body, and its length if announced.

    ``to_head``: the request was a HEAD request. Raises MalformedResponseError.
    """
    if to_head or head.status in BODILESS:
        return ContentLengthFraming(0), 0
    codings = set(head.values(b"Transfer-Encoding")) - {b"identity", b""}
    if codings == {b"chunked"}:
        return ChunkedFraming(), None
    if codings:
        raise MalformedResponseError(f"unknown Transfer-Encoding: {codings}")
    length = _content_length(head.values(b"Content-Length"))
    return (Framing() if length is None else ContentLengthFraming(length)), length


def _content_length(lengths: list[bytes]) -> int | None:
    """Return the length; repeated equal values count once (RFC 9110, 8.6), invalid ones are
    ignored.
    """
    numbers = {int(length) for length in lengths if CONTENT_LENGTH.fullmatch(length)}
    if len(numbers) > 1:
        raise MalformedResponseError(f"Content-Lengths that contradict each other: {lengths[:3]}")
    return next(iter(numbers), None)


def is_persistent(head: ResponseHead) -> bool:
    """Return True if the connection may be reused (RFC 9112, 9.3)."""
    options = head.values(b"Connection")
    if b"close" in options:
        return False
    return head.version.upper() != "HTTP/1.0" or b"keep-alive" in options


def request_bytes(request: Request, route: Route) -> bytes:
    """Serialize a request for a connection of ``route``; path and query of the URL stay as
    written.

    Raises ValueError if the result would not be a valid request.
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
    """Return the request target: path and query, or the whole URL for a proxy (RFC 9112, 3.2)."""
    url = url.partition("#")[0]
    found = URL_PARTS.fullmatch(url)
    if found is None:
        raise ValueError(f"not a URL that can be requested: {url!r}")
    path = found[2] if found[2].startswith("/") else "/" + found[2]
    if "|" in path:  # Tomcat rejects it; Chromium escapes it in the path only
        name, mark, query = path.partition("?")
        path = name.replace("|", "%7C") + mark + query
    if absolute:
        path = url[: found.start(1)] + found[1].rpartition("@")[2] + path
    return path.encode("ascii")


@lru_cache(1000)
def host_of(site: str) -> bytes:
    """Return the Host header's value for scheme and authority of a URL."""
    parts = urlsplit(site)
    host = parts.hostname or ""
    if ":" in host:
        host = f"[{host}]"
    if parts.port not in (None, DEFAULT_PORTS[parts.scheme]):
        host += f":{parts.port}"
    return host.encode("ascii")


@lru_cache(1000)
def token(name: bytes) -> bytes:
    """Return a method or field name if it is a valid token; raises ValueError."""
    if not TOKEN.fullmatch(name):
        raise ValueError(f"not a name in HTTP: {name!r}")
    return IRREGULAR_NAMES.get(name, name)


def _fields(request: Request, route: Route) -> Iterator[bytes]:
    for name, values in dict.items(request.headers):
        if name in BODY_HEADERS or (route.tunnel and name == b"Proxy-Authorization"):
            continue
        written = token(name)
        for value in values:
            if b"\n" in value or b"\r" in value:
                value = b" ".join(value.split())  # noqa: PLW2901 - a value must not end its field
            yield b"%b: %b" % (written, value)
