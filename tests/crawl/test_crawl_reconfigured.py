"""A crawl that begins with other options than the last one on the same database."""

from __future__ import annotations

import json
from typing import Any

import pytest

from fixtures.crawls import CrawlCommand
from fixtures.server import Answer, Page, Server, page

pytestmark = pytest.mark.slow

SITE: dict[str, Page] = {
    "/": page("/tag", "/same", title="Start"),
    "/tag": Answer(
        '<title>Tag</title><p>Text<p class="price">12<p class="teaser">Aside',
        headers={"ETag": '"1"', "Last-Modified": "Sun, 01 Nov 2026 00:00:00 GMT"},
    ),
    "/same": Answer("<title>Same</title><p>Nothing aside", headers={"ETag": '"2"'}),
}
PRICE = {"fields": "price:p.price", "extra_fields": "cost:integer", "metadata": "field.price:cost"}


@pytest.mark.behaviour("A-13", "MD-16")
@pytest.mark.parametrize("options", [{"remove_classes": "noindex teaser"}, PRICE])
def test_pages_are_read_again_when_they_are_read_otherwise(
    server: Server, crawl: CrawlCommand, options: dict[str, str]
) -> None:
    origin = server.serve(dict(SITE))
    first = crawl(f"{origin}/")
    server.log.clear()
    again = crawl(f"{origin}/", **options)
    assert again.status == 0, again.log[-3000:]
    assert [each.status for each in server.log.of(origin) if each.target == "/tag"] == [200]
    assert server.log.header("/tag", "If-None-Match") == [None]
    assert server.log.header("/tag", "If-Modified-Since") == [None]
    assert list(again.documents) == [f"{origin}/tag"]
    before, after = first.documents[f"{origin}/tag"], again.documents[f"{origin}/tag"]
    assert (after["change"], after["id"]) == ("config", before["id"])
    assert after["last_changed_at"] == before["last_changed_at"]
    assert (after["body"], after.get("cost")) != (before["body"], None)
    assert f"configuration has changed since run 1: {', '.join(sorted(options))}." in again.log
    assert "3 documents are read again" in again.log
    server.log.clear()
    third = crawl(f"{origin}/", **options)
    assert third.lines == []
    assert "configuration has changed" not in third.log
    assert set(server.log.targets()) <= {"/robots.txt"}


@pytest.mark.behaviour("A-13")
def test_pages_read_with_todays_options_are_asked_conditionally(
    server: Server, crawl: CrawlCommand
) -> None:
    origin = server.serve(dict(SITE))
    crawl(f"{origin}/")
    crawl(f"{origin}/", **PRICE)
    server.log.clear()
    crawl(f"{origin}/", recrawl=0, **PRICE)
    assert server.log.header("/tag", "If-None-Match") == ['"1"']


@pytest.mark.behaviour("A-13", "DEL-05", "Q-20")
def test_what_the_rules_refuse_now_is_deleted_when_it_is_due(
    server: Server, crawl: CrawlCommand
) -> None:
    site = dict(SITE) | {"/": page("/tag", "/same?session=1")}
    origin = server.serve(site)
    crawl(f"{origin}/")
    server.log.clear()
    again = crawl(f"{origin}/", query="ignore", deny="/tag", recrawl=0, max_lost_share=1)
    gone = {f"{origin}/same?session=1": "excluded", f"{origin}/tag": "excluded"}
    assert again.deletions == gone
    assert server.log.targets() == ["/robots.txt", "/"]
    assert "configuration has changed since run 1: deny, query." in again.log
    assert "scrapy reindex" in again.log


@pytest.mark.behaviour("A-13", "RC-15")
@pytest.mark.parametrize("before", [{"deny": "/late"}, {"max_depth": 0}, {"mode": "list"}])
def test_links_that_are_followed_now_are_found_on_pages_that_did_not_change(
    server: Server, crawl: CrawlCommand, before: dict[str, Any]
) -> None:
    site = dict(SITE) | {"/": Answer(page("/late", title="Start"), headers={"ETag": '"3"'})}
    origin = server.serve(site | {"/late": page(title="Late")})
    name = {"crawl_name": "site"}
    assert list(crawl(f"{origin}/", **before, **name).documents) == [f"{origin}/"]
    refreshed = crawl(f"{origin}/", activity="refresh", discover="no", recrawl=0, **name)
    assert server.log.header("/", "If-None-Match") == [None, '"3"'], refreshed.log[-3000:]
    assert list(crawl(f"{origin}/", recrawl=0, **name).documents) == [f"{origin}/late"]
    assert crawl(f"{origin}/", recrawl=0, **name).lines == []
    assert server.log.header("/", "If-None-Match") == [None, '"3"', None, '"3"']


def test_a_page_that_rules_refused_earlier_is_explained(
    server: Server, crawl: CrawlCommand
) -> None:
    origin = server.serve(dict(SITE) | {"/": page("/late"), "/late": page(title="Late")})
    crawl(f"{origin}/", deny="/late")
    assert "options have changed" not in crawl.command("explain", f"{origin}/late")[1]
    crawl(f"{origin}/")
    assert (
        "nothing: no page, start or sitemap has named it yet; the options have changed: known pages "
        "are read for it when due, or with -a force=yes"
    ) in crawl.command("explain", f"{origin}/late")[1]


def test_a_rewriting_that_never_comes_to_rest_loses_no_page(
    server: Server, crawl: CrawlCommand
) -> None:
    origin = server.serve({"/": page("/x"), "/xx": page(title="Rewritten once")})
    run = crawl(f"{origin}/", url_rewrite="/x=>/xx")
    assert set(run.documents) == {f"{origin}/", f"{origin}/xx"}
    assert server.log.targets() == ["/robots.txt", "/", "/xx"]


def test_a_run_of_listed_pages_reads_no_others_again(server: Server, crawl: CrawlCommand) -> None:
    origin = server.serve(dict(SITE))
    name = origin.partition("://")[2].replace(":", "-")
    crawl(f"{origin}/", crawl_name=name)
    server.log.clear()
    listed = crawl(f"{origin}/same", mode="list", remove_classes="teaser", crawl_name=name)
    assert "configuration has changed since run 1: mode, remove_classes, start." in listed.log
    assert "are read again" not in listed.log
    assert set(server.log.targets()) <= {"/robots.txt", "/same"}


@pytest.mark.behaviour("LR-10")
def test_a_crawl_can_keep_the_list_of_extensions_that_it_began_with(
    server: Server, crawl: CrawlCommand
) -> None:
    files = ("/a.foo", "/b.bar", "/c.one", "/d.two")
    site = {path: page(title=path, text=path) for path in files}
    origin = server.serve({"/": page(*files, title="Start"), **site})

    def asked(**options: Any) -> set[str]:
        server.log.clear()
        run = crawl(f"{origin}/", keep_extensions=1, force=1, **options)
        assert run.status == 0, run.log[-3000:]
        told.append("The crawl keeps the list of extensions it began with" in run.log)
        return set(server.log.targets()) - {"/robots.txt", "/"}

    told: list[bool] = []
    began = {"default_ignored_extensions": "foo one"}
    assert asked(**began) == {"/b.bar", "/d.two"}
    stored = "SELECT configuration FROM run ORDER BY id DESC LIMIT 1"
    [(configuration,)] = crawl.rows(stored)
    assert json.loads(configuration)["params"]["ignore_extensions"] == ["foo", "one"]
    later = {"default_ignored_extensions": "bar two"}
    assert asked(**later) == {"/b.bar", "/d.two"}, "other defaults, the same crawl"
    assert asked(ignore_extensions="foo bar") == {"/c.one", "/d.two"}, "edited"
    assert asked(**later) == {"/c.one", "/d.two"}, "as it was edited"
    assert told == [False, True, True, True]
    server.log.clear()
    crawl(f"{origin}/", force=1, **later)
    assert set(server.log.targets()) == {"/robots.txt", "/", "/a.foo", "/c.one"}, "not kept"
