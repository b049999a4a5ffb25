"""A browser that is missing, dies or hangs, and pages that would cost too much."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from fixtures.applications import MAKING, SPINNING, shell
from fixtures.crawls import Crawl, CrawlCommand
from fixtures.server import Answer, Page, Server, page
from sitecrawl.frontier.base import Outcome

TEXT = "Everything that there is to say stands in the answer itself. " * 5


def children(parent: int) -> Iterator[int]:
    """The processes below one, nearest first."""
    for entry in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = entry.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if int(fields[1]) == parent:
            yield int(entry.parent.name)
            yield from children(int(entry.parent.name))


def chromium_of(crawler: int) -> int:
    """The browser's first process, once it runs."""
    for _ in range(200):
        for process in children(crawler):
            command = Path(f"/proc/{process}/cmdline").read_bytes()
            if b"chromium" in command and b"--type=" not in command and b"--headless" in command:
                return process
        time.sleep(0.05)
    pytest.fail("no browser was started")


def is_running(process: int) -> bool:
    """Whether a process is there, and not just waiting for its parent to notice its end."""
    state = Path(f"/proc/{process}/stat")
    return state.exists() and state.read_text().rpartition(")")[2].split()[0] != "Z"


@pytest.fixture
def site() -> dict[str, Page]:
    paths = [f"/app/{number}" for number in range(3)]
    return {
        "/": page(*paths, title="Contents", text=TEXT),
        **{path: shell(path, MAKING % path) for path in paths},
    }


def outcomes(crawl: CrawlCommand) -> dict[str, tuple[int, str]]:
    """Outcome and reason of each path."""
    rows = crawl.rows("select url, outcome, reason from url")
    return {"/" + url.split("/", 3)[3]: (outcome, reason) for url, outcome, reason in rows}


def disturbed(
    server: Server, crawl: CrawlCommand, site: dict[str, Page], number: signal.Signals
) -> Crawl:
    """A crawl whose first browser gets a signal as soon as it shows a page."""
    origin = server.serve(site)
    running = crawl.begin(
        f"{origin}/", render="auto", render_quiet=0.3, render_time=1, delay=0, politeness=0
    )
    browser = chromium_of(running.process.pid)
    time.sleep(0.5)
    os.kill(browser, number)
    done = running.finish()
    assert not is_running(browser)
    return done


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGSTOP], ids=["dies", "hangs"])
def test_a_browser_that_is_lost_is_started_anew_and_no_page_missed(
    server: Server, crawl: CrawlCommand, site: dict[str, Page], number: signal.Signals
) -> None:
    done = disturbed(server, crawl, site, number)
    assert done.status == 0, done.log[-3000:]
    made = {line["body"] for line in done.lines if "Made by a script" in line["body"]}
    assert len(made) == 3
    assert done.stats["playwright/browser_count"] == 2


def test_without_a_browser_the_other_pages_are_read_and_one_is_told_what_to_install(
    server: Server, crawl: CrawlCommand, site: dict[str, Page], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CHROMIUM", "no-such-program")
    origin = server.serve(site)
    done = crawl(f"{origin}/", render="auto")
    assert list(done.documents) == [f"{origin}/"]
    assert outcomes(crawl)["/app/1"] == (Outcome.CANCELLED, "renderer_missing")
    assert done.log.count("apt-get install chromium") >= 1
    assert done.log.count("Pages cannot be rendered") == 1


def test_without_a_browser_no_more_pages_are_asked_for_in_vain(
    server: Server, crawl: CrawlCommand, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CHROMIUM", "no-such-program")
    origins = [server.serve({"/": shell("App", "1")}) for _ in range(3)]
    done = crawl(*(f"{origin}/" for origin in origins), render="playwright")
    assert done.status == 1
    assert "brought nothing: renderer missing" in done.log


def test_pages_that_cost_too_much_have_their_outcome_and_the_crawl_goes_on(
    server: Server, crawl: CrawlCommand
) -> None:
    site: dict[str, Page] = {
        "/": page("/spinning", "/loading", "/growing", "/well", title="Contents", text=TEXT),
        "/spinning": SPINNING,
        "/loading": shell("Loading", "fetch('/large').then(a => a.text());"),
        "/large": Answer(b"x" * 400_000),
        "/growing": shell("Growing", "document.body.append('x'.repeat(300000));"),
        "/well": shell("Well", MAKING % "/well"),
    }
    origin = server.serve(site)
    done = crawl(
        f"{origin}/",
        render="auto",
        render_quiet=0.2,
        render_time=1,
        render_max_size=200_000,
        max_body_size=200_000,
    )
    found = outcomes(crawl)
    assert found["/spinning"] == (Outcome.REQUEST_TIMEOUT, "render_timeout")
    assert found["/loading"] == (Outcome.TOO_LARGE, "render_too_large")
    assert found["/growing"] == (Outcome.TOO_LARGE, "render_too_large")
    assert "Made by a script for /well" in done.documents[f"{origin}/well"]["body"]
    assert done.stats["playwright/browser_count"] == 1
