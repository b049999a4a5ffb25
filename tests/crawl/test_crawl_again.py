"""The second run on the same database: what is asked, and what is written."""

from __future__ import annotations

import pytest

from fixtures.crawls import CrawlCommand
from fixtures.server import Answer, Page, Server, page

DATE = "Sun, 01 Nov 2026 00:00:00 GMT"


@pytest.fixture
def site() -> dict[str, Page]:
    return {
        "/": page("/tag", "/date", "/same"),
        "/tag": Answer(page(title="Tag"), headers={"ETag": 'W/"1"'}),
        "/date": Answer(page(title="Date"), headers={"Last-Modified": DATE}),
        "/same": page(title="Same"),
    }


@pytest.mark.behaviour("RC-08", "P-12", "RT-06")
def test_nothing_is_asked_for_before_it_is_due(
    server: Server, crawl: CrawlCommand, site: dict[str, Page]
) -> None:
    origin = server.serve(site)
    assert len(crawl(f"{origin}/").documents) == 4
    server.log.clear()
    again = crawl(f"{origin}/")
    assert again.status == 0, again.log[-3000:]
    assert again.lines == []
    assert set(server.log.targets()) <= {"/robots.txt"}


@pytest.mark.behaviour("RC-02", "RC-03", "RC-05", "RC-06", "RC-10", "K-16")
def test_known_pages_are_asked_conditionally(
    server: Server, crawl: CrawlCommand, site: dict[str, Page]
) -> None:
    origin = server.serve(site)
    first = crawl(f"{origin}/")
    server.log.clear()
    again = crawl(f"{origin}/", recrawl=0)
    assert again.status == 0, again.log[-3000:]
    assert again.lines == []
    assert server.log.header("/tag", "If-None-Match") == ['W/"1"']
    assert server.log.header("/date", "If-Modified-Since") == [DATE]
    statuses = {each.target: each.status for each in server.log.of(origin)}
    assert (statuses["/tag"], statuses["/date"], statuses["/same"]) == (304, 304, 200)
    assert sorted(line["seq"] for line in first.lines) == [1, 2, 3, 4]


@pytest.mark.behaviour("M-08", "M-18")
def test_noindex_in_the_header_of_a_page_that_did_not_change_deletes_it(
    server: Server, crawl: CrawlCommand, site: dict[str, Page]
) -> None:
    origin = server.serve(site)
    crawl(f"{origin}/")
    hidden = {"ETag": 'W/"1"', "X-Robots-Tag": "noindex"}
    site["/tag"] = Answer(page(title="Tag"), headers=hidden)
    again = crawl(f"{origin}/", recrawl=0)
    assert {each.status for each in server.log.of(origin) if each.target == "/tag"} == {200, 304}
    assert again.deletions == {f"{origin}/tag": "noindex"}
    assert crawl(f"{origin}/", recrawl=0).lines == []
    site["/tag"] = Answer(page(title="Tag"), headers={"ETag": 'W/"1"'})
    assert [line["op"] for line in crawl(f"{origin}/", recrawl=0).lines] == ["upsert"]


@pytest.mark.behaviour("RC-03", "RC-04")
def test_an_old_validator_does_not_outlive_its_content(
    server: Server, crawl: CrawlCommand, site: dict[str, Page]
) -> None:
    origin = server.serve(site)
    crawl(f"{origin}/")
    before = {path: site[path] for path in ("/tag", "/date")}
    site |= {path: page(title="Back soon", text=f"We are at work on {path}.") for path in before}
    assert len(crawl(f"{origin}/", recrawl=0, max_lost_share=1).documents) == 2
    site |= before
    restored = crawl(f"{origin}/", recrawl=0, max_lost_share=1)
    titles = {url: line["title"] for url, line in restored.documents.items()}
    assert titles == {f"{origin}/tag": "Tag", f"{origin}/date": "Date"}


@pytest.mark.behaviour("RC-09")
def test_force_asks_for_everything_as_if_new(
    server: Server, crawl: CrawlCommand, site: dict[str, Page]
) -> None:
    origin = server.serve(site)
    crawl(f"{origin}/")
    server.log.clear()
    again = crawl(f"{origin}/", force=1)
    assert again.status == 0, again.log[-3000:]
    assert again.lines == []
    assert {each.status for each in server.log.of(origin) if each.target != "/robots.txt"} == {200}


@pytest.mark.behaviour("RC-04", "RC-15", "O-03")
def test_only_what_changed_is_written(
    server: Server, crawl: CrawlCommand, site: dict[str, Page]
) -> None:
    origin = server.serve(site)
    first = crawl(f"{origin}/")
    site["/same"] = page("/fresh", title="Same", text="no longer")
    site["/fresh"] = page(title="Fresh")
    again = crawl(f"{origin}/", force=1)
    changes = {line["url"].removeprefix(origin): line["change"] for line in again.lines}
    assert changes == {"/same": "changed", "/fresh": "new"}
    same = f"{origin}/same"
    assert again.documents[same]["id"] == first.documents[same]["id"]
    assert min(line["seq"] for line in again.lines) > max(line["seq"] for line in first.lines)


@pytest.mark.behaviour("P-09", "DB-10")
def test_a_run_that_ended_early_is_gone_on_with(
    server: Server, crawl: CrawlCommand, site: dict[str, Page]
) -> None:
    origin = server.serve(site)
    first = crawl(f"{origin}/", max_pages=2)
    assert first.status == 0, first.log[-3000:]
    assert "'finish_reason': 'max_pages'" in first.log
    asked = [target for target in server.log.targets() if target != "/robots.txt"]
    assert len(asked) == 2
    second = crawl(f"{origin}/")
    assert len(first.documents) + len(second.documents) == 4
    assert set(first.documents) | set(second.documents) == {
        f"{origin}{path}" for path in ("/", "/tag", "/date", "/same")
    }
