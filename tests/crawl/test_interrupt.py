"""Ctrl-C: once ends the crawl cleanly, twice at once, and neither loses anything."""

from __future__ import annotations

import signal
import time
from collections import Counter

import pytest

from fixtures.crawls import CrawlCommand, Running
from fixtures.server import Server, page

PATHS = [f"/p{n}" for n in range(40)]
SITE = {"/": page(*PATHS, text="Home"), **{path: page(text=f"Page {path}") for path in PATHS}}


def wait_for(server: Server, requests: int, running: Running) -> None:
    """Return when the server was asked so often."""
    while len(server.log.targets()) < requests:
        assert running.process.poll() is None, "the crawl ended by itself"
        time.sleep(0.02)


@pytest.mark.behaviour("DB-20", "L-30")
def test_once_ends_cleanly_and_delivers(server: Server, crawl: CrawlCommand) -> None:
    origin = server.serve(dict(SITE))
    running = crawl.begin(origin, delay=0.15)
    wait_for(server, 12, running)
    running.process.send_signal(signal.SIGINT)
    stopped = running.finish()
    assert "'finish_reason': 'shutdown'" in stopped.log
    fetched = {target for target in server.log.targets() if target != "/robots.txt"}
    assert {url.removeprefix(origin) for url in stopped.documents} == fetched
    resumed = crawl(origin)
    assert Counter(line["url"] for line in stopped.lines + resumed.lines) == Counter(
        f"{origin}{path}" for path in ["/", *PATHS]
    )


def test_twice_ends_at_once_and_costs_a_few_refetches(server: Server, crawl: CrawlCommand) -> None:
    origin = server.serve({**SITE, "/p5": page(text="Page /p5")})
    running = crawl.begin(origin, delay=0.15)
    wait_for(server, 12, running)
    running.process.send_signal(signal.SIGINT)
    running.process.send_signal(signal.SIGINT)
    stopped = running.finish()
    resumed = crawl(origin)
    urls = {line["url"] for line in stopped.lines + resumed.lines}
    assert urls == {f"{origin}{path}" for path in ["/", *PATHS]}
    assert len(server.log.targets()) <= len(PATHS) + 20
