"""Ctrl-C: once ends the crawl cleanly, twice at once, and neither loses anything."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

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


@pytest.mark.parametrize("seconds", [0, 0.2])
def test_twice_ends_at_once_and_costs_a_few_refetches(
    seconds: float, server: Server, crawl: CrawlCommand
) -> None:
    origin = server.serve({**SITE, "/p5": page(text="Page /p5")})
    running = crawl.begin(origin, delay=0.15)
    wait_for(server, 12, running)
    running.process.send_signal(signal.SIGINT)
    time.sleep(seconds)
    running.process.send_signal(signal.SIGINT)
    stopped = running.finish()
    assert stopped.status == 130
    resumed = crawl(origin)
    urls = {line["url"] for line in stopped.lines + resumed.lines}
    assert urls == {f"{origin}{path}" for path in ["/", *PATHS]}
    assert len(server.log.targets()) <= len(PATHS) + 20


LOADING = """
import os, signal, sys
from importlib.abc import MetaPathFinder

class Interrupting(MetaPathFinder):
    def find_spec(self, name, path, target=None):
        if name == sys.argv[1]:
            sys.meta_path.remove(self)
            os.kill(os.getpid(), signal.SIGINT)

sys.meta_path.insert(0, Interrupting())
signal.signal(signal.SIGINT, signal.default_int_handler)
from scrapy.cmdline import execute
execute(["scrapy", "crawl", "site", "-a", "start=http://127.0.0.1:9/"])
"""


@pytest.mark.slow
@pytest.mark.parametrize(
    "module", ["scrapy.commands.crawl", "sitecrawl.commands.explain", "sitecrawl.scheduler"]
)
def test_while_it_loads_it_is_one_line(module: str, tmp_path: Path) -> None:
    """The signal comes as the named module is imported."""
    ended = subprocess.run(
        [sys.executable, "-c", LOADING, module],
        cwd=tmp_path,
        env={**os.environ, "SCRAPY_SETTINGS_MODULE": "sitecrawl.settings"},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert "Traceback" not in ended.stderr, ended.stderr[-3000:]
    assert ended.returncode in (-signal.SIGINT, 0)


def test_while_it_closes_it_leaves_no_traceback(server: Server, crawl: CrawlCommand) -> None:
    origin = server.serve(dict(SITE))
    running = crawl.begin(origin, delay=0.15)
    wait_for(server, 5, running)
    running.process.send_signal(signal.SIGINT)
    time.sleep(0.1)
    running.process.send_signal(signal.SIGINT)
    ended = running.finish()
    assert "Traceback" not in ended.log, ended.log[-3000:]
    assert "was destroyed" not in ended.log
