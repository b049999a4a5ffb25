"""Fetching of single pages as the spider would, without changing the crawl database."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

from scrapy import Request, Spider
from scrapy.crawler import Crawler, CrawlerProcessBase
from scrapy.http import Response
from scrapy.settings import SETTINGS_PRIORITIES, Settings

from sitecrawl.config.options.crawl_options import CrawlParams
from sitecrawl.frontier import open_records
from sitecrawl.frontier.records import Records
from sitecrawl.items import Document
from sitecrawl.policy.outcomes import Outcome
from sitecrawl.reqmeta import visit_of
from sitecrawl.responses import request_of
from sitecrawl.web.feeds.sitemaps import SitemapEntry
from sitecrawl.web.html.page import Page

ABOVE_CMDLINE = SETTINGS_PRIORITIES["cmdline"] + 1  # Scrapy applies the command line again
NO_OUTPUT: Mapping[str, Any] = {"FEEDS": {}, "ITEM_PIPELINES": {}, "LOG_ENABLED": False}
CRAWL_ONLY_OPTIONS = {
    "start",
    "crawl_name",
    "config",
    "crawl",
    "database",
    "profile",
    "force",
    "entire_site",
}
SINGLE_PAGE_OPTIONS = {
    "mode": "page",
    "discover": False,
    "sitemaps": False,
    "patience": 1,
    "interval": 0,
    "placeholder_pages": (),
}
"""Options for fetching single pages: content of any kind, no links followed, no retries."""


@dataclass(slots=True)
class CollectedPages:
    """Pages, their bodies and sitemaps, by requested URL."""

    pages: dict[str, Page] = field(default_factory=dict)
    bodies: dict[str, bytes] = field(default_factory=dict)
    sitemaps: dict[str, list[SitemapEntry]] = field(default_factory=dict)


class FetchedPages(NamedTuple):
    """Result of fetching single pages.

    ``records`` has outcomes and robots.txt; it is open only within ``fetch``.
    """

    crawler: Crawler
    records: Records
    collected: CollectedPages


class PageCollector:
    """Mixin, placed before a spider's class, that keeps the pages read and emits no documents.

    ``typed`` are the URLs that the user chose; those to fetch may come from pages.
    """

    collected: CollectedPages
    typed: Sequence[str]

    def typed_starts(self) -> Sequence[str]:
        """Return the URLs that the user chose."""
        return self.typed

    def parse(self, response: Response, **_: Any) -> list[Request]:
        """Keep the page; return the further requests for it."""
        url = request_of(response).url
        further_requests: list[Request] = []
        for each in super().parse(response):  # type: ignore[misc]
            if isinstance(each, Document):
                self.collected.pages[url] = each.page
                self.collected.bodies[url] = response.body
                further_requests += self.further_requests(response)
        return further_requests

    def further_requests(self, response: Response) -> list[Request]:  # noqa: ARG002 -- for subclasses
        """Return requests besides those of the page itself."""
        return []


class OutcomeCollector(PageCollector):
    """Mixin that keeps nothing of a page: its outcome is in the crawl database."""

    def parse(self, response: Response, **_: Any) -> list[Request]:
        """End the visit without reading the page."""
        visit = visit_of(request_of(response))
        if visit is not None:
            visit.concluded(Outcome.FILE_INGESTED, "checked")
        return []


@contextmanager
def fetch(
    process: CrawlerProcessBase,
    settings: Settings,
    spider: type[Spider],
    params: CrawlParams,
    urls: Sequence[str],
    *,
    collector: type[PageCollector] = PageCollector,
    typed: Sequence[str],
    max_pages: int = 1,
) -> Iterator[FetchedPages]:
    """Fetch each URL once, robots.txt first, at the pace of the crawl.

    The crawl's own database is not touched; a temporary one exists until the context ends. Of
    private networks only the hosts of ``typed``, URLs that the user chose, are asked.
    """
    collected = CollectedPages()
    make: Callable[..., type[Spider]] = type
    with TemporaryDirectory(prefix="sitecrawl-") as folder:
        own = settings.copy()
        database = f"sqlite:///{Path(folder) / 'looked.db'}"
        own.setdict({**NO_OUTPUT, "SITECRAWL_DATABASE": database}, priority=ABOVE_CMDLINE)
        crawler = Crawler(
            make("Looked", (collector, spider), {"collected": collected, "typed": typed}), own
        )
        process.crawl(crawler, **_arguments(params), start=list(urls), max_pages=max_pages)
        process.start()
        with open_records(database) as records:
            yield FetchedPages(crawler, records, collected)


def _arguments(params: CrawlParams) -> dict[str, Any]:
    given = params.model_dump(exclude_defaults=True, exclude={*CRAWL_ONLY_OPTIONS, "max_pages"})
    return {**given, **SINGLE_PAGE_OPTIONS}
