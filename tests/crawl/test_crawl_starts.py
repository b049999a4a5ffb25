"""A start that cannot work says so in one line, and costs nothing of an earlier run."""

from __future__ import annotations

import pytest

from fixtures.command import run
from fixtures.crawls import Crawl, CrawlCommand
from fixtures.server import Answer, Page, Server, page, redirect, refusing_origin

ZIP = Answer(b"PK\3\4", headers={"Content-Type": "application/zip"})
SITES: dict[str, dict[str, Page]] = {
    "robots": {"/robots.txt": "User-agent: *\nDisallow: /\n", "/": page()},
    "404": {},
    "zip": {"/": ZIP},
}


def complaints(run: Crawl, about: str) -> list[str]:
    """The lines of the log that name the start and are more than news."""
    lines = run.log.splitlines()
    return [line for line in lines if about in line and ("WARNING" in line or "ERROR" in line)]


@pytest.mark.behaviour("RT-03")
@pytest.mark.parametrize(
    ("case", "word"),
    [("robots", "robots.txt"), ("404", "404"), ("zip", "application/zip"), ("refused", "refused")],
)
def test_a_start_that_cannot_work_says_so(
    case: str, word: str, server: Server, crawl: CrawlCommand
) -> None:
    origin = refusing_origin() if case == "refused" else server.serve(SITES[case])
    run = crawl(f"{origin}/", patience=1)
    assert run.status == 1, run.log[-3000:]
    assert run.lines == []
    (line,) = complaints(run, f"{origin}/")
    assert word in line.lower()
    assert "Traceback" not in run.log


def test_a_start_that_is_sent_elsewhere_says_where_and_what_became_of_it(
    server: Server, crawl: CrawlCommand
) -> None:
    site: dict[str, Page] = {
        "/away": redirect("http://127.9.9.9/"),
        "/on": redirect("/further"),
        "/further": redirect("/broken"),
        "/broken": Answer(status=500),
        "/slash": redirect("/slash/"),
    }
    origin = server.serve(site)
    run = crawl(f"{origin}/away {origin}/on {origin}/slash", patience=9)
    assert run.status == 1, run.log[-3000:]
    said = [line.partition(" ERROR: ")[2] for line in complaints(run, "produced nothing")]
    refused = "the target is refused: scope 'origin' (default): http://127.9.9.9"
    way = (
        f"permanent redirect (to {origin}/further, status 301)",
        f"{origin}/further: permanent redirect (to {origin}/broken, status 301)",
        f"{origin}/broken: the server failed (status 500)",
    )
    gone = "the server has no such page (status 404): check the address"
    away = f"permanent redirect (to http://127.9.9.9/, {refused})"
    assert sorted(said[1:]) == [
        f"start {origin}/away produced nothing: {away}: start there: -a start=http://127.9.9.9/",
        f"start {origin}/on produced nothing: {'; '.join(way)}: run the command again later",
        f"start {origin}/slash produced nothing: {gone}",
    ]


def test_an_origin_without_robots_txt_is_not_left_out_in_silence(
    server: Server, crawl: CrawlCommand
) -> None:
    origin = server.serve({"/": page()})
    broken = server.serve({"/robots.txt": Answer(status=500), "/": page()})
    run = crawl(f"{origin}/ {broken}/", patience=2)
    assert run.status == 4, run.log[-3000:]
    (line,) = complaints(run, f"{broken} is given up for this run")
    assert "its robots.txt cannot be read (answered 500)" in line
    assert run.log.count("asked for again in") == 1


def test_a_wrong_address_is_told_at_once(crawl: CrawlCommand) -> None:
    for options in ({}, {"obey_robots": "no"}):
        run = crawl("http://127.0.0.9:9/", **options)
        (line,) = complaints(run, "produced nothing")
        assert "nothing answers there (Connection refused)" in line
        assert line.endswith(": check the address, or run the command again later")
        assert run.stats["downloader/request_count"] == 2


def test_a_site_that_has_answered_before_is_waited_for(crawl: CrawlCommand) -> None:
    with Server() as server:
        origin = server.serve({"/": page()})
        assert crawl(f"{origin}/").status == 0
    run = crawl(f"{origin}/", patience=3, force=1)
    assert run.stats["sitecrawl/robots/unreachable"] == 3


def test_redirects_that_come_back_have_a_remedy(server: Server, crawl: CrawlCommand) -> None:
    site: dict[str, Page] = {"/a": redirect("/b"), "/b": redirect("/a"), "/c": redirect("/c")}
    origin = server.serve(site)
    for line in complaints(crawl(f"{origin}/a {origin}/c"), "start http"):
        assert line.count("it redirects to itself without end") == 1
        assert "open it in a browser, and start at the address where that ends" in line


def test_a_check_for_browsers_is_not_said_to_pass(server: Server, crawl: CrawlCommand) -> None:
    origin = server.serve({"/": Answer("wait", status=403, headers={"cf-mitigated": "challenge"})})
    (line,) = complaints(crawl(f"{origin}/"), "produced nothing")
    assert "a check for browsers stands before the site (status 403)" in line
    assert "ask the site's owner to admit this crawler" in line
    assert "again later" not in line


def test_a_check_for_browsers_at_robots_txt_is_named(server: Server, crawl: CrawlCommand) -> None:
    wall = Answer("wait", status=503, headers={"cf-mitigated": "challenge"})
    run = crawl(f"{server.serve({'/robots.txt': wall, '/': wall})}/")
    (line,) = complaints(run, "produced nothing")
    assert "a check for browsers stands before the site (answered 503)" in line
    assert "ask the site's owner to admit this crawler" in line
    assert "again later" not in run.log
    assert server.log.targets() == ["/robots.txt"]


def test_a_host_in_place_of_the_spider_is_answered_with_the_command(crawl: CrawlCommand) -> None:
    done = run(["crawl", "a.test"], crawl.directory, settings="sitecrawl.settings")
    assert done.returncode == 2
    assert done.stderr.rstrip().endswith("Type: scrapy crawl https://a.test")


def test_a_value_after_a_flag_without_one_is_told(crawl: CrawlCommand) -> None:
    words = ["crawl", "http://a.test/", "--sitemaps", "yes"]
    done = run(words, crawl.directory, settings="sitecrawl.settings")
    assert done.returncode == 2
    assert done.stderr.startswith(
        "'yes' is neither a URL nor a flag; one that is on or off has no "
    )


def test_a_misspelt_flag_is_told_with_the_nearest_one(crawl: CrawlCommand) -> None:
    words = ["crawl", "http://a.test/", "--max-page", "3"]
    done = run(words, crawl.directory, settings="sitecrawl.settings")
    assert done.returncode == 2
    assert done.stderr == "there is no option --max-page (--max-pages?).\n"


@pytest.mark.behaviour("K-02")
def test_a_start_outside_the_web_is_refused_without_a_request(crawl: CrawlCommand) -> None:
    run = crawl("ftp://127.0.0.1/")
    assert run.status in (1, 2)
    assert "ftp" in run.log
    assert run.lines == []
    assert "Traceback" not in run.log


@pytest.mark.behaviour("A-01")
def test_without_a_start_it_explains_itself(crawl: CrawlCommand) -> None:
    run = crawl()
    assert run.status == 2
    assert "start" in run.log
    assert len(run.log.splitlines()) == 1


def test_a_bad_option_is_refused_before_any_request(server: Server, crawl: CrawlCommand) -> None:
    origin = server.serve({"/": page()})
    run = crawl(f"{origin}/", max_page=3, delay="soon")
    assert run.status == 2
    assert len(run.log.splitlines()) == 2
    assert "max_pages" in run.log
    assert server.log.targets() == []


@pytest.mark.behaviour("DEL-12")
def test_a_site_that_is_down_loses_nothing(server: Server, crawl: CrawlCommand) -> None:
    site: dict[str, Page] = {"/": page("/a"), "/a": page(title="A")}
    origin = server.serve(site)
    first = crawl(f"{origin}/")
    assert len(first.documents) == 2, first.log[-3000:]
    site.clear()
    site["*"] = Answer(status=503)
    down = crawl(f"{origin}/", force=1, patience=1)
    assert down.status == 1
    assert down.lines == []
    assert crawl.rows("SELECT count(*) FROM document")[0][0] == 2


def test_a_site_that_is_wanted_in_no_index_says_so(server: Server, crawl: CrawlCommand) -> None:
    noindex = '<meta name="robots" content="noindex">'
    site: dict[str, Page] = {"/": page("/a", head=noindex), "/a": page("/dead", head=noindex)}
    origin = server.serve(site)
    run = crawl(f"{origin}/")
    assert run.status == 1, run.log[-3000:]
    said = (
        "No document: none of the 2 pages that were read is wanted in an index: "
        f"noindex (2, one is {origin}/)"
    )
    (line,) = complaints(run, said)
    assert line.endswith(said)
    again = crawl(f"{origin}/", force=1)
    assert complaints(again, said)
    site["/a"] = page()
    assert "No document" not in crawl(f"{origin}/", force=1).log


def test_a_start_that_is_no_wanted_page_says_so(server: Server, crawl: CrawlCommand) -> None:
    origin = server.serve({"/": page("/a"), "/a": page()})
    run = crawl(f"{origin}/", allow="/b")
    assert run.status == 1, run.log[-3000:]
    (line,) = complaints(run, "No document")
    assert f"a start that is no wanted page, read for its links (1, one is {origin}/)" in line
