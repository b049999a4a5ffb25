"""A crawl whose database is taken away notices it, and delivers nothing into nothing."""

from __future__ import annotations

import shutil
import time

from fixtures.crawls import CrawlCommand
from fixtures.server import Server, page

PATHS = [f"/p{n}" for n in range(200)]


def test_a_database_that_is_deleted_ends_the_crawl(server: Server, crawl: CrawlCommand) -> None:
    origin = server.serve({"/": page(*PATHS), **{path: page(text=path) for path in PATHS}})
    running = crawl.begin(f"{origin}/", delay=0.05)
    while len(server.log.targets()) < 10:
        assert running.process.poll() is None, "the crawl ended by itself"
        time.sleep(0.02)
    shutil.rmtree(crawl.directory / ".sitecrawl")
    ended = running.finish()
    assert ended.status == 3, ended.log[-3000:]
    (line,) = [line for line in ended.log.splitlines() if " ERROR: " in line]
    assert "was deleted or replaced while it was in use" in line
    assert "Traceback" not in ended.log
    assert len(server.log.targets()) < 100
    again = crawl(f"{origin}/", max_pages=3)
    assert again.status == 0
    assert f"{origin}/" in again.documents
