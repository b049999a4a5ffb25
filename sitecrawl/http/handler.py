"""Download handler: sends a request over a pooled connection, builds Scrapy's response."""

from __future__ import annotations

import asyncio
from pathlib import Path
from time import monotonic, time
from typing import TYPE_CHECKING

from scrapy import Request, signals
from scrapy.core.downloader.handlers.base import BaseDownloadHandler
from scrapy.crawler import Crawler
from scrapy.exceptions import NotConfigured, StopDownload
from scrapy.http import Headers, Response
from scrapy.responsetypes import responsetypes
from scrapy.utils.asyncio import is_asyncio_available

from sitecrawl.config.options.fetching import FetchParams
from sitecrawl.http.agent_identity import AgentIdentity, read_identity
from sitecrawl.http.connection import Connection, ConnectionPool, max_idle_connections
from sitecrawl.http.content_decoding import decode_body, decode_prefix
from sitecrawl.http.dialing import Certificates, Dialer
from sitecrawl.http.downloader import CrawlStop, DownloadStopper
from sitecrawl.http.exchange import Exchange, address_rule, fetch_params
from sitecrawl.http.fetch_errors import (
    BrokenEncodingError,
    DecodedTooLargeError,
    KeyExpiredError,
    LeaseExpiredError,
    UnansweredError,
)
from sitecrawl.http.messages import ResponseHead, host_of, request_bytes, route_of, site_of
from sitecrawl.policy.http.network_addresses import AddressRule
from sitecrawl.reqmeta import SENT_AT, WIRE_BYTES, is_login, origin_of, robots_of
from sitecrawl.web.robots.robots_txt import SIZE_LIMIT

if TYPE_CHECKING:
    from sitecrawl.http.archiving import Archive


ROBOTS_SIZE = SIZE_LIMIT + 1  # one byte more, so that the reader notices truncation
# Hop-by-hop headers (RFC 9110, 7.6.1) do not reach the response.
HOP_BY_HOP = frozenset(
    b"Connection Content-Length Keep-Alive Proxy-Connection Te Trailers Transfer-Encoding "
    b"Upgrade".split()
)
IDEMPOTENT = frozenset({"GET", "HEAD", "OPTIONS", "TRACE"})
"""Methods of requests that may be repeated automatically (RFC 9110, 9.2.2)."""


class ResponseBuilder:
    """Body policy of one request, which builds Scrapy's response."""

    def __init__(self, request: Request, params: FetchParams, stopper: DownloadStopper) -> None:
        self.prefix = robots_of(request) is not None
        self.limit = ROBOTS_SIZE if self.prefix else params.max_body_size
        self.limit_option = "max_body_size"
        self._params = params
        self.to_head = request.method == "HEAD"
        self._request = request
        self._stopper = stopper
        self._began = monotonic()
        self._stopped: StopDownload | None = None

    def begun(self, head: ResponseHead, length: int | None) -> bool:
        """Keep the head; return True if the body is wanted."""
        self._request.meta["download_latency"] = monotonic() - self._began
        self._head, self._length = head, length
        self._headers = _headers(head, length, to_head=self.to_head)
        self._stopped = self._stopper.decide(self._request, self._headers, length)
        if self._stopper.is_file(self._request, self._headers):
            self.limit, self.limit_option = self._params.max_file_size, "max_file_size"
        return self._stopped is None

    def is_whole(self, body: bytes) -> bool:
        """Return True if the announced length is that of the body before compression.

        Browsers read such a page too. A truncated body does not decompress.
        """
        names = self._encodings()
        try:
            return bool(names) and len(decode_body(body, names, self.limit)) == self._length
        except (BrokenEncodingError, DecodedTooLargeError):
            return False

    def response(self, body: bytes, received: int, connection: Connection | None) -> Response:
        """Return Scrapy's response; it came from an archive if there is no connection.

        Raises BrokenEncodingError, DecodedTooLargeError, StopDownload.
        """
        url = self._request.url.partition("#")[0]
        body = self._decoded(body)
        kind = responsetypes.from_args(headers=self._headers, url=url, body=body)
        response = kind(
            url=url,
            status=self._head.status,
            body=body,
            certificate=connection.certificate if connection else None,
            ip_address=connection.address if connection else None,
            protocol=self._head.version,
        )
        response.headers = self._headers  # the constructor would copy them
        if self._stopped is None:
            self._request.meta[WIRE_BYTES] = received
            return response
        response.flags.append("download_stopped")
        if self._stopped.fail:
            self._stopped.response = response
            raise self._stopped
        return response

    @property
    def head(self) -> ResponseHead | None:
        """The head of a response whose body was wanted; None if the download was stopped."""
        return None if self._stopped is not None or self.to_head else self._head

    def _decoded(self, body: bytes) -> bytes:
        """Decode the body; that of a robots.txt or of an error as far as possible."""
        names = self._encodings()
        if not body or not names:
            return body
        decode = decode_prefix if self.prefix or self._head.status >= 300 else decode_body
        del self._headers["Content-Encoding"]
        return decode(body, names, self.limit)

    def _encodings(self) -> list[str]:
        return [name.decode("latin-1") for name in self._headers.getlist("Content-Encoding")]


def _headers(head: ResponseHead, length: int | None, *, to_head: bool) -> Headers:
    headers = Headers()
    if length is not None:
        headers[b"Content-Length"] = str(length)
    for name, value in head.fields:
        if name not in HOP_BY_HOP:
            dict.setdefault(headers, name, []).append(value)  # what Headers.update() does
        elif to_head and name == b"Content-Length":
            headers[name] = value  # describes the body that a GET would return
    return headers


class BoundedDownloadHandler(BaseDownloadHandler):
    """Download handler that keeps the limits of the crawl's options.

    It also decompresses, so HttpCompressionMiddleware is not needed. A request is repeated once
    on a new connection if the server closed a persistent one (RFC 9112, 9.3.1); the scheduler
    retries every other failure. ``headers_received`` is sent only if it has receivers, which may
    stop the download; ``bytes_received`` is never sent. ``meta[WIRE_BYTES]`` holds the number of
    bytes received for the request.
    """

    def __init__(self, crawler: Crawler) -> None:
        if not is_asyncio_available():
            raise NotConfigured(f"{type(self).__name__} needs the asyncio reactor")
        super().__init__(crawler)
        params = self._params = fetch_params(crawler)
        self._bind = crawler.settings.get("DOWNLOAD_BIND_ADDRESS")
        self._pool = ConnectionPool(
            crawler.settings.getint("CONCURRENT_REQUESTS_PER_DOMAIN"),
            max_idle_connections(crawler.settings.getint("CONCURRENT_REQUESTS")),
        )
        self.rule = self.make_rule(crawler)
        certificates = Certificates(
            exempt=params.unverified_origins, own=params.client_certificates
        )
        self._dialer = Dialer(self.rule, certificates, self._params)
        self._stopper = DownloadStopper(crawler)
        self._archive = _archive(params.warc, crawler) if params.warc else None
        self._stop = CrawlStop(crawler)
        self._identity = read_identity(Path(params.identity)) if params.identity else None

    def make_rule(self, crawler: Crawler) -> AddressRule:
        """Return the rule of all connections."""
        return address_rule(crawler)

    async def download_request(self, request: Request) -> Response:
        """Download; raises one of Scrapy's download exceptions or of ``fetch_errors``.

        The lease of the origin is checked again when the connection is open: the process may have
        been stopped since the scheduler did so, and another worker may crawl the origin now.
        """
        route = route_of(request, self._bind)
        reused = self._pool.acquire(route)
        if reused is not None:
            try:
                return await self._send(request, reused)
            except UnansweredError:
                if request.body or request.method not in IDEMPOTENT:
                    raise
            await _keep_pace(request)
        return await self._send(request, await self._dialer.dial(route, self._pool))

    async def close(self) -> None:
        """Close all connections, and the archive."""
        await self._pool.close()
        if self._archive is not None:
            self._archive.close()

    async def _send(self, request: Request, connection: Connection) -> Response:
        origin = origin_of(request)
        if origin is not None and not origin.holds_lease():
            connection.close()
            raise LeaseExpiredError(f"the lease of {origin.key} has expired")
        answer = ResponseBuilder(request, self._params, self._stopper)
        exchange = Exchange(answer)
        if self._identity is not None:
            self._sign(request, self._identity)
        sent = request_bytes(request, connection.route)
        body = await connection.send_request(sent, exchange)
        if self._archive is not None and answer.head is not None and not is_login(request):
            self._archive.write(request.url, sent, answer.head, body, connection.address)
        return answer.response(body, exchange.received, connection)

    def _sign(self, request: Request, identity: AgentIdentity) -> None:
        now = time()
        if identity.expires_at <= now:
            self._stop.stop("key_expired", "The key of the crawl (identity) has expired")
            raise KeyExpiredError("the key of identity has expired")
        authority = request.headers.get("Host") or host_of(site_of(request.url))
        request.headers.update(identity.headers(authority.decode(), now))


def _archive(folder: str, crawler: Crawler) -> Archive:
    """Open the archive of a crawl; its library is loaded only for this."""
    from sitecrawl.http.archiving import Archive  # noqa: PLC0415

    return Archive(folder, crawler)


async def _keep_pace(request: Request) -> None:
    """Wait for the pause of the request's origin before the request is repeated."""
    origin = origin_of(request)
    if origin is None or not origin.pace.interval:
        return
    pause = origin.pace.interval
    await asyncio.sleep(pause)
    origin.postpone(asyncio.get_running_loop().time() + pause)
    request.meta[SENT_AT] += pause


class SinglePageHandler(BoundedDownloadHandler):
    """Download handler of Scrapy's commands for single pages.

    Of private networks only the hosts that the user typed are asked, in the command line or in the
    console: redirects and the requests of callbacks come from pages.
    """

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        crawler.signals.connect(self._scheduled, signals.request_scheduled)

    def make_rule(self, crawler: Crawler) -> AddressRule:  # noqa: ARG002 - the spider has no crawl
        """Return a rule without starts."""
        return AddressRule()

    def _scheduled(self, request: Request) -> None:
        if "redirect_urls" not in request.meta and not request.meta.get("depth"):
            self.rule.add_start(request.url)
