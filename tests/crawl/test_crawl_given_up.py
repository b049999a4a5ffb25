"""Several workers, each with an origin that it has given up: none waits for the other's."""

from __future__ import annotations

import time
from typing import Any

import pytest

from fixtures.crawls import CrawlCommand
from fixtures.server import Answer, Page, Server, page

PATHS = [f"/{number}" for number in range(8)]
BUSY = Answer(status=429, headers={"Retry-After": "600"})


@pytest.mark.slow
def test_workers_end_when_all_that_waits_was_given_up(server: Server, crawl: CrawlCommand) -> None:
    front = page(*PATHS, title="Start")
    busy: dict[str, Page] = {"/": front, "/robots.txt": "", "*": BUSY}
    calm: dict[str, Page] = {"/": front, "*": lambda request: page(title=request.target)}
    options: dict[str, Any] = {"crawl_name": "shared", "delay": 0.3, "max_wait": 60}
    workers = []
    for origins in [[server.serve(busy), server.serve(calm)] for _ in range(2)]:
        workers.append(crawl.begin(*(f"{origin}/" for origin in origins), **options))
        until = time.monotonic() + 30
        while not all(server.log.of(origin) for origin in origins) and time.monotonic() < until:
            time.sleep(0.05)
    runs = [worker.finish(60) for worker in workers]
    assert [run.status for run in runs] == [0, 0], runs[0].log[-3000:]
    assert sum(len(run.documents) for run in runs) == 2 * (2 + len(PATHS))
    warnings = [line for run in runs for line in run.log.splitlines() if "WARNING" in line]
    assert sum("asks for a pause" in line for line in warnings) == 2
