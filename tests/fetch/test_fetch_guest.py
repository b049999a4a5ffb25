"""Crawls by the command line that show what the servers see of us."""

from __future__ import annotations

from typing import Any

import pytest

from fixtures.crawls import CrawlCommand
from fixtures.server import Answer, Page, Raw, Server, page, redirect

VIDEO = Raw(
    b"HTTP/1.1 200 OK\r\nContent-Type: video/mp4\r\nContent-Length: 90000000\r\n\r\n",
    *[b"v" * 65536] * 1400,
)


@pytest.mark.behaviour("F-01", "F-02", "F-05", "F-07", "F-08", "F-09", "F-10", "F-20", "F-21")
def test_every_request_introduces_itself(server: Server, crawl: CrawlCommand) -> None:
    origin = server.serve({"/": page("/b"), "/b": page(text="B")})
    named = origin.replace("127.0.0.1", "localhost")
    options: dict[str, Any] = {
        "contact": "https://me.test",
        "from_email": "me@me.test",
        "headers": "X-Team: search",
        "recrawl": "0",
    }
    crawl(f"{origin}/", f"{named}/", **options)
    assert len(server.log.exchanges) == 6
    for each in server.log.exchanges:
        assert each.headers["user-agent"].startswith("sitecrawl/")
        assert each.headers["user-agent"].endswith(" (+https://me.test)")
        assert each.headers["from"] == "me@me.test"
        assert each.headers["x-team"] == "search"
        assert "*/*" not in each.headers["accept"]
        assert "if-modified-since" not in each.headers
        assert "if-none-match" not in each.headers
    assert {each.host for each in server.log.exchanges} == {origin[7:], named[7:]}
    assert set(server.log.header("/b", "referer")) == {f"{origin}/", f"{named}/"}
    assert set(server.log.header("/", "referer")) == {None}
    server.log.clear()
    crawl(f"{origin}/", f"{named}/", **options)
    assert server.log.header("/b", "referer") == [None, None]


@pytest.mark.behaviour("F-16")
def test_credentials_stay_with_their_origin(server: Server, crawl: CrawlCommand) -> None:
    other = server.serve({"*": page(text="Elsewhere")}, "127.0.0.2")
    own = server.serve({"/": page("/moved"), "/moved": redirect(f"{other}/secret", 302)})
    crawl(f"{own}/", auth=f"{own}=me:it", scope="any", allow_private="yes")
    assert {each.headers.get("authorization") for each in server.log.of(own)} == {"Basic bWU6aXQ="}
    assert "/secret" in server.log.targets(other)
    assert {each.headers.get("authorization") for each in server.log.of(other)} == {None}


@pytest.mark.behaviour("F-15")
def test_cookies_come_back(server: Server, crawl: CrawlCommand) -> None:
    set_cookie = {"Set-Cookie": "visit=1; Path=/"}
    origin = server.serve({"/": Answer(page("/b"), headers=set_cookie), "/b": page(text="B")})
    crawl(f"{origin}/")
    assert server.log.header("/b", "cookie") == ["visit=1"]


def test_no_way_leads_to_a_private_address(server: Server, crawl: CrawlCommand) -> None:
    port = int(server.serve({"*": page(text="Secret")}, "127.0.0.2").rpartition(":")[2])
    secret = f"http://127.0.0.2:{port}"
    own = server.serve(
        {
            "/robots.txt": f"Sitemap: {secret}/sitemap.xml\n",
            "/": page("/moved", f"{secret}/page", f"http://2130706434:{port}/number", "/last"),
            "/moved": redirect(f"{secret}/target"),
            "/last": page(text="The last page"),
        }
    )
    done = crawl(f"{own}/", scope="any")
    assert server.log.targets(secret) == []
    assert server.log.connected(secret) == 0
    assert f"{own}/last" in done.documents


@pytest.mark.behaviour("F-12", "F-13")
def test_unwanted_type_is_dropped_after_its_headers(server: Server, crawl: CrawlCommand) -> None:
    origin = server.serve({"/": page("/clip", "/b"), "/clip": VIDEO, "/b": page(text="B")})
    done = crawl(f"{origin}/")
    assert done.documents.keys() == {f"{origin}/", f"{origin}/b"}
    clip = next(each for each in server.log.exchanges if each.target == "/clip")
    assert clip.sent < 9_000_000  # what the system buffers; the rest of 90 MB was never written


@pytest.mark.behaviour("S-10", "S-12", "S-19")
def test_failing_origin_is_left_after_five_failures(server: Server, crawl: CrawlCommand) -> None:
    links = [f"/{number}" for number in range(30)]
    failing: dict[str, Page] = {
        "/robots.txt": "",
        "/": page(*links),
        "*": lambda _: Answer(status=503),
    }
    bad = server.serve(failing)
    good = server.serve({"/": page(*links), "*": lambda r: page(text=r.path)}, "127.0.0.2")
    done = crawl(f"{bad}/", f"{good}/")
    assert len(server.log.of(bad)) == 2 + 5
    assert sum(url.startswith(good) for url in done.documents) == 31


@pytest.mark.behaviour("S-09")
def test_dropped_connection_is_tried_once_more(server: Server, crawl: CrawlCommand) -> None:
    origin = server.serve({"/": page("/once"), "/once": [Raw(), page(text="There after all")]})
    done = crawl(f"{origin}/")
    assert server.log.count("/once") == 2
    assert f"{origin}/once" in done.documents


@pytest.mark.behaviour("F-18")
def test_too_large_page_is_no_document(server: Server, crawl: CrawlCommand) -> None:
    origin = server.serve({"/": page("/large", "/b"), "/large": page(text="x" * 50_000)})
    done = crawl(f"{origin}/", max_body_size="20KB")
    assert f"{origin}/large" not in done.documents
    outcome = crawl.rows("SELECT outcome FROM url WHERE url LIKE '%/large'")
    assert outcome == [(47,)]


@pytest.mark.behaviour("F-20")
def test_headers_go_to_the_starts_alone_and_others_by_name(
    server: Server, crawl: CrawlCommand
) -> None:
    leaf = page(text="Another site")
    named = server.serve({"/": leaf, "/robots.txt": ""}, address="127.0.0.2")
    other = server.serve({"*": leaf}, address="127.0.0.3")
    site: dict[str, Page] = {"/a": page(f"{named}/", f"{other}/", text="A")}
    home = server.serve(site, address="127.0.0.1")
    start = server.serve(
        {"/robots.txt": redirect(f"{other}/robots.txt"), "/": redirect(f"{home}/a")},
        address="127.0.0.1",
    )
    site["/robots.txt"] = f"User-agent: *\nAllow: /\nSitemap: {other}/sitemap.xml\n"
    run = crawl(
        f"{start}/",
        scope="any",
        allow_private=1,
        headers="X-Key: one",
        origin_headers=f"{named} X-Key: two\n{named} X-More: three",
    )
    assert run.status == 0, run.log[-3000:]
    keys: dict[str, set[str | None]] = {}
    for each in server.log.exchanges:
        keys.setdefault(each.origin, set()).add(each.headers.get("x-key"))
    assert keys == {start: {"one"}, home: {"one"}, named: {"two"}, other: {None}}
    assert len(server.log.targets(other)) >= 3
    told = {each.origin for each in server.log.exchanges if "x-more" in each.headers}
    assert told == {named}
