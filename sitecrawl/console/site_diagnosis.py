"""Diagnosis of a site before a crawl: robots.txt, hosts, scripts, sitemaps, size."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from scrapy import Request
from scrapy.http import Response

from sitecrawl.config.assembly import agent
from sitecrawl.config.options.crawl_options import CrawlParams
from sitecrawl.console.page_fetcher import FetchedPages, PageCollector
from sitecrawl.policy.documents.placeholders import judge_page
from sitecrawl.policy.http.politeness import Pace
from sitecrawl.policy.outcomes import PLACEHOLDERS
from sitecrawl.policy.rendering import needs_scripts
from sitecrawl.policy.urls.rule_engine import Rules
from sitecrawl.reqmeta import origin_of
from sitecrawl.responses import request_of
from sitecrawl.web.feeds.listings import read_sitemap
from sitecrawl.web.html.script_shells import read_shell
from sitecrawl.web.robots.robots_txt import RobotsTxt
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
    """Findings at a URL, in the form of the command's JSON.

    ``start`` is its address after all redirects; the facts of that page are None if it could not be
    ``read``. ``hosts`` describes the response of each address of the site. ``expected_pages`` counts
    the pages that the sitemaps list and the rules admit, None without a sitemap; to fetch them at
    the pace of one in ``delay`` seconds takes ``expected_seconds`` at least. ``placeholder`` is the
    page's kind if it has no content of its own, ``placeholder_detail`` how it is known.
    """

    url: str
    start: str
    robots_status: int | None
    crawl_delay: float | None
    delay: float
    hosts: dict[str, str]
    sitemaps: dict[str, int]
    expected_pages: int | None
    expected_seconds: float | None
    allowed: bool | None = None
    robots_line: str | None = None
    robots_line_number: int = 0
    read: bool = False
    canonical: str | None = None
    language: str | None = None
    directives: Sequence[str] = ()
    links: int = 0
    admitted: int = 0
    needs_scripts: bool | None = None
    scripts: str | None = None
    placeholder: str | None = None
    placeholder_detail: str | None = None


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
    text = place.robots_text if place else None
    robots = RobotsTxt.parse(text, origin=origin(start)) if text is not None else None
    crawl_delay = robots.crawl_delay(agent(params)) if robots else None
    pages = {entry.url for each in fetched.collected.sitemaps.values() for entry in each}
    pages -= fetched.collected.sitemaps.keys()

    def admits(each: str) -> bool:
        if robots is not None and origin(each) == origin(start):
            allowed = robots.match(each, agent(params)).allowed
            return allowed and rules.admit(each).decision.allowed
        return rules.admit(each).decision.allowed

    expected, delay = sum(map(admits, pages)), Pace(params.delay, crawl_delay).promised
    found = Diagnosis(
        url,
        start,
        place.robots_status if place else None,
        crawl_delay,
        delay,
        hosts=dict(_hosts(url, redirects, fetched)),
        sitemaps={name: len(found) for name, found in fetched.collected.sitemaps.items() if found},
        expected_pages=expected if pages else None,
        expected_seconds=expected * delay if pages else None,
    )
    if robots:
        match = robots.match(start, agent(params))
        found = found._replace(
            allowed=match.allowed, robots_line=match.line, robots_line_number=match.line_number
        )
    page = fetched.collected.pages.get(start)
    if page is None:
        return found
    links, body = {link.url for link in page.links}, fetched.collected.bodies[start]
    scripts, placeholder = needs_scripts(read_shell(body)), judge_page(page, body, PLACEHOLDERS)
    return found._replace(
        read=True,
        canonical=page.canonical,
        language=page.language,
        directives=[n for n in ("noindex", "nofollow") if getattr(page.directives, n)],
        links=len(links),
        admitted=sum(map(admits, links)),
        needs_scripts=scripts.allowed,
        scripts=scripts.rule,
        placeholder=placeholder.kind if placeholder else None,
        placeholder_detail=placeholder.detail if placeholder else None,
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
