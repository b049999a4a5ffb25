"""Requests that a spider of a project yields: each is sent once, counted, and comes to an end."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from fixtures.own_spider import OwnCrawl
from fixtures.server import Answer, Server, page, redirect

FOLLOWING = """
    def parse(self, response):
        for link in LinkExtractor().extract_links(response):
            yield response.follow(link.url, callback=self.parse)
        {more}
"""
SITE = {"/": page("/a", "/b", title="Home"), "/a": page("/", "/b", "/c", title="A")}
SITE |= {"/b": page("/a", title="B"), "/c": page("/", title="C")}


@pytest.mark.parametrize("more", ["yield from ()", "yield from super().parse(response)"])
def test_following_every_link_asks_for_each_page_once(
    more: str, server: Server, own: OwnCrawl, tmp_path: Path
) -> None:
    origin = server.serve(dict(SITE))
    own(FOLLOWING.format(more=more), "-a", f"start={origin}/")
    pages = [path for path in server.log.targets() if path != "/robots.txt"]
    assert sorted(pages) == ["/", "/a", "/b", "/c"], own.log[-3000:]
    lines = (tmp_path / "own.jsonl").read_text().splitlines() if "super" in more else []
    assert len(lines) == (4 if lines else 0)


def test_links_followed_are_kept_for_the_next_run(
    server: Server, own: OwnCrawl, tmp_path: Path
) -> None:
    origin = server.serve(dict(SITE))
    body = FOLLOWING.format(more="yield from super().parse(response)")
    own(body, "-a", f"start={origin}/", "-a", "max_pages=1", "-a", "discover=no")
    assert server.log.targets() == ["/robots.txt", "/"]
    own(body, "-a", f"start={origin}/", "-a", "discover=no")
    assert Counter(server.log.targets())["/"] == 1
    assert len((tmp_path / "own.jsonl").read_text().splitlines()) == 3


ITEMS = """
    def parse(self, response):
        for n in range(5):
            yield response.follow(f"/item?n={n % 3}", callback=self.item)
        yield response.follow("/item?n=0", callback=self.item, dont_filter=True)

    def item(self, response):
        yield {"item": response.url[-1]}
"""


def test_requests_of_its_own_pass_a_dupefilter(
    server: Server, own: OwnCrawl, tmp_path: Path
) -> None:
    origin = server.serve({"/": page(title="Home"), "/item": page(title="Item")})
    own(ITEMS, "-a", f"start={origin}/")
    asked = Counter(path for path in server.log.targets() if path.startswith("/item"))
    assert asked == {"/item?n=0": 2, "/item?n=1": 1, "/item?n=2": 1}
    assert "'dupefilter/filtered': 2" in own.log
    assert (tmp_path / "own.jsonl").read_text().count('"item"') == 4


def test_they_count_for_max_pages(server: Server, own: OwnCrawl) -> None:
    origin = server.serve({"/": page(title="Home"), "/item": page(title="Item")})
    own(ITEMS, "-a", f"start={origin}/", "-a", "max_pages=3")
    assert len([path for path in server.log.targets() if path != "/robots.txt"]) == 3


ORDERED = """
    def parse(self, response):
        for n in (1, 5, 3, 5):
            yield response.follow(f"/p{n}", self.other, priority=n, dont_filter=True)

    def other(self, response):
        pass
"""


def test_their_priority_counts(server: Server, own: OwnCrawl) -> None:
    origin = server.serve({"/": page(title="Home"), "*": page(title="Other")})
    own(ORDERED, "-a", f"start={origin}/", "-a", "requests_per_origin=1")
    assert server.log.targets()[-4:] == ["/p5", "/p5", "/p3", "/p1"]


FAILING = """
    custom_settings = {"RETRY_TIMES": 1}

    def parse(self, response):
        for path in ("/gone", "/moved", "/broken", "/forbidden"):
            yield response.follow(path, self.other, errback=self.failed)
        yield scrapy.Request("http://127.0.0.2:1/", self.other, errback=self.failed)

    def other(self, response):
        yield {"got": response.url}

    def failed(self, failure):
        yield {"failed": failure.type.__name__, "url": failure.request.url}
"""


def test_redirects_are_followed_and_the_errback_has_the_rest(
    server: Server, own: OwnCrawl, tmp_path: Path
) -> None:
    origin = server.serve(
        {
            "/": page(title="Home"),
            "/robots.txt": "User-agent: *\nDisallow: /forbidden\n",
            "/gone": Answer("gone", status=404),
            "/moved": redirect("/here"),
            "/here": page(title="Here"),
            "/broken": Answer("broken", status=500),
        }
    )
    own(FAILING, "-a", f"start={origin}/", "-a", "discover=no")
    said = (tmp_path / "own.jsonl").read_text().replace(origin, "").splitlines()
    assert sorted(said) == [
        '{"failed": "HttpError", "url": "/broken"}',
        '{"failed": "HttpError", "url": "/gone"}',
        '{"failed": "RequestDropped", "url": "/forbidden"}',
        '{"failed": "RequestDropped", "url": "http://127.0.0.2:1/"}',
        '{"got": "/here"}',
    ]
    assert Counter(server.log.targets())["/broken"] == 2
    assert "Not requested: http://127.0.0.2:1/ (allow_private" in own.log


ELSEWHERE = """
    def parse(self, response):
        yield scrapy.Request(response.headers["Api"].decode(), self.other, method="POST", body="x")

    def other(self, response):
        yield {"got": response.json()}
"""


def test_other_hosts_are_asked_as_the_project_says(
    server: Server, own: OwnCrawl, tmp_path: Path
) -> None:
    other = server.serve({"/api": Answer('{"n": 1}')})
    origin = server.serve({"/": Answer("<p>Home", headers={"Api": f"{other}/api"})})
    own(ELSEWHERE, "-a", f"start={origin}/")
    assert (tmp_path / "own.jsonl").read_text() == '{"got": {"n": 1}}\n', own.log[-3000:]


STARTING = """
    async def start(self):
        yield scrapy.Request(self.configuration.params.start[0] + "more", callback=self.more)

    def more(self, response):
        yield response.follow("/linked", callback=self.parse, meta=response.meta)
        yield {"more": response.url}
"""


def test_a_start_of_its_own_comes_beside_the_crawl(
    server: Server, own: OwnCrawl, tmp_path: Path
) -> None:
    site = {"/": page(title="Home"), "/more": page(title="More"), "/linked": page(title="Linked")}
    origin = server.serve(site)
    own(STARTING, "-a", f"start={origin}/")
    lines = (tmp_path / "own.jsonl").read_text()
    assert lines.count('"op":"upsert"') + lines.count('"op": "upsert"') == 2, own.log[-3000:]
    assert '"more"' in lines


AGAIN = """
    asked = False

    def parse(self, response):
        if self.asked:
            yield from super().parse(response)
        else:
            self.asked = True
            yield response.request.replace(dont_filter=True)
"""


@pytest.mark.behaviour("S-14")
def test_a_page_asked_for_again_is_another_visit(
    server: Server, own: OwnCrawl, tmp_path: Path
) -> None:
    origin = server.serve({"/": page(title="Home")})
    assert own(AGAIN, "-a", f"start={origin}/") == 0
    assert server.log.targets() == ["/robots.txt", "/", "/"]
    assert len((tmp_path / "own.jsonl").read_text().splitlines()) == 1
    assert "'sitecrawl/outcomes/no_content': 1" in own.log
    assert "'sitecrawl/outcomes/file_ingested': 1" in own.log


TWICE = """
    def parse(self, response):
        yield from super().parse(response)
        yield from super().parse(response)
"""


@pytest.mark.behaviour("S-14")
def test_a_page_brings_one_document(server: Server, own: OwnCrawl, tmp_path: Path) -> None:
    origin = server.serve({"/": page(title="Home")})
    assert own(TWICE, "-a", f"start={origin}/") == 0
    assert len((tmp_path / "own.jsonl").read_text().splitlines()) == 1
    assert "its page already has a document" in own.log
    assert "'sitecrawl/outcomes/file_ingested': 1" in own.log
    assert "lease_lost" not in own.log
