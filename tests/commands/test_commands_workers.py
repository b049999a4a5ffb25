"""``scrapy frontier workers``: who crawls, and when each was heard of."""

from __future__ import annotations

import json
import os
import socket
import time

import pytest

from fixtures.crawls import CrawlCommand
from fixtures.server import Server, page


def serve(server: Server) -> str:
    """Serve a start and twenty pages; return their origin."""
    paths = [f"/{'abcdefghijklmnopqrst'[n]}" for n in range(20)]
    return server.serve({"/": page(*paths), **{p: page(text=f"Page {p}") for p in paths}})


@pytest.mark.slow
@pytest.mark.behaviour("W-07")
def test_the_workers_of_a_run(server: Server, crawl: CrawlCommand) -> None:
    origin = serve(server)
    running = crawl.begin(f"{origin}/", delay=0.3)
    server.log.wait_for(8)
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


@pytest.mark.slow
@pytest.mark.behaviour("W-13")
def test_a_killed_run_is_not_said_to_go_on(server: Server, crawl: CrawlCommand) -> None:
    origin = serve(server)
    began = time.monotonic()
    running = crawl.begin(f"{origin}/", delay=0.2)
    server.log.wait_for(15)
    assert "Run 1 of realm 'default' is running, begun" in crawl.command("frontier")[1]
    running.process.kill()
    running.finish()
    text = crawl.command("frontier")[1]
    assert "Run 1 of realm 'default' stopped without end, last seen" in text
    assert f"{origin} (default): interrupted" in text
    run = json.loads(crawl.command("frontier", "--json")[1])["run"]
    assert run["finished_at"] is None
    assert run["stopped_at"] is not None
    assert run["counters"]["sitecrawl/outcomes/file_ingested"] > 0, "of its last heartbeat"
    assert ", died, last seen" in crawl.command("frontier", "workers")[1]
    assert crawl.command("frontier", "workers", "--host", socket.gethostname())[0] == 1
    assert crawl(f"{origin}/").status == 0
    [(reason, took)] = crawl.rows("SELECT finish_reason, finished_at - started_at FROM run LIMIT 1")
    assert reason == "crashed"
    assert took < time.monotonic() - began
