"""HTTP server of `scrapy browse`, on Scrapy's own Twisted: checks, headers, a pool of threads.

Requests are answered only under the expected names, so that a page of another site that resolves
its name to this address (DNS rebinding) reads nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Any
from urllib.parse import parse_qsl

from twisted.internet.threads import deferToThreadPool
from twisted.python.failure import Failure
from twisted.python.threadpool import ThreadPool
from twisted.web.http import HTTPChannel
from twisted.web.resource import Resource
from twisted.web.server import NOT_DONE_YET, Request, Site
from typing_extensions import override

from sitecrawl.browse.web_pages import TEXT, PageReply, PageRequest, WebPages

ADDRESS = "127.0.0.1"
THREADS = 4
IDLE_SECONDS = 60
MAX_PARAMETERS = 20
CONTENT_SECURITY_POLICY = (
    "default-src 'none'; style-src 'self'; img-src 'self'; form-action 'self'; base-uri 'none';"
    " frame-ancestors 'none'"
)
HEADERS = {
    "Content-Security-Policy": CONTENT_SECURITY_POLICY,
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "interest-cohort=(), camera=(), geolocation=(), microphone=()",
    "Cache-Control": "private, no-cache",
}


class BodylessRequest(Request):
    """Request that is refused as soon as its head announces a body, however long."""

    @override
    def gotLength(self, length: int | None) -> None:
        """Refuse a body; ``length`` is None for one of unknown length."""
        if length == 0:
            super().gotLength(length)  # type: ignore[no-untyped-call]
        elif isinstance(self.channel, BoundedChannel):
            self.channel.refuse(b"413 Content Too Large")


class BoundedChannel(HTTPChannel):
    """Connection that answers a line that is too long, where Twisted closes without a status."""

    @override
    def lineLengthExceeded(self, line: bytes) -> None:
        """Refuse a request line (RFC 9110, 15.5.15) or header field (RFC 6585, 5)."""
        fields = b"431 Request Header Fields Too Large"
        self.refuse(fields if self.requests else b"414 URI Too Long")

    def refuse(self, status: bytes) -> None:
        """Send a status without a body, and close."""
        head = b"HTTP/1.1 " + status + b"\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
        transport: Any = self.transport
        transport.write(head)
        transport.loseConnection()


class BrowseResource(Resource):
    """All paths of the application; ``hosts`` are the accepted values of the header Host.

    Scripts of the pages in ``origins`` may read the search results (CORS).
    """

    isLeaf = True  # noqa: N815 - Twisted's name

    def __init__(
        self, pages: WebPages, pool: ThreadPool, hosts: Collection[str], origins: Collection[str]
    ) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self._pages = pages
        self._pool = pool
        self._hosts = frozenset(host.lower() for host in hosts)
        self._origins = frozenset(origins)

    def render(self, request: Any) -> Any:
        """Answer in a thread, because databases are read."""
        from twisted.internet import reactor

        refused = self._refusal(request)
        if refused is not None:
            _write(request, refused, self._origins)
            return NOT_DONE_YET
        closed: list[Failure] = []
        request.notifyFinish().addErrback(closed.append)

        def write(reply: PageReply) -> None:
            if not closed:
                _write(request, reply, self._origins)

        threads: Any = reactor
        asked = _page_request(request)
        done = deferToThreadPool(threads, self._pool, self._pages.reply, asked)
        done.addErrback(_failed).addCallback(write)
        return NOT_DONE_YET

    def _refusal(self, request: Any) -> PageReply | None:
        if _header(request, "host").lower() not in self._hosts:
            known = ", ".join(sorted(self._hosts))
            return PageReply(f"This server answers as {known}.\n".encode(), TEXT, 421)
        if request.method not in {b"GET", b"HEAD"}:
            text = b"This application only reads: GET and HEAD.\n"
            return PageReply(text, TEXT, 405, headers={"Allow": "GET, HEAD"})
        return None


def serve(
    pages: WebPages,
    port: int,
    hosts: Collection[str],
    origins: Collection[str],
    started: Callable[[], None],
) -> None:
    """Serve on the loopback address until a signal; raises CannotListenError."""
    from twisted.internet import reactor

    loop: Any = reactor
    pool = ThreadPool(1, THREADS, "browse")
    resource = BrowseResource(pages, pool, hosts, origins)
    site: Any = Site(resource, timeout=IDLE_SECONDS)  # type: ignore[no-untyped-call]
    site.displayTracebacks = False
    site.protocol = BoundedChannel
    site.requestFactory = BodylessRequest
    loop.listenTCP(port, site, interface=ADDRESS)
    pool.start()
    loop.addSystemEventTrigger("during", "shutdown", pool.stop)
    loop.callWhenRunning(started)
    loop.run()


def _page_request(request: Any) -> PageRequest:
    path, _, query = request.uri.decode("ascii", "replace").partition("?")
    try:
        pairs = parse_qsl(query, max_num_fields=MAX_PARAMETERS, errors="replace")
    except ValueError:
        pairs = []
    accepted = (_header(request, "accept"), _header(request, "accept-language"))
    return PageRequest(path, dict(reversed(pairs)), *accepted)


def _header(request: Any, name: str) -> str:
    return (request.getHeader(name) or "").strip()


def _failed(failure: Failure) -> PageReply:
    return PageReply(f"Error: {type(failure.value).__name__}\n".encode(), TEXT, 500)


def _write(request: Any, reply: PageReply, origins: Collection[str]) -> None:
    request.setResponseCode(reply.status)
    headers = {**HEADERS, **reply.headers, "Content-Type": reply.type}
    if reply.shared and origins:
        headers["Vary"] = "Origin, Accept"
        if (origin := _header(request, "origin")) in origins:
            headers["Access-Control-Allow-Origin"] = origin
    headers["Content-Length"] = str(len(reply.body))
    for name, value in headers.items():
        request.setHeader(name, value)
    if request.method != b"HEAD":
        request.write(reply.body)
    request.finish()
