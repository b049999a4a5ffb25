"""The help page of the Fluid Dynamics Search Engine, by its profile, over HTTP."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable
from typing import Any, NamedTuple

import pytest

from fixtures.crawls import Crawl, CrawlCommand
from fixtures.server import Page, Server, page

NewCrawl = Callable[[str], CrawlCommand]

NOFOLLOW = '<meta name="robots" content="nofollow">'


class Seen(NamedTuple):
    """A crawl of the entire site: where it was, what it left, what it was asked for."""

    server: Server
    origin: str
    offsite: str
    site: dict[str, Page]
    command: CrawlCommand
    run: Crawl
    asked: list[str]


def pending(command: CrawlCommand) -> list[str]:
    """The pending file."""
    return frontier(command, "pending").splitlines()


def frontier(command: CrawlCommand, action: str) -> str:
    """Output of ``scrapy frontier``."""
    words = [sys.executable, "-m", "scrapy", "frontier", action]
    environment = {**os.environ, "SCRAPY_SETTINGS_MODULE": "sitecrawl.settings"}
    ended = subprocess.run(
        words,
        cwd=command.directory,
        env=environment,
        capture_output=True,
        text=True,
        timeout=300,
        check=True,
    )
    return ended.stdout


def of_length(origin: str, length: int) -> str:
    """A link below /docs/ whose whole address has that many characters."""
    return f"/docs/{'x' * (length - len(origin) - 11)}.html"


def site_of(origin: str, offsite: str) -> dict[str, Page]:
    links = ["one.html", "broken.html", "nofollow.html", "frames.html", "sub/deep.html"]
    links += ["file.pl?test", "picture.gif", "PAGE.PDF", "server.log", "page.old", "secret.html"]
    links += ["/outside.html", f"{offsite}/far.html", of_length(origin, 128)]
    links += [of_length(origin, 129), "https://127.0.0.1/docs/s.html", "ftp://127.0.0.1/f.html"]
    links += ["gopher://127.0.0.1/g.html"]
    body = '<iframe href="inner.html"></iframe><script>document.write("<a href=\'js.html\'>x</a>")</script>'
    named = ["one", "inner", "framed", "hidden", "secret", "sub/deep", "file.pl", "js"]
    pages: dict[str, Page] = {f"/docs/{name}.html": page(title=f"page {name}") for name in named}
    return {
        **pages,
        "/robots.txt": "User-agent: *\nDisallow: /docs/secret.html\n",
        "/docs/index.html": page(*links, title="Index", body=body),
        "/docs/one.html": page("broken.html", "index.html", title="One"),
        "/docs/frames.html": "<title>Frames</title><frameset><frame src='framed.html'></frameset>",
        "/docs/nofollow.html": page("hidden.html", title="Nofollow", head=NOFOLLOW),
        "/docs/file.pl": page(title="Program"),
        "/outside.html": page(title="Outside"),
        of_length(origin, 128): page(title="Long"),
        of_length(origin, 129): page(title="Too long"),
    }


@pytest.fixture(scope="module")
def seen(served: Server, new_crawl: NewCrawl) -> Seen:
    offsite = served.serve({"*": page(title="far away")}, address="127.0.0.2")
    site: dict[str, Page] = {}
    origin = served.serve(site)
    site.update(site_of(origin, offsite))
    command: CrawlCommand = new_crawl("fdse")
    run = command(f"{origin}/docs/index.html", profile="fdse", entire_site=1, realm="My Realm")
    asked = served.log.targets(origin)
    return Seen(served, origin, offsite, site, command, run, asked)


@pytest.mark.behaviour("L-02", "L-03", "L-20", "K-19", "A-04", "LR-16")
def test_link_detection_and_the_entire_site(seen: Seen) -> None:
    assert seen.run.status == 0, seen.run.log[-3000:]
    names = {url.removeprefix(f"{seen.origin}/docs/") for url in seen.run.documents}
    long = of_length(seen.origin, 128).removeprefix("/docs/")
    plain = {"index.html", "one.html", "frames.html", "nofollow.html", "sub/deep.html"}
    assert names == plain | {"framed.html", "inner.html", long}
    assert "/docs/js.html" not in seen.asked
    assert "/outside.html" not in seen.asked
    assert seen.server.log.targets(seen.offsite) == []


@pytest.mark.behaviour("LR-01", "LR-02", "LR-03", "LR-04", "LR-05", "Q-01", "K-02", "K-14", "K-28")
def test_only_links_that_pass_all_rules_are_stored(seen: Seen) -> None:
    counted = {
        name.removeprefix("sitecrawl/rules/"): number
        for name, number in seen.run.stats.items()
        if name.startswith("sitecrawl/rules/") and not name.endswith("robots_txt")
    }
    # https, ftp, gopher; one character too many; the question mark; gif, PDF, log, old;
    # outside the directory and outside the host; behind a page that says nofollow.
    expected = {"scheme": 3, "length": 1, "query": 1, "extension": 4, "scope": 2, "rel": 1}
    assert counted == expected
    (size,) = {len(url) for url in seen.run.documents if "xxx" in url}
    assert size == 128
    stored = {row[0].rpartition("/")[2] for row in seen.command.rows("SELECT url FROM url")}
    assert not stored & {"file.pl?test", "picture.gif", "PAGE.PDF", "server.log", "page.old"}


@pytest.mark.behaviour("M-02", "RT-03")
def test_the_exclusion_standard_is_obeyed(seen: Seen) -> None:
    assert f"{seen.origin}/docs/nofollow.html" in seen.run.documents
    assert "/docs/hidden.html" not in seen.asked
    assert "/docs/secret.html" not in seen.asked


@pytest.mark.behaviour("RT-16", "M-15")
def test_rogue_ignores_the_exclusion_standard(seen: Seen, new_crawl: NewCrawl) -> None:
    run = new_crawl("rogue")(
        f"{seen.origin}/docs/index.html", profile="fdse", entire_site=1, rogue=1
    )
    names = {url.removeprefix(f"{seen.origin}/docs/") for url in run.documents}
    assert {"hidden.html", "secret.html"} <= names
    assert "The robots exclusion standard is ignored" in run.log


@pytest.mark.behaviour(
    "DB-02", "DB-03", "DB-04", "DB-05", "DB-07", "DB-09", "S-15", "A-05", "RC-17"
)
def test_the_pending_file_tells_the_state_of_each_address(seen: Seen) -> None:
    lines = pending(seen.command)
    assert lines == sorted(lines), "in alphabetic order"
    fields = [line.split(" ") for line in lines]
    assert {realm for _, realm, _ in fields} == {"My%20Realm"}
    states = {url.removeprefix(f"{seen.origin}/docs/"): int(state) for url, _, state in fields}
    assert states["broken.html"] == 2
    assert abs(states["one.html"] - time.time()) < 600, "seconds since 1970"
    seen.server.log.clear()
    options: dict[str, Any] = {"profile": "fdse", "entire_site": 1, "realm": "My Realm"}
    seen.command(f"{seen.origin}/docs/index.html", **options)
    assert set(seen.server.log.targets(seen.origin)) <= {"/robots.txt"}, "not yet time to refresh"
    # Found again, even long after, an address keeps its state: nobody asks for it.
    seen.command(f"{seen.origin}/docs/index.html", recrawl=0, **options)
    assert seen.server.log.count("/docs/one.html") == 1
    assert seen.server.log.count("/docs/broken.html") == 0
    # Until the errors are cleared.
    seen.site["/docs/broken.html"] = page(title="Mended")
    frontier(seen.command, "clear-errors")
    mended = seen.command(f"{seen.origin}/docs/index.html", **options)
    assert f"{seen.origin}/docs/broken.html" in mended.documents
    assert not any(line.endswith(" 2") for line in pending(seen.command) if "broken" in line)


@pytest.mark.behaviour("A-02", "A-03", "DB-01", "DB-06", "X-11")
def test_links_wait_until_they_are_chosen(seen: Seen, new_crawl: NewCrawl) -> None:
    command: CrawlCommand = new_crawl("chosen")
    seen.server.log.clear()
    alone = command(f"{seen.origin}/docs/index.html", profile="fdse")
    assert set(alone.documents) == {f"{seen.origin}/docs/index.html"}
    assert seen.server.log.targets(seen.origin) == ["/robots.txt", "/docs/index.html"]
    waiting = {line.split()[0] for line in pending(command) if line.endswith(" 0")}
    assert {f"{seen.origin}/docs/one.html", f"{seen.origin}/outside.html"} <= waiting
    assert f"{seen.offsite}/far.html" in waiting, "offsite links may be chosen too"
    seen.server.log.clear()
    chosen = [f"{seen.origin}/docs/one.html", f"{seen.origin}/docs/sub/deep.html"]
    run = command(*chosen, profile="fdse", mode="list")
    assert set(run.documents) == set(chosen)
    assert set(seen.server.log.targets(seen.origin)) == {
        *("/robots.txt", "/docs/one.html", "/docs/sub/deep.html")
    }


@pytest.mark.behaviour("LR-15", "Q-02", "K-10")
def test_following_query_strings_and_staying_on_the_host_are_settings(
    seen: Seen, new_crawl: NewCrawl
) -> None:
    seen.server.log.clear()
    run = new_crawl("any")(
        f"{seen.origin}/docs/index.html", profile="fdse", mode="crawl", allow_private=1
    )
    assert f"{seen.offsite}/far.html" in run.documents
    assert not any("?" in url for url in run.documents)
    seen.server.log.clear()
    run = new_crawl("host")(
        f"{seen.origin}/docs/index.html", profile="fdse", mode="crawl", scope="host", query="keep"
    )
    assert f"{seen.origin}/docs/file.pl?test" in run.documents
    assert f"{seen.origin}/outside.html" in run.documents
    assert seen.server.log.targets(seen.offsite) == []


@pytest.mark.behaviour("S-15", "K-13", "DEL-01")
def test_an_indexed_page_that_is_an_error_is_indexed_no_more(
    server: Server, crawl: CrawlCommand
) -> None:
    site: dict[str, Page] = {"/": page("/a", title="Index"), "/a": page(title="Page a")}
    origin = server.serve(site)
    options: dict[str, Any] = {"profile": "fdse", "entire_site": 1, "max_lost_share": 1}
    assert len(crawl(f"{origin}/", **options).documents) == 2
    del site["/a"]
    assert crawl(f"{origin}/", recrawl=0, **options).deletions == {f"{origin}/a": "not_found"}
    states = dict(line.split(" default ") for line in pending(crawl))
    assert states[f"{origin}/a"] == "2"
