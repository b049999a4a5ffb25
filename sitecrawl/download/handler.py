"""Scrapy's HTTP download handler, with bounds on what a server may cost."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from time import monotonic
from typing import TYPE_CHECKING, Any
from urllib.parse import urldefrag, urlsplit

from scrapy import signals
from scrapy.core.downloader.handlers.http11 import (
    HTTP11DownloadHandler,
    _BindAddressAgent,
    _RequestBodyProducer,
    _ScrapyAgent,
)
from scrapy.utils._download_handlers import (
    check_stop_download,
    make_response,
    normalize_bind_address,
    wrap_twisted_exceptions,
)
from scrapy.utils.defer import maybe_deferred_to_future
from twisted.internet.error import ConnectError
from twisted.web._newclient import _WrapperException
from twisted.web.http_headers import Headers as TxHeaders

from sitecrawl.download.body import read_body, read_prefix
from sitecrawl.download.certificates import Certificates
from sitecrawl.download.connections import GuardedReactor
from sitecrawl.download.decoding import ACCEPT_ENCODING, decode_body, decode_prefix
from sitecrawl.download.failures import names_of, translate
from sitecrawl.download.limits import fetch_params, limits_of
from sitecrawl.download.protocol import BoundedFactory
from sitecrawl.policy.addresses import AddressRule
from sitecrawl.policy.answers import answer_of_failure
from sitecrawl.reqmeta import WIRE_BYTES, robots_of
from sitecrawl.web.robots_lines import SIZE_LIMIT

if TYPE_CHECKING:
    from scrapy import Request
    from scrapy.crawler import Crawler
    from scrapy.http import Headers, Response

ROBOTS_SIZE = SIZE_LIMIT + 1  # so that its reader sees that the last line may be cut


class BoundedDownloadHandler(HTTP11DownloadHandler):
    """Downloads within the limits that the crawl's options set.

    It decompresses too, so that HttpCompressionMiddleware is not needed, and makes the one
    immediate second attempt after what may be a fluke. ``headers_received`` is sent, and
    may stop a download; ``bytes_received`` is not. ``meta[WIRE_BYTES]`` holds how many bytes
    came over the connection for the request.
    """

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        from twisted.internet import reactor

        params = fetch_params(crawler)
        starts: Sequence[str] = getattr(params, "start", ())
        hosts = [urlsplit(start).hostname or "" for start in starts]
        rule = AddressRule(hosts, allow_private=params.allow_private)
        self._limits = limits_of(params)
        self._contextFactory: Any = Certificates(
            verify=params.verify_tls, exempt=params.unverified_origins
        )
        self._guarded = GuardedReactor(reactor, rule, self._limits.silence)
        pool: Any = self._pool
        pool.retryAutomatically = False
        pool._factory = partial(BoundedFactory, limits=self._limits, clock=reactor)

    async def download_request(self, request: Request) -> Response:
        """Download; raises one of Scrapy's download exceptions or of ``failures``."""
        try:
            return await self._attempt(request)
        except Exception as error:
            if request.body or not answer_of_failure(names_of(error)).fluke:
                raise
        return await self._attempt(request)

    async def _attempt(self, request: Request) -> Response:
        with wrap_twisted_exceptions():
            try:
                return await self._exchange(request)
            except (_WrapperException, ConnectError) as error:
                raise translate(error) from error

    async def _exchange(self, request: Request) -> Response:
        answer = await self._ask(request)
        headers = _ScrapyAgent._headers_from_twisted_response(answer)
        found: dict[str, Any] = {
            "url": urldefrag(request.url)[0],
            "status": int(answer.code),
            "headers": headers,
            "certificate": getattr(answer, "_scrapy_certificate", None),
            "ip_address": getattr(answer, "_scrapy_ip_address", None),
            "protocol": "{}/{}.{}".format(answer.version[0].decode("ascii"), *answer.version[1:]),
        }
        stop = check_stop_download(
            signals.headers_received,
            self._crawler,
            request,
            headers=headers,
            body_length=answer.length,
        )
        if stop is not None:
            answer.connection.transport.abortConnection()
            return make_response(**found, stop_download=stop)
        body = await self._body(request, answer, headers)
        request.meta[WIRE_BYTES] = answer.connection.received
        return make_response(**found, body=body)

    async def _body(self, request: Request, answer: Any, headers: Headers) -> bytes:
        """The body without its encodings; of a robots.txt as much as is to be read."""
        is_robots = robots_of(request) is not None
        read, decode = (read_prefix, decode_prefix) if is_robots else (read_body, decode_body)
        limit = ROBOTS_SIZE if is_robots else self._limits.body
        body = await maybe_deferred_to_future(read(answer, limit))
        encodings = [value.decode("latin-1") for value in headers.getlist("Content-Encoding")]
        if body and encodings:
            body = decode(body, encodings, limit)
            del headers["Content-Encoding"]
        return body

    async def _ask(self, request: Request) -> Any:
        """Send the request; returns Twisted's response once its head has come."""
        headers = TxHeaders(request.headers)
        if not headers.hasHeader("Accept-Encoding"):
            headers.setRawHeaders("Accept-Encoding", [ACCEPT_ENCODING])
        started = monotonic()
        sent = self._agent(request).request(
            request.method.encode("ascii"),
            urldefrag(request.url)[0].encode("ascii"),
            headers,
            _RequestBodyProducer(request.body) if request.body else None,
        )
        answer = await maybe_deferred_to_future(sent)
        request.meta["download_latency"] = monotonic() - started
        return answer

    def _agent(self, request: Request) -> Any:
        """An agent that connects to permitted addresses, or through the request's proxy."""
        if request.meta.get("proxy"):
            scrapy_agent = _ScrapyAgent(
                contextFactory=self._contextFactory,
                bindAddress=self._bind_address,
                pool=self._pool,
                crawler=self._crawler,
            )
            return scrapy_agent._get_agent(request, self._limits.silence)
        return _BindAddressAgent(
            reactor=self._guarded,  # type: ignore[arg-type]
            contextFactory=self._contextFactory,
            connectTimeout=self._limits.silence,
            bindAddress=normalize_bind_address(
                request.meta.get("bindaddress") or self._bind_address
            ),
            pool=self._pool,
        )
