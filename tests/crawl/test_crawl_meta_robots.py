"""The robots directives of a page are read once, of its final response, for all later parts."""

from __future__ import annotations

import json

import pytest

from fixtures.crawls import CrawlCommand
from fixtures.server import Page, Server, page

OWN = """
from sitecrawl.reqmeta import read_page_of
from sitecrawl.web.html import reader as html

parse = html.LexborHTMLParser


def counted(*args, **kwargs):
    with open("parses.txt", "a") as file:
        print("parsed", file=file)
    return parse(*args, **kwargs)


html.LexborHTMLParser = counted


class Rewriting:
    def process_response(self, request, response):
        if request.url.endswith("/hidden"):
            return response.replace(body=response.body.replace(b"<head>", HEAD))
        return response


HEAD = b"<head><meta name=robots content='noindex, nofollow'>"


class Telling:
    def process_spider_input(self, response):
        read = read_page_of(response.request)
        if read is not None:
            with open("read.txt", "a") as file:
                print(read.page.title, read.robots.noindex, *read.robots.rel, file=file)
"""
SITE: dict[str, Page] = {
    "/": page("/hidden", "/open", title="Start"),
    "/hidden": page("/behind", title="Hidden"),
    "/open": page(title="Open"),
    "/behind": page(title="Behind"),
}


@pytest.mark.behaviour("M-01", "M-02")
def test_the_reading_is_that_of_the_final_response(server: Server, crawl: CrawlCommand) -> None:
    origin = server.serve(SITE)
    (crawl.directory / "own.py").write_text(OWN, encoding="utf-8")
    settings = {
        "DOWNLOADER_MIDDLEWARES": json.dumps({"own.Rewriting": 543}),
        "SPIDER_MIDDLEWARES": json.dumps({"own.Telling": 100}),
    }
    run = crawl(f"{origin}/", settings=settings)
    assert run.status == 0, run.log[-3000:]
    assert set(run.documents) == {f"{origin}/", f"{origin}/open"}
    assert "/behind" not in server.log.targets(origin)
    told = (crawl.directory / "read.txt").read_text("utf-8").splitlines()
    assert [line.rstrip() for line in told] == ["Start", "Hidden noindex nofollow", "Open"]
    parses = (crawl.directory / "parses.txt").read_text("utf-8").splitlines()
    assert len(parses) == 3, "one for each page"
