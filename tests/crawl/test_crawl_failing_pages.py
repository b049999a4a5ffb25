"""Single pages that fail for good on a site that is well."""

from __future__ import annotations

import pytest

from fixtures.crawls import CrawlCommand
from fixtures.server import Answer, Page, Raw, Server, page

PAGES = {f"/{number}": page(title=f"Page {number}") for number in range(60)}
LOST = Raw(b"")  # the connection closes without an answer


def site(*failing: str) -> dict[str, Page]:
    """A home page that names the failing pages before all others."""
    home = page(*failing, *PAGES, title="Home")
    return {"/robots.txt": "", "/": home, **dict.fromkeys(failing, LOST), **PAGES}


@pytest.mark.slow
@pytest.mark.behaviour("S-08", "S-10", "DEL-04")
def test_a_page_costs_patience_once_however_often_it_is_tried(
    server: Server, crawl: CrawlCommand
) -> None:
    pages = site("/lost", "/lost-too")
    origin = server.serve(pages)
    first = crawl(f"{origin}/", delay=0)
    assert len(first.documents) == 1 + len(PAGES), first.log[-3000:]
    tries = crawl.rows("SELECT count(*) FROM attempt GROUP BY url HAVING count(*) > 1")
    assert tries == [(3,), (3,)]
    pages["/7"] = Answer(status=410)
    second = crawl(f"{origin}/", delay=0, recrawl=0)
    assert second.deletions == {f"{origin}/7": "gone"}
    assert "is given up" not in first.log + second.log


@pytest.mark.behaviour("S-10", "S-12")
def test_pages_that_failed_before_are_asked_for_last(server: Server, crawl: CrawlCommand) -> None:
    origin = server.serve(site(*(f"/lost-{number}" for number in range(5))))
    first = crawl(f"{origin}/", delay=0)
    assert f"{origin} is given up for this run" in first.log
    assert first.documents.keys() == {f"{origin}/"}
    second = crawl(f"{origin}/", delay=0)
    assert second.documents.keys() == {origin + path for path in PAGES}, second.log[-3000:]
    assert f"{origin} is given up for this run" in second.log


@pytest.mark.slow
@pytest.mark.behaviour("DEL-12")
def test_pages_that_always_fail_keep_nothing_in_the_index(
    server: Server, crawl: CrawlCommand
) -> None:
    lost = [f"/lost-{number}" for number in range(5)]
    pages = site(*lost)
    origin = server.serve(pages)
    crawl(f"{origin}/", delay=0)
    crawl(f"{origin}/", delay=0)
    gone, also_gone = "/7", "/8"
    pages[gone] = Answer(status=410)
    third = crawl(f"{origin}/", delay=0, recrawl=0)
    assert f"{origin} is given up for this run" in third.log
    assert third.deletions == {f"{origin}{gone}": "gone"}
    pages[also_gone] = Answer(status=410)
    pages["/9"] = Answer(status=500)
    fourth = crawl(f"{origin}/", delay=0, recrawl=0)
    assert f"{origin} is given up for this run" in fourth.log
    assert fourth.deletions == {}, "a page that was well fails: the site may be going down"
    assert crawl(f"{origin}/", delay=0, recrawl=0).deletions == {f"{origin}{also_gone}": "gone"}
