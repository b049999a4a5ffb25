"""Downloads single URLs with the crawl's own handler, without a crawl around it."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from types import SimpleNamespace
from urllib.parse import urljoin

import pytest
import pytest_twisted
from scrapy import Request, Spider
from scrapy.exceptions import (
    CannotResolveHostError,
    DownloadCancelledError,
    DownloadConnectionRefusedError,
    DownloadFailedError,
    DownloadTimeoutError,
    ResponseDataLossError,
)
from scrapy.http import Response
from scrapy.utils.defer import deferred_from_coro
from scrapy.utils.misc import build_from_crawler
from scrapy.utils.test import get_crawler

from sitecrawl.config.options.fetching import FetchParams
from sitecrawl.http.fetch_errors import exception_names
from sitecrawl.http.handler import BoundedDownloadHandler
from sitecrawl.policy.http.answers import FetchResult, answer_of_failure, answer_of_status
from sitecrawl.policy.http.network_addresses import AddressRule
from tests.fetch.names import Names
from tests.fetch.tls import Authority

ENDS = (
    CannotResolveHostError,
    DownloadCancelledError,
    DownloadConnectionRefusedError,
    DownloadFailedError,
    DownloadTimeoutError,
    ResponseDataLossError,
)


class Options(FetchParams):
    """The options of a crawl that a download handler reads."""

    start: tuple[str, ...]


class Configured(Spider):
    """A spider with the options that a handler looks at, given as ``configuration``."""


class Fetch:
    """Fetches URLs as one crawl with the given options would; closes its handlers at the end."""

    def __init__(self) -> None:
        self._handlers: list[BoundedDownloadHandler] = []
        self.crawler = get_crawler()

    def handler(self, start: str, **options: str) -> BoundedDownloadHandler:
        """A handler for a crawl that starts at ``start``."""
        self.crawler = get_crawler()
        params = Options.model_validate({"start": (start,), **options})
        rule = AddressRule.of_starts([start], allow_private=params.allow_private)
        self.crawler.spider = Configured(
            "test", configuration=SimpleNamespace(params=params), address_rule=rule
        )
        made = build_from_crawler(BoundedDownloadHandler, self.crawler)
        self._handlers.append(made)
        return made

    async def send(self, handler: BoundedDownloadHandler, request: Request) -> Response:
        """The response to one request; raises what the handler raises."""
        response: Response = await deferred_from_coro(handler.download_request(request))
        return response

    async def __call__(self, url: str, **options: str) -> Response:
        """The response to a GET in a crawl that starts at the root of ``url``'s origin."""
        return await self.send(self.handler(urljoin(url, "/"), **options), Request(url))

    async def answer(self, url: str, **options: str) -> FetchResult:
        """The result of fetching ``url``, as the crawl classifies it."""
        try:
            response = await self(url, **options)
        except ENDS as error:
            return answer_of_failure(exception_names(error))
        headers = {str(k).lower(): v for k, v in response.headers.to_unicode_dict().items()}
        return answer_of_status(response.status, headers)

    async def close(self) -> None:
        """Close the idle connections."""
        for handler in self._handlers:
            await deferred_from_coro(handler.close())


@pytest_twisted.async_yield_fixture
async def fetch() -> AsyncIterator[Fetch]:
    """Fetches single URLs; see ``Fetch``."""
    fetching = Fetch()
    yield fetching
    await fetching.close()


@pytest.fixture
def names() -> Iterator[Names]:
    """A name service in place of the system's."""
    from twisted.internet import reactor  # once the reactor is installed

    service = Names()
    before = reactor.installNameResolver(service)
    yield service
    reactor.installNameResolver(before)


@pytest.fixture
def authority(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Authority:
    """An authority that this machine trusts for the time of the test."""
    made = Authority(tmp_path)
    monkeypatch.setenv("SSL_CERT_FILE", str(made.path))
    return made
