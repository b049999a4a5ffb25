"""``scrapy frontier workers``: who crawls, and when each was heard of."""

from __future__ import annotations

import json
import os
import socket
import time

import pytest

from fixtures.crawls import CrawlCommand
from fixtures.server import Server, page


@pytest.mark.behaviour("W-07")
def test_the_workers_of_a_run(server: Server, crawl: CrawlCommand) -> None:
    paths = [f"/{'abcdefghijklmnopqrst'[n]}" for n in range(20)]
    origin = server.serve({"/": page(*paths), **{p: page(text=f"Page {p}") for p in paths}})
    running = crawl.begin(f"{origin}/", delay=0.3)
    deadline = time.monotonic() + 60
    while len(server.log.of()) < 8 and time.monotonic() < deadline:
        time.sleep(0.05)
    status, text = crawl.command("frontier", "workers", "--json", "--host", socket.gethostname())
    assert status == 0, text
    [worker] = map(json.loads, text.splitlines())
    assert (worker["process"], worker["origins"]) == (running.process.pid, 1)
    assert worker["finish"] is None
    assert worker["pages"] > 0
    assert crawl.command("frontier", "workers", "--host", "elsewhere")[0] == 1
    assert running.finish().status == 0
    status, text = crawl.command("frontier", "workers")
    assert status == 0
    assert text.startswith(f"{socket.gethostname()} {worker['process']} (default, run 1): since ")
    assert text.rstrip().endswith(", finished")
    assert os.getpid() != worker["process"]
    assert crawl.command("frontier", "workers", "--host", socket.gethostname())[0] == 1
