"""One request-response exchange: its limits, its read timer, and the receipt of the response."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field
from enum import Enum, auto
from typing import Protocol

from scrapy.crawler import Crawler

from sitecrawl.config.options.fetching import FetchParams
from sitecrawl.http.fetch_errors import (
    BodyTooLargeError,
    ReadTimeoutError,
    TooSlowError,
    disconnect_error,
)
from sitecrawl.http.messages import Framing, HeadReader, ResponseHead, framing_of, is_persistent
from sitecrawl.policy.http.network_addresses import AddressRule

MIN_RATE = 512  # bytes a second


def fetch_params(crawler: Crawler) -> FetchParams:
    """Return the options of the crawl's spider, or the defaults for a spider without options."""
    configuration = getattr(crawler.spider, "configuration", None)
    params = getattr(configuration, "params", None)
    return params if isinstance(params, FetchParams) else FetchParams.model_validate({})


def address_rule(crawler: Crawler) -> AddressRule:
    """Return the rule of all connections of the crawl; without starts for a foreign spider."""
    rule: AddressRule | None = getattr(crawler.spider, "address_rule", None)
    return rule or AddressRule(allow_private=fetch_params(crawler).allow_private)


@dataclass(eq=False, slots=True)
class ReadTimer:
    """Deadline and minimum-rate timeout of a response; calls ``_on_timeout`` when it expires.

    The deadline starts ``timeout`` seconds ahead. Each byte received extends it by 1/MIN_RATE
    seconds, but never beyond ``timeout`` from now, nor beyond ``max_time``: one timer bounds
    head and body alike, and a server that is slow to respond has time to do so. The deadline
    only moves forward, also from one response to the next, so the timer keeps running and is
    checked when it fires.
    """

    _params: FetchParams
    _on_timeout: Callable[[Exception], None]
    _loop: asyncio.AbstractEventLoop = field(default_factory=asyncio.get_running_loop)
    _timer: asyncio.TimerHandle | None = None
    _deadline: float = 0.0
    _latest: float = 0.0
    _waiting: bool = False
    _has_data: bool = False

    def start(self) -> None:
        """Start the deadline of a request that was sent."""
        now = self._loop.time()
        self._has_data = False
        self._latest = now + self._params.max_time
        self._deadline = min(now + self._params.timeout, self._latest)
        self._waiting = True
        if self._timer is None:
            self._timer = self._loop.call_at(self._deadline, self._check)

    def extend(self, size: int) -> None:
        """Extend the deadline by received bytes."""
        ahead = self._loop.time() + self._params.timeout
        self._deadline = min(self._deadline + size / MIN_RATE, ahead, self._latest)
        self._has_data = True

    def pause(self) -> None:
        """Suspend the deadline between two requests."""
        self._waiting = False

    def cancel(self) -> None:
        """Cancel the timer for good."""
        self._waiting = False
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _check(self) -> None:
        self._timer = None
        if not self._waiting:
            return
        if self._deadline > self._loop.time():
            self._timer = self._loop.call_at(self._deadline, self._check)
        elif self._has_data:
            self._on_timeout(
                TooSlowError("the server sends too slowly, or for longer than max_time")
            )
        else:
            self._on_timeout(ReadTimeoutError("the server was silent for longer than timeout"))


class Disposition(Enum):
    """Fate of the connection after a response."""

    KEEP_ALIVE = auto()
    CLOSE = auto()
    ABORT = auto()  # the server is still sending


class BodyPolicy(Protocol):
    """Treatment of the response to one request.

    A body of more than ``limit`` bytes is truncated if ``prefix``; otherwise the request fails.
    ``limit_option`` names the option that sets the limit.
    """

    to_head: bool
    limit: int
    limit_option: str
    prefix: bool

    def begun(self, head: ResponseHead, length: int | None) -> bool:
        """Accept the head and the body's announced length; return True if the body is wanted."""
        ...

    def is_whole(self, body: bytes) -> bool:
        """Return True if a body that is shorter than announced is complete nevertheless."""
        ...


def _future() -> asyncio.Future[bytes]:
    return asyncio.get_running_loop().create_future()


@dataclass(eq=False, slots=True)
class Exchange:
    """Receiver of one response.

    A response with a status of 300 or more needs only its headers: it is complete even if its body
    is not. ``done`` holds the body once it is complete. ``received`` counts the bytes that
    arrived.
    """

    _policy: BodyPolicy
    done: asyncio.Future[bytes] = field(default_factory=_future)
    disposition: Disposition = Disposition.CLOSE
    received: int = 0
    _headers_only: bool = False
    _head: HeadReader = field(default_factory=HeadReader)
    _framing: Framing | None = None
    _body: bytearray = field(default_factory=bytearray)

    def take(self, data: bytes) -> None:
        """Receive bytes. Raises MalformedResponseError, HeaderTooLargeError, BodyTooLargeError."""
        self.received += len(data)
        framing = self._framing
        if framing is None:
            found = self._head.take(data)
            if found is None:
                return
            head, data = found
            framing = self._begin(head)
            if framing is None:
                return
        part = framing.take(data)
        if len(self._body) + len(part) > self._policy.limit:
            if not self._policy.prefix:
                raise self._too_large()
            self._cut((bytes(self._body) + part)[: self._policy.limit])
        elif framing.rest is not None:
            if framing.rest:  # surplus data would be read as the next response
                self.disposition = Disposition.ABORT
            self.done.set_result(bytes(self._body) + part)  # most bodies are one part: no copy
        else:
            self._body += part

    def end(self, error: Exception | None, *, truncated: bool) -> None:
        """Handle the end of the connection; ``truncated``: without TLS close_notify."""
        if self.done.done():
            return
        framing, body = self._framing, bytes(self._body)
        if framing is None or error or truncated:
            self.fail(disconnect_error(error, received=self.received, in_body=framing is not None))
        elif framing.ends_by_close or self._policy.is_whole(body):
            self.done.set_result(body)
        else:
            self.fail(disconnect_error(None, received=self.received, in_body=True))

    def fail(self, error: Exception) -> None:
        """Fail the exchange, unless its headers suffice."""
        if self.done.done():
            return
        if self._headers_only:
            self.done.set_result(bytes(self._body))
        else:
            self.done.set_exception(error)

    def _begin(self, head: ResponseHead) -> Framing | None:
        framing, length = framing_of(head, to_head=self._policy.to_head)
        self._headers_only = head.status >= 300
        if is_persistent(head):
            self.disposition = Disposition.KEEP_ALIVE
        if not self._policy.begun(head, length) and length != 0:
            self._cut(b"")
            return None
        if length is not None and length > self._policy.limit and not self._policy.prefix:
            raise self._too_large()
        self._framing = framing
        return framing

    def _cut(self, body: bytes) -> None:
        self.disposition = Disposition.ABORT
        self.done.set_result(body)

    def _too_large(self) -> BodyTooLargeError:
        return BodyTooLargeError(
            f"the body is larger than {self._policy.limit_option}, {self._policy.limit} bytes"
        )
