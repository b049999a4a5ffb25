"""Diagnosis of a site before a crawl: robots.txt, hosts, scripts, sitemaps, size."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from scrapy import Request
from scrapy.http import Response

from sitecrawl.config.assembly import agent
from sitecrawl.config.options.crawl_options import CrawlParams
from sitecrawl.console.page_fetcher import FetchedPages, PageCollector
from sitecrawl.policy.decision import Decision
from sitecrawl.policy.documents.placeholders import Placeholder, judge_page
from sitecrawl.policy.http.politeness import Pace
from sitecrawl.policy.outcomes import PLACEHOLDERS
from sitecrawl.policy.rendering import needs_scripts
from sitecrawl.policy.urls.rule_engine import Rules
from sitecrawl.reqmeta import origin_of
from sitecrawl.responses import request_of
from sitecrawl.web.feeds.listings import read_sitemap
from sitecrawl.web.html.page import Page
from sitecrawl.web.html.script_shells import read_shell
from sitecrawl.web.robots.robots_txt import RobotsMatch, RobotsTxt
from sitecrawl.web.urls.url import origin, split

MAX_SITEMAPS = 20
MAX_REDIRECTS = 10


class SiteCollector(PageCollector):
    """Page collector that also reads sitemaps: those of robots.txt, else the usual one."""

    def further_requests(self, response: Response) -> list[Request]:
        """Return requests for the sitemaps of the page's origin."""
        place = origin_of(request_of(response))
        rules = place.robots.rules if place is not None else None
        named = rules.sitemaps if rules is not None else ()
        return list(self._ask(named or [f"{origin(response.url)}/sitemap.xml"]))

    def read_sitemap(self, response: Response) -> list[Request]:
        """Keep the entries of a sitemap; return requests for the sitemaps that it names."""
        if response.status != 200:
            return []
        entries = list(read_sitemap(response.body, response.url, []))
        self.collected.sitemaps[request_of(response).url] = entries
        return list(self._ask(entry.url for entry in entries if entry.is_listing))

    def _ask(self, urls: Iterable[str]) -> Iterator[Request]:
        for url in urls:
            if url not in self.collected.sitemaps and len(self.collected.sitemaps) < MAX_SITEMAPS:
                self.collected.sitemaps[url] = []
                yield Request(url, callback=self.read_sitemap, dont_filter=True)


class Diagnosis(NamedTuple):
    """Findings at a URL.

    ``page`` is the page after all redirects; None if nothing could be read. ``hosts`` describes
    the response of each address of the site. ``expected`` counts the pages that the sitemaps list
    and the rules admit; None without a sitemap. ``delay``, in seconds, is the pace of fetching
    them. ``placeholder`` is the page's kind if it has no content of its own.
    """

    url: str
    start: str
    page: Page | None
    robots: RobotsMatch | None
    robots_status: int | None
    crawl_delay: float | None
    delay: float
    hosts: dict[str, str]
    scripts: Decision | None
    sitemaps: dict[str, int]
    expected: int | None
    links: int
    admitted: int
    placeholder: Placeholder | None = None

    @property
    def seconds(self) -> float | None:
        """The minimum duration of a first crawl."""
        return None if self.expected is None else self.expected * self.delay


def addresses(url: str) -> list[str]:
    """Return other possible addresses of a site: with and without TLS, with and without www."""
    parts = split(url)
    host, bare = parts.host, parts.host.removeprefix("www.")
    named = "." in bare and not bare.replace(".", "").isdigit() and ":" not in host
    if not named or origin(url) != f"{parts.scheme}://{host}":
        return []
    hosts = [bare, f"www.{bare}"]
    found = [f"{scheme}://{each}/" for scheme in ("https", "http") for each in hosts]
    return [each for each in found if origin(each) != origin(url)]


def diagnose(url: str, params: CrawlParams, rules: Rules, fetched: FetchedPages) -> Diagnosis:
    """Build the diagnosis from the fetched pages."""
    redirects = {source: target for source, _, _, target in fetched.records.redirects() if target}
    start = _end(url, redirects)
    place = fetched.records.origin(origin(start), params.realm)
    if place is None:  # the rules refuse that address, so nothing was requested
        start, place = url, fetched.records.origin(origin(url), params.realm)
    page = fetched.collected.pages.get(start)
    text = place.robots_text if place else None
    robots = RobotsTxt.parse(text, origin=origin(start)) if text is not None else None
    crawl_delay = robots.crawl_delay(agent(params)) if robots else None
    pages = {entry.url for each in fetched.collected.sitemaps.values() for entry in each}
    pages -= fetched.collected.sitemaps.keys()
    links = {link.url for link in page.links} if page else set()

    def admits(each: str) -> bool:
        if robots is not None and origin(each) == origin(start):
            allowed = robots.match(each, agent(params)).allowed
            return allowed and rules.admit(each).decision.allowed
        return rules.admit(each).decision.allowed

    return Diagnosis(
        url=url,
        start=start,
        page=page,
        robots=robots.match(start, agent(params)) if robots else None,
        robots_status=place.robots_status if place else None,
        crawl_delay=crawl_delay,
        delay=Pace(params.delay, crawl_delay).promised,
        hosts=dict(_hosts(url, redirects, fetched)),
        scripts=needs_scripts(read_shell(fetched.collected.bodies[start])) if page else None,
        sitemaps={name: len(found) for name, found in fetched.collected.sitemaps.items() if found},
        expected=sum(map(admits, pages)) if pages else None,
        links=len(links),
        admitted=sum(map(admits, links)),
        placeholder=judge_page(page, fetched.collected.bodies[start], PLACEHOLDERS)
        if page
        else None,
    )


def _end(url: str, redirects: dict[str, str]) -> str:
    for _ in range(MAX_REDIRECTS):
        url = redirects.get(url, url)
    return url


def _hosts(url: str, redirects: dict[str, str], fetched: FetchedPages) -> Iterator[tuple[str, str]]:
    failed = {each: outcome.name.lower() for each, outcome, *_ in fetched.records.failures()}
    for each in [url, *addresses(url)]:
        if each in redirects:
            yield each, f"redirects to {redirects[each]}"
        elif each in fetched.collected.pages:
            yield each, "answers with a page"
        else:
            yield each, failed.get(each, "could not be read")
