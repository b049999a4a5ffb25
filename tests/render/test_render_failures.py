"""A browser that is missing, dies or hangs, and pages that would cost too much."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from pytest_twisted import ensureDeferred
from scrapy.utils.defer import deferred_from_coro
from scrapy.utils.test import get_crawler

from fixtures.applications import MAKING, SPINNING, shell
from fixtures.crawls import Crawl, CrawlCommand
from fixtures.server import Answer, Page, Server, page
from sitecrawl.config.installed_browser import find_chromium
from sitecrawl.config.options.crawl_options import CrawlParams
from sitecrawl.policy.http.network_addresses import AddressRule
from sitecrawl.policy.outcomes import Outcome
from sitecrawl.render import browser
from sitecrawl.render.rendered_page import FetchedPage, RendererMissingError
from sitecrawl.render.sandbox_proxy import SandboxProxy

APPS = [f"/app/{number}" for number in range(3)]
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
    """The browser's first process."""
    for process in children(crawler):
        command = Path(f"/proc/{process}/cmdline").read_bytes()
        if b"chromium" in command and b"--type=" not in command and b"--headless" in command:
            return process
    pytest.fail("no browser was started")


def is_running(process: int) -> bool:
    """Tell a live process; a zombie is none."""
    state = Path(f"/proc/{process}/stat")
    return state.exists() and state.read_text().rpartition(")")[2].split()[0] != "Z"


@pytest.fixture
def site() -> dict[str, Page]:
    return {
        "/": page(*APPS, title="Contents", text=TEXT),
        **{path: shell(path, MAKING % path) for path in APPS},
    }


def outcomes(crawl: CrawlCommand) -> dict[str, tuple[int, str]]:
    """Outcome and reason of each path."""
    rows = crawl.rows("select url, outcome, reason from url")
    return {"/" + url.split("/", 3)[3]: (outcome, reason) for url, outcome, reason in rows}


def disturbed(
    server: Server, crawl: CrawlCommand, site: dict[str, Page], number: signal.Signals
) -> Crawl:
    """A crawl whose first browser gets a signal as soon as it shows a page."""
    for path in APPS:
        making = MAKING % path
        site[path] = shell(path, f"fetch('/shown').finally(() => {{ {making} }});")
    site["/shown"] = [Answer(delay=300), Answer()]
    origin = server.serve(site)
    running = crawl.begin(f"{origin}/", render="auto", render_time=4, delay=0, politeness=0)
    while not server.log.count("/shown") and running.process.poll() is None:
        time.sleep(0.05)
    first = chromium_of(running.process.pid)
    os.kill(first, number)
    done = running.finish()
    assert not is_running(first)
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


def test_without_a_browser_other_pages_are_read_and_the_remedy_is_logged(
    server: Server,
    crawl: CrawlCommand,
    site: dict[str, Page],
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    monkeypatch.setenv("CHROMIUM", program(tmp_path / "broken", "exit 1"))
    origin = server.serve(site)
    done = crawl(f"{origin}/", render="auto")
    assert list(done.documents) == [f"{origin}/"]
    assert outcomes(crawl)["/app/1"] == (Outcome.CANCELLED, "renderer_missing")
    assert "the browser does not start" in done.log
    assert done.log.count("Pages cannot be rendered") == 1


def test_a_missing_browser_is_told_before_the_first_request(
    server: Server, crawl: CrawlCommand, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CHROMIUM", "no-such-program")
    origin = server.serve({"/": shell("App", "1")})
    done = crawl(f"{origin}/", render="auto")
    assert done.status == 2
    assert (
        "render: no Chromium or Chrome was found. Install one (Debian, Ubuntu: apt-get" in done.log
    )
    assert server.log.targets() == []


def test_without_a_browser_no_more_pages_are_requested(
    server: Server, crawl: CrawlCommand, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("CHROMIUM", program(tmp_path / "broken", "exit 1"))
    origins = [server.serve({"/": shell("App", "1")}) for _ in range(3)]
    done = crawl(*(f"{origin}/" for origin in origins), render="playwright")
    assert done.status == 1
    assert "produced nothing: the browser cannot be started" in done.log


def program(path: Path, script: str) -> str:
    """A program of these lines of shell."""
    path.write_text(f"#!/bin/sh\n{script}\n", encoding="utf-8")
    path.chmod(0o755)
    return str(path)


def test_a_browser_that_takes_its_time_to_start_costs_no_page_a_second_request(
    server: Server, crawl: CrawlCommand, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    chromium = find_chromium(os.environ)
    late = program(tmp_path / "chromium-late", f'sleep 9; exec "{chromium}" "$@"')
    monkeypatch.setenv("CHROMIUM", late)
    origin = server.serve({"/": shell("App", MAKING % "/")})
    done = crawl(f"{origin}/", render="playwright", render_time=1)
    assert "Made by a script" in done.documents[f"{origin}/"]["body"], done.log[-3000:]
    assert server.log.targets(origin) == ["/robots.txt", "/"]
    assert done.stats["playwright/browser_count"] == 1


def test_a_browser_that_does_not_start_in_its_time_is_a_missing_one(
    server: Server,
    crawl: CrawlCommand,
    site: dict[str, Page],
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    monkeypatch.setenv("CHROMIUM", program(tmp_path / "never", "while :; do sleep 0.2; done"))
    settings = {"PLAYWRIGHT_LAUNCH_OPTIONS": '{"timeout": 1500}'}
    done = crawl(f"{server.serve(site)}/", render="auto", settings=settings)
    assert outcomes(crawl)["/app/1"] == (Outcome.CANCELLED, "renderer_missing")
    assert done.log.count("Pages cannot be rendered: the browser does not start") == 1


@ensureDeferred
async def test_a_start_that_hangs_is_given_up_and_ended(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    hanging = program(tmp_path / "hanging", "while :; do sleep 0.2; done")
    monkeypatch.setenv("CHROMIUM", hanging)
    monkeypatch.setattr(browser, "START_SECONDS", 3.0)
    params = CrawlParams(start="http://127.0.0.1/")
    renderer = browser.PlaywrightRenderer(get_crawler(), params, "test")
    answered = FetchedPage("http://127.0.0.1/", b"<p>", {})
    proxy = SandboxProxy(AddressRule(), 1000)
    with pytest.raises(RendererMissingError, match="did not start within 3 seconds"):
        await deferred_from_coro(renderer.show(answered, proxy))
    await deferred_from_coro(renderer.close())
    commands = [path.read_bytes() for path in Path("/proc").glob("[0-9]*/cmdline")]
    assert not [command for command in commands if hanging.encode() in command]


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
