"""Fetching of single pages as the spider would, without changing the crawl database."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple, TypeAlias

from scrapy import Request, Spider
from scrapy.crawler import Crawler, CrawlerProcessBase
from scrapy.http import Response
from scrapy.settings import SETTINGS_PRIORITIES, Settings

from sitecrawl.config.options.crawl_options import CrawlParams
from sitecrawl.console.crawl_sources import CrawledSource
from sitecrawl.frontier.opening import open_administration, open_records, open_survey
from sitecrawl.frontier.records import Records
from sitecrawl.items import Document
from sitecrawl.policy.outcomes import Outcome
from sitecrawl.reqmeta import visit_of
from sitecrawl.responses import request_of
from sitecrawl.web.feeds.listings import ListedUrl
from sitecrawl.web.html.page import Page
from sitecrawl.web.urls.url import normalize

ABOVE_CMDLINE = SETTINGS_PRIORITIES["cmdline"] + 1  # Scrapy applies the command line again
NO_OUTPUT: Mapping[str, Any] = {"FEEDS": {}, "ITEM_PIPELINES": {}, "LOG_ENABLED": False}
CRAWL_ONLY_OPTIONS = {
    *("start", "crawl_name", "config", "crawl", "database", "profile", "force", "entire_site"),
    "max_pages",
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
MAX_CHECKS = 10_000
"""Addresses that one call asks for."""
FRESH_SECONDS = 86_400.0
"""Time for which an answer is not asked for again."""
Check = tuple[str, Outcome, int | None, str | None]
Fetch: TypeAlias = "Callable[..., AbstractContextManager[FetchedPages]]"
WITHOUT_RULES = {"allow": (), "deny": (), "contains": (), "not_contains": (), "do_not_crawl": ()}
"""Rules of the crawl that say nothing about other sites."""


@dataclass(slots=True)
class CollectedPages:
    """Pages, their bodies and sitemaps, by requested URL."""

    pages: dict[str, Page] = field(default_factory=dict)
    bodies: dict[str, bytes] = field(default_factory=dict)
    sitemaps: dict[str, list[ListedUrl]] = field(default_factory=dict)


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
            visit.conclusion = Outcome.FILE_INGESTED, "checked"
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
        given = params.model_dump(exclude_defaults=True, exclude=CRAWL_ONLY_OPTIONS)
        given |= {**SINGLE_PAGE_OPTIONS, "start": list(urls), "max_pages": max_pages}
        process.crawl(crawler, **given)
        process.start()
        with open_records(database) as records:
            yield FetchedPages(crawler, records, collected)


def check_outside(fetch: Fetch, source: CrawledSource) -> int:
    """Ask for the stored addresses outside of the crawl that were not checked lately.

    Each is requested once, after its robots.txt and with the delay of the crawl. Return the number
    of answers, which are stored.
    """
    realm = source.run.realm
    with open_survey(source.database, realm) as survey:
        before = time.time() - FRESH_SECONDS
        urls = [each.url for each in survey.outside() if (each.checked_at or 0.0) < before]
    if not urls:
        return 0
    del urls[MAX_CHECKS:]
    params, starts = source.configuration.params, source.configuration.params.start
    params = params.model_copy(update=WITHOUT_RULES)
    how = {"collector": OutcomeCollector, "typed": starts, "max_pages": len(urls)}
    with fetch(params, urls, **how) as fetched:
        checks = list(_checks(fetched, urls, params.realm))
    with open_administration(source.database, realm) as administration:
        return administration.save_checks(checks)


def _checks(fetched: FetchedPages, urls: list[str], realm: str) -> Iterator[Check]:
    """Yield the outcome of each address; a redirect has that of its end, if it was followed."""
    rules = fetched.crawler.spider.rules  # type: ignore[union-attr]
    for url in urls:
        admission = rules.admit(normalize(url) or url, depth=0, via="seed")
        if not admission.decision.allowed:
            reason = admission.decision.reason
            yield url, Outcome.BLOCKED_URL_BY_LOCAL_POLICY, None, reason
            continue
        state = fetched.records.url(admission.origin, admission.fingerprint, realm=realm)
        if state is not None and state.outcome is not None:
            if state.outcome is Outcome.UNWANTED_TYPE:  # not to be read, but it is there
                yield url, Outcome.FILE_INGESTED, state.status, state.reason
                continue
            target = f" to {state.redirect_to}" if state.redirect_to else ""
            yield url, state.outcome, state.status, f"{state.reason or ''}{target}" or None
