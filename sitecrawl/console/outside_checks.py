"""Check of the addresses outside of a crawl to which its pages refer, at the pace of the crawl."""

from __future__ import annotations

import time
from collections.abc import Iterator

from scrapy import Spider
from scrapy.crawler import CrawlerProcessBase
from scrapy.settings import Settings

from sitecrawl.console.crawl_sources import CrawledSource
from sitecrawl.console.page_fetcher import FetchedPages, OutcomeCollector, fetch
from sitecrawl.frontier import open_administration, open_survey
from sitecrawl.policy.outcomes import Outcome
from sitecrawl.web.urls.url import normalize

MAX_CHECKS = 10_000
"""Addresses that one call asks for."""
FRESH_SECONDS = 86_400.0
"""Time for which an answer is not asked for again."""

Check = tuple[str, Outcome, int | None, str | None]


def check_outside(
    process: CrawlerProcessBase, settings: Settings, spider: type[Spider], source: CrawledSource
) -> int:
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
    params = source.configuration.params.model_copy(update=WITHOUT_RULES)
    with fetch(
        process,
        settings,
        spider,
        params,
        urls,
        collector=OutcomeCollector,
        typed=source.configuration.params.start,
        max_pages=len(urls),
    ) as fetched:
        checks = list(_checks(fetched, urls, params.realm))
    with open_administration(source.database, realm) as administration:
        return administration.save_checks(checks)


WITHOUT_RULES = {"allow": (), "deny": (), "contains": (), "not_contains": (), "do_not_crawl": ()}
"""Rules of the crawl that say nothing about other sites."""


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
            if (
                state.outcome is Outcome.UNWANTED_TYPE
            ):  # the crawl would not read it, but it is there
                yield url, Outcome.FILE_INGESTED, state.status, state.reason
                continue
            target = f" to {state.redirect_to}" if state.redirect_to else ""
            yield url, state.outcome, state.status, f"{state.reason or ''}{target}" or None
