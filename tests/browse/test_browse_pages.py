"""`scrapy browse`: its pages over HTTP, and the bounds of what it answers."""

from __future__ import annotations

import re
import socket
import sqlite3
import time
import xml.etree.ElementTree as ET
from contextlib import closing
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from browsing import Shown, browsing

from fixtures.crawls import CrawlCommand
from fixtures.databases import KINDS, Databases
from fixtures.server import Server, page

PATHS = ["/", "/search?q=many", "/site", "/crawl", "/document?url={origin}/docs/guide", "/nothing"]


class Tags(HTMLParser):
    """Collects the start tags of a page, and their attributes."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))


@pytest.mark.behaviour("BR-01")
def test_results_have_title_address_and_marked_words(shown: Shown) -> None:
    text = shown.app.get("/search", {"q": "archive folder"}).text
    assert "1 page" in text
    assert "<bdi>Guide to &lt;em&gt; &amp; co</bdi>" in text
    assert "<mark>archive</mark>" in text
    assert f'href="{shown.origin}/docs/guide#install"' in text
    assert "docs" in text
    assert "› <bdi>Installation</bdi>" in text
    assert ">As crawled</a>" in text


@pytest.mark.behaviour("SY-27")
def test_pages_in_the_language_of_the_browser_come_first(shown: Shown) -> None:
    def first(**headers: str) -> str:
        found = shown.app.get("/search.json", {"q": "haus guide"}, **headers).json
        return found["hits"][0]["language"]

    assert first(Accept_Language="de-AT,en;q=0.5") == "de"
    assert first(Accept_Language="en") == "en"


@pytest.mark.behaviour("BR-01")
def test_filters_and_pages_of_results(shown: Shown) -> None:
    get = shown.app.get
    first = get("/search", {"q": "many words", "under": "/many/"}).text
    assert "25 pages" in first, "the one with many alone gives way"
    assert len(re.findall('<li class="hit">', first)) == 10
    assert 'aria-current="page">1</a>' in first
    last = get("/search", {"q": "many words", "under": "/many/", "page": 3}).text
    assert len(re.findall('<li class="hit">', last)) == 5
    assert 'value="/many/"' in last
    german = get("/search", {"q": "haus", "language": "de"}).text
    assert "<option selected>de</option>" in german
    assert "1 page" in german
    assert "No page has these words" in get("/search", {"q": "haus", "language": "en"}).text
    assert "No page has these words" in get("/search", {"q": "guide", "site": "example.org"}).text
    assert "some of them" in get("/search", {"q": "guide nonexistent"}).text


@pytest.mark.behaviour("BR-02")
def test_a_document_has_text_markdown_fields_history_and_reasons(shown: Shown) -> None:
    url = f"{shown.origin}/docs/guide"

    def view(name: str) -> str:
        return shown.app.get("/document", {"url": url, "view": name}).text

    assert 'id="at-install"' in view("text")
    assert "## Installation" in view("markdown")
    assert "content_hash" in view("fields")
    assert "file_ingested" in view("history")
    why = view("why")
    assert "Crawled" in why
    assert "Path from a start" in why
    assert "Linked from" in why
    assert "robots_txt" in why
    assert (
        shown.app.get("/document.md", {"url": url}).headers["Content-Type"].startswith("text/plain")
    )
    assert "Unpack the archive." in shown.app.get("/document.txt", {"url": url}).text
    [record] = shown.app.get("/document.json", {"url": url}).json["documents"]
    assert record["url"] == url


@pytest.mark.behaviour("BR-02")
@pytest.mark.parametrize(
    ("path", "status", "words"),
    [
        ("/private/x", 200, "Disallow: /private/"),
        ("/dead", 200, "file_not_found"),
        ("/old", 200, "Redirected"),
        ("/never", 404, "ould be"),
    ],
)
def test_a_url_without_a_document_has_the_reason(
    shown: Shown, path: str, status: int, words: str
) -> None:
    reply = shown.app.get("/document", {"url": f"{shown.origin}{path}"})
    assert (reply.status, words in reply.text) == (status, True)


@pytest.mark.behaviour("BR-02")
def test_folders_of_a_site(shown: Shown) -> None:
    root = shown.app.get("/site").text
    assert "<bdi>docs/</bdi>" in root
    assert '<bdi>many/</bdi></a> <span class="count">26</span>' in root
    assert "docs/" in shown.app.get("/site").text
    docs = shown.app.get("/site", {"prefix": f"{shown.origin}/docs/"}).text
    assert "Häuser" in docs
    assert shown.app.get("/site", {"prefix": f"{shown.origin}/none/"}).status == 404


@pytest.mark.behaviour("BR-02")
def test_the_crawl_is_shown_as_scrapy_frontier_does(shown: Shown) -> None:
    text = shown.app.get("/crawl").text
    assert "Run 1 ended" in text
    assert "file_ingested" in text
    assert shown.app.get("/crawl.json").json["outcomes"]["file_ingested"] == 31


@pytest.mark.behaviour("BR-03")
def test_nothing_of_a_page_becomes_markup(shown: Shown) -> None:
    url = f"{shown.origin}/docs/hostile"
    pages = [shown.app.get("/document", {"url": url, "view": view}).text for view in
             ("text", "markdown", "fields", "history", "why")]  # fmt: skip
    pages += [
        shown.app.get(path).text
        for path in ("/search?q=hostile", f"/site?prefix={shown.origin}/docs/")
    ]
    pages.append(shown.app.get("/search", {"q": '"><script>alert(5)</script>'}).text)
    for text in pages:
        tags = Tags(text).found
        assert not [tag for tag, _ in tags if tag in {"script", "img", "iframe", "style", "object"}]
        assert not [name for _, names in tags for name in names if name.startswith("on")]
        links = [names["href"] or "" for tag, names in tags if tag == "a" and "href" in names]
        assert all(link.startswith(("/", "#", f"{shown.origin}/")) for link in links)
        assert "\u202e" not in text
    assert "{{ 7 * 7 }}" in pages[0]


@pytest.mark.behaviour("BR-03")
@pytest.mark.parametrize(
    "url", ["javascript:alert(1)", "data:text/html,x", "file:///etc/passwd", ""]
)
def test_only_web_addresses_are_looked_up(shown: Shown, url: str) -> None:
    reply = shown.app.get("/document", {"url": url})
    assert reply.status == 400
    assert "javascript:" not in reply.text


@pytest.mark.behaviour("BR-04")
@pytest.mark.parametrize("path", PATHS)
def test_every_page_has_strict_headers_and_loads_nothing_remote(shown: Shown, path: str) -> None:
    reply = shown.app.get(path.format(origin=shown.origin))
    policy = reply.headers["Content-Security-Policy"]
    assert policy.startswith("default-src 'none'; style-src 'self'; img-src 'self';")
    assert "unsafe" not in policy
    assert reply.headers["X-Content-Type-Options"] == "nosniff"
    assert reply.headers["X-Frame-Options"] == "DENY"
    assert reply.headers["Referrer-Policy"] == "no-referrer"
    assert "Access-Control-Allow-Origin" not in reply.headers
    for tag, names in Tags(reply.text).found:
        assert "style" not in names
        if tag in {"link", "script", "img", "form"}:
            place = names.get("href") or names.get("src") or names.get("action") or ""
            assert place.startswith("/"), place


@pytest.mark.behaviour("BR-04")
def test_other_names_and_methods_are_refused(shown: Shown) -> None:
    port = shown.app.port
    for host in (
        "attacker.example",
        f"attacker.example:{port}",
        "127.0.0.1",
        f"127.0.0.1:{port}.x",
        "",
    ):
        reply = shown.app.get("/search.json?q=guide", Host=host)
        assert reply.status == 421, host
        assert "hits" not in reply.text
    for host in (f"localhost:{port}", "find.example.org"):
        assert shown.app.get("/", Host=host).status == 200
    for method in ("POST", "PUT", "DELETE", "OPTIONS", "TRACE"):
        assert shown.app.get("/", method=method).status == 405
    head = shown.app.get("/", method="HEAD")
    assert (head.status, head.text) == (200, "")


@pytest.mark.behaviour("BR-05")
def test_results_as_json(shown: Shown) -> None:
    found = shown.app.get("/search.json", {"q": "archive folder"})
    assert found.headers["Content-Type"] == "application/json; charset=utf-8"
    record = found.json
    assert (record["query"], record["total"], record["any_word"]) == ("archive folder", 1, False)
    [hit] = record["hits"]
    assert hit["target"] == f"{shown.origin}/docs/guide#install"
    assert (
        shown.app.get("/search", {"q": "archive folder"}, Accept="application/json").json == record
    )
    browser = "text/html,application/xhtml+xml,*/*;q=0.8"
    assert "<!doctype" in shown.app.get("/search", {"q": "x"}, Accept=browser).text
    many = shown.app.get("/search.json", {"q": "many words", "limit": 1000, "offset": 5}).json
    assert (many["limit"], len(many["hits"])) == (50, many["total"] - 5)


@pytest.mark.behaviour("BR-05")
def test_scripts_of_one_other_site_may_read_results(shown: Shown) -> None:
    def allowed(path: str, origin: str) -> str | None:
        return shown.app.get(path, Origin=origin).headers["Access-Control-Allow-Origin"]

    good = "https://www.example.org"
    assert allowed("/search.json?q=x", good) == good
    for other in ("https://example.org", "http://www.example.org", f"{good}.evil.example", "null"):
        assert allowed("/search.json?q=x", other) is None
    assert allowed("/document.json", good) is None
    assert "Origin" in shown.app.get("/search.json?q=x").headers["Vary"]


@pytest.mark.behaviour("BR-05")
def test_the_opensearch_description(shown: Shown) -> None:
    reply = shown.app.get("/opensearch.xml")
    root = ET.fromstring(reply.text)
    name = "{http://a9.com/-/spec/opensearch/1.1/}"
    assert root.tag == f"{name}OpenSearchDescription"
    assert 0 < len(root.findtext(f"{name}ShortName") or "") <= 16
    urls = {each.get("type"): each.get("template") or "" for each in root.findall(f"{name}Url")}
    assert urls["text/html"].startswith("https://find.example.org/search?q={searchTerms}")
    path = urls["application/json"].removeprefix("https://find.example.org")
    path = (
        path.replace("{searchTerms}", "guide").replace("{startPage?}", "1").replace("{count?}", "5")
    )
    assert shown.app.get(path).json["total"] == 2


@pytest.mark.behaviour("BR-01")
@pytest.mark.parametrize(
    "query",
    [
        "q=%00%ff%ed%a0%80",
        "q=" + "x" * 9000,
        "q=a&page=99999999",
        "q=%22&page=-1",
        "&".join("ab=c" for _ in range(99)),
        "q=NEAR(",
        "under=%25",
    ],
)
def test_every_query_has_a_page(shown: Shown, query: str) -> None:
    assert shown.app.get(f"/search?{query}").status == 200


@pytest.mark.behaviour("BR-07")
def test_another_process_may_write_the_search_file(server: Server, tmp_path: Path) -> None:
    site = {"/": page("/a", "/b", title="First", text="one apple")}
    origin = server.serve(site)
    command = CrawlCommand(tmp_path)
    command(f"{origin}/")
    with browsing(tmp_path) as app:
        app.wait_for_index("apple")
        for number, fruit in enumerate(("pears", "plums", "cherries")):
            site[f"/{'ab'[number % 2]}"] = page(title=fruit, text=f"some {fruit}")
            running = command.begin(f"{origin}/", delay=0, force=1)
            assert command.command("search", "apple")[0] == 0
            assert running.finish().status == 0
            assert command.command("search", fruit)[0] == 0
            app.wait_for_index(fruit)
        assert (tmp_path / "browse.out").read_text().count("\n") == 1


@pytest.mark.behaviour("BR-07")
@pytest.mark.parametrize("kind", KINDS)
def test_a_running_crawl_is_followed(
    server: Server, tmp_path: Path, databases: Databases, kind: str
) -> None:
    site = {"/": page("/a", title="First", text="one apple")}
    origin = server.serve(site)
    place = {"SITECRAWL_DATABASE": databases.url(kind, tmp_path)}
    command = CrawlCommand(tmp_path)
    command(f"{origin}/", settings=place)
    with browsing(tmp_path, "-s", f"SITECRAWL_DATABASE={place['SITECRAWL_DATABASE']}") as app:
        app.wait_for_index("apple")
        site["/a"] = page(title="Second", text="two pears")
        running = command.begin(f"{origin}/", delay=0, force=1, settings=place)
        app.wait_for_index("pears")
        assert app.get("/crawl").status == 200
        assert running.finish().status == 0
        assert "Run 2 ended" in app.get("/crawl").text
        assert "Crawled" in app.get("/document", {"url": f"{origin}/a", "view": "why"}).text


def test_no_reader_waits_for_a_writer(shown: Shown) -> None:
    (path,) = (shown.command.directory / ".sitecrawl").glob("*.db")
    with closing(sqlite3.connect(path, isolation_level=None)) as writer:
        writer.execute("BEGIN IMMEDIATE")
        begun = time.monotonic()
        for page_path in PATHS:
            assert shown.app.get(page_path.format(origin=shown.origin)).status in {200, 404}
        assert time.monotonic() - begun < 10  # a writer's lock would hold a reader for 30 seconds
        writer.execute("ROLLBACK")


def test_a_crawl_that_cannot_be_read_is_a_page_with_the_reason(
    server: Server, tmp_path: Path
) -> None:
    origin = server.serve({"/": page(title="First", text="one apple")})
    CrawlCommand(tmp_path)(f"{origin}/")
    with browsing(tmp_path) as app:
        app.wait_for_index("apple")
        for path in (tmp_path / ".sitecrawl").glob("*.db*"):
            path.unlink()
        reply = app.get("/crawl")
        assert (reply.status, "There is no crawl database" in reply.text) == (503, True)


def test_a_long_text_is_cut_and_can_be_had_whole(server: Server, tmp_path: Path) -> None:
    long = " ".join(f"word{number}" for number in range(50_000))
    origin = server.serve({"/": page(title="Long", text=long)})
    CrawlCommand(tmp_path)(f"{origin}/")
    with browsing(tmp_path) as app:
        app.wait_for_index("word7")
        shown = app.get("/document", {"url": f"{origin}/"}).text
        assert "Only the first 300,000 characters are shown." in shown
        assert len(shown) < 310_000
        assert "word49999" in app.get("/document.txt", {"url": f"{origin}/"}).text


def test_wrong_usage_is_told_in_one_line(tmp_path: Path, shown: Shown) -> None:
    assert CrawlCommand(tmp_path).command("browse")[0] == 3
    for words in (
        ["x"],
        ["--port", "0"],
        ["--allow-origin", "*"],
        ["--public-url", "find.example"],
    ):
        status, said = shown.command.command("browse", *words)
        assert (status, "error: " in said, "Traceback" in said) == (2, True, False), said
    status, said = shown.command.command("browse", "--port", str(shown.app.port))
    assert (status, said) == (
        2,
        f"Port {shown.app.port} is in use; give another one with --port.\n",
    )
    assert urlsplit(shown.app.address).hostname == "127.0.0.1"


@pytest.mark.behaviour("BR-01")
@pytest.mark.parametrize(
    ("head", "status"),
    [
        (f"POST / HTTP/1.1\r\nContent-Length: {10**15}\r\n", 413),
        ("POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n", 413),
        ("POST / HTTP/1.1\r\n", 405),
        (f"GET /search?q={'x' * 60_000} HTTP/1.1\r\n", 414),
        (f"GET / HTTP/1.1\r\nX: {'x' * 60_000}\r\n", 431),
    ],
)
def test_what_is_too_large_is_refused_at_once(shown: Shown, head: str, status: int) -> None:
    with socket.create_connection(("127.0.0.1", shown.app.port), timeout=10) as connection:
        connection.sendall(f"{head}Host: 127.0.0.1:{shown.app.port}\r\n\r\n".encode())
        assert connection.recv(100).startswith(f"HTTP/1.1 {status} ".encode())
