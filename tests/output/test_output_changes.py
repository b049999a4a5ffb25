"""Changes of a page with very many links."""

from __future__ import annotations

from types import SimpleNamespace

import pytest
from scrapy.crawler import Crawler

from sitecrawl import pipelines
from sitecrawl.crawl.visit import ResponseFacts, Visit
from sitecrawl.frontier.base import DueUrl
from sitecrawl.items import Document
from sitecrawl.pipelines import ChangePipeline
from sitecrawl.policy.documents.obedience import RobotsVerdict
from sitecrawl.spiders.site import SiteSpider
from sitecrawl.web.html.page import Link, Page

SITE = "http://example.org"


def document_hash(patch: pytest.MonkeyPatch, links: int, session: int, memory: int) -> str | None:
    """The hash of a page whose links have a session id, under rules that remember so many."""
    crawler = Crawler(SiteSpider)
    crawler.spider = spider = SiteSpider.from_crawler(crawler, start=SITE)
    spider.rules.memory = memory
    crawl = SimpleNamespace(discovery=SimpleNamespace(rules=spider.rules))
    patch.setattr(pipelines, "crawl_of", lambda _: crawl)
    page = Page(f"{SITE}/", f"{SITE}/", "text/html", title="Title", text="Text")
    query = f"?PHPSESSID={session:032}"
    page.links = tuple(Link(f"{SITE}/{number}{query}") for number in range(links))
    due = DueUrl(SITE, 1, page.url, 0, "seed", None)
    visit = Visit(due, 0.0)
    visit.response = ResponseFacts(200)
    document = Document(visit, page, RobotsVerdict())
    ChangePipeline(crawler).process_document(document)
    return visit.hashes.document


@pytest.mark.parametrize(("links", "is_equal"), [(3, True), (4, False)])
def test_links_beyond_what_rules_remember_are_compared_as_found(
    monkeypatch: pytest.MonkeyPatch, links: int, is_equal: bool
) -> None:
    first, second = (document_hash(monkeypatch, links, session, 3) for session in (1, 2))
    assert first is not None
    assert (first == second) is is_equal
    assert first == document_hash(monkeypatch, links, 1, 3)
