"""The end of a run says what was written, what failed, which starts brought nothing, what to type."""

from __future__ import annotations

import signal
import time
from pathlib import Path

import pytest

from fixtures.crawls import CrawlCommand
from fixtures.server import Server, Site, page, redirect, refusing_origin
from scripts.terminal_session import FORBIDDEN, SCRIPTED, WALLED
from tests.fetch.tls import Authority

PATHS = [f"/{number}" for number in range(8)]
GOOD: Site = {
    "/": page(*PATHS, "/gone", title="Home"),
    **{path: page(title=f"Page {path}") for path in PATHS},
}


def after(log: str) -> list[str]:
    """The lines after that of Scrapy's end, without their prefixes."""
    return [line.partition(": ")[2] for line in log.partition("Spider closed")[2].splitlines()][1:]


@pytest.mark.behaviour("O-15")
def test_each_start_that_brought_nothing_is_said_with_a_remedy(
    server: Server, crawl: CrawlCommand
) -> None:
    good, forbidden, scripted, walled = map(server.serve, (GOOD, FORBIDDEN, SCRIPTED, WALLED))
    dead = refusing_origin()
    run = crawl(f"{good}/ {dead}/ {forbidden}/ {scripted}/ {walled}/", patience=1)
    assert run.status == 4, run.log[-3000:]
    assert len(run.documents) == 9
    lines = after(run.log)
    assert lines[0].startswith("9 lines written to ")
    assert lines[1] == f"1 page failed: 1 file_not_found, one is {good}/gone on {good}/."
    assert lines[2].startswith("Pages without content of their own")
    assert lines[3] == "4 of 5 starts produced nothing:"
    for line, origin, reason, remedy in zip(
        lines[4:8],
        (dead, forbidden, scripted, walled),
        ("Connection refused", "line 2 of robots.txt", "script shell", "login wall"),
        ("check the address", "ask the site's owner", "-a render=auto", "-a auth="),
        strict=True,
    ):
        assert line.startswith(f"start {origin}/ produced nothing: ")
        assert reason in line
        assert remedy in line
    assert lines[8].startswith("Next: scrapy frontier errors")
    assert lines[9].startswith("Ended after")
    assert len(lines) == 10


@pytest.mark.behaviour("O-15")
def test_a_start_needs_no_visit_in_every_run(server: Server, crawl: CrawlCommand) -> None:
    site: Site = {**GOOD, "/old": redirect("/1", 302)}
    origin = server.serve(site)
    for options in ({}, {}, {"force": 1}, {"activity": "discover"}):
        run = crawl(f"{origin}/", f"{origin}/old", **options)
        assert run.status == 0, run.log[-3000:]
        assert "produced nothing" not in run.log
    for _ in range(2):
        run = crawl(f"{origin}/", f"{origin}/missing")
        assert run.status == 4
        assert f"start {origin}/missing produced nothing" in run.log, "in each run"
    del site["/1"]
    assert crawl(f"{origin}/", f"{origin}/old", force=1).status == 4


@pytest.mark.behaviour("O-15")
def test_an_untrusted_certificate_is_tried_once(
    server: Server, crawl: CrawlCommand, tmp_path: Path
) -> None:
    tls = Authority(tmp_path).context("127.0.0.1")
    origin = server.serve({"/": page(title="Safe")}, tls=tls)
    began = time.monotonic()
    run = crawl(f"{origin}/")
    assert time.monotonic() - began < 8, "four retries of robots.txt took 15 s"
    assert run.status == 1, run.log[-3000:]
    assert "asked for again" not in run.log
    (line,) = [line for line in after(run.log) if line.startswith("start ")]
    assert "CERTIFICATE_VERIFY_FAILED" in line
    assert "-a unverified_origins=ORIGIN" in line
    assert crawl(f"{origin}/", unverified_origins="*").status == 0


@pytest.mark.behaviour("O-14")
def test_what_waits_after_an_interrupt_or_a_limit_is_said(
    server: Server, crawl: CrawlCommand
) -> None:
    origin = server.serve(dict(GOOD))
    limited = crawl(f"{origin}/", max_pages=3)
    assert limited.status == 0
    assert "7 URLs left for the next run: it stopped at max_pages 3." in limited.log
    assert "Next: the same command continues this crawl" in limited.log
    server.log.clear()
    running = crawl.begin(f"{origin}/", delay=0.5)
    while len(server.log.targets()) < 3:
        assert running.process.poll() is None
        time.sleep(0.02)
    running.process.send_signal(signal.SIGINT)
    stopped = running.finish()
    assert stopped.status == 130
    assert "URLs left for the next run: it was interrupted." in stopped.log
    assert "left for the next run" not in crawl(f"{origin}/").log


@pytest.mark.behaviour("O-16")
def test_no_document_at_all_is_status_1(server: Server, crawl: CrawlCommand) -> None:
    hidden = page("/a", title="Hidden", head='<meta name="robots" content="noindex">')
    site: Site = {"/": hidden, "/a": hidden}
    origin = server.serve(site)
    assert crawl(f"{origin}/").status == 1
    assert crawl(f"{origin}/", mode="check").status == 0
    site["/a"] = page(title="Open")
    assert crawl(f"{origin}/", force=1).status == 0
    assert crawl(f"{origin}/").status == 0, "nothing is due, but there is a document"


@pytest.mark.behaviour("O-15")
def test_documents_without_text_are_said_in_one_line(server: Server, crawl: CrawlCommand) -> None:
    origin = server.serve({"/": page("/0", "/1", text="Home"), "/0": b"", "/1": b""})
    run = crawl(f"{origin}/")
    assert run.status == 0
    assert len(run.documents) == 3
    expected = f"2 documents without text, one is {origin}/0: scrapy doctor {origin}/0 says what"
    assert [line.startswith(expected) for line in after(run.log)[:3]] == [False, True, False]


@pytest.mark.behaviour("O-17")
@pytest.mark.parametrize(
    ("robots", "options", "cause"),
    [
        ("User-agent: *\nCrawl-delay: 0.4\n", {}, r"0.4 s by robots.txt"),
        ("", {"delay": 0.3}, r"0.3 s by delay 0.3 (-a delay)"),
    ],
)
def test_a_slow_crawl_says_which_site_and_why(
    server: Server, crawl: CrawlCommand, robots: str, options: dict[str, object], cause: str
) -> None:
    origin = server.serve({**GOOD, "/robots.txt": robots})
    settings = {"SITECRAWL_STATISTICS_PAGES": 1, "SITECRAWL_STATISTICS_SECONDS": 0.1}
    run = crawl(f"{origin}/", settings=settings, **options)
    assert f"to go or more; slow because {origin} is requested every {cause}\n" in run.log
