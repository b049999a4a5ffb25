"""Pages read in other processes: the same documents in the same order, also when a process ends."""

from __future__ import annotations

import os
import signal
from pathlib import Path
from typing import Any

import pytest

from fixtures.crawls import CrawlCommand
from fixtures.server import Server, page
from sitecrawl.web.page_process import main

PAGES = 40
OF_A_RUN = ("first_seen_at", "last_crawled_at", "last_changed_at", "seq")


def site(last: int = PAGES) -> dict[str, Any]:
    """Pages of very different length, each linked from the first."""
    links = [f"/{number}" for number in range(last)]
    texts = {
        f"/{number}": page(title=f"Page {number}", text=f"Text {number}. " * (1 + number % 7 * 300))
        for number in range(last)
    }
    return {"/": page(*links, title="Start"), **texts}


def facts(lines: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [{name: value for name, value in line.items() if name not in OF_A_RUN} for line in lines]


def children(pid: int) -> list[int]:
    """Readers of a crawl, by what their command lines say."""
    found = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        words = path.read_bytes()
        parent = (path.parent / "stat").read_text().rpartition(")")[2].split()[1]
        if main.__module__.encode() in words and int(parent) == pid:
            found.append(int(path.parent.name))
    return found


@pytest.mark.slow
@pytest.mark.behaviour("W-19")
def test_the_lines_are_those_of_a_crawl_in_one_process(server: Server, crawl: CrawlCommand) -> None:
    origin = server.serve(site())
    alone = crawl(f"{origin}/", delay=0, politeness=0, crawl_name="alone")
    beside = crawl(f"{origin}/", delay=0, politeness=0, crawl_name="beside", readers=2)
    assert (alone.status, beside.status) == (0, 0), beside.log
    assert facts(beside.lines) == facts(alone.lines)


@pytest.mark.slow
@pytest.mark.behaviour("W-19")
def test_a_reader_that_dies_costs_a_second_try(server: Server, crawl: CrawlCommand) -> None:
    origin = server.serve(site())
    running = crawl.begin(f"{origin}/", delay=0.05, politeness=0, readers=1)
    server.log.wait_for(10, origin)
    readers = children(running.process.pid)
    for pid in readers:
        os.kill(pid, signal.SIGKILL)
    ended = running.finish(60)
    assert len(readers) == 1
    assert ended.status == 0, ended.log
    assert len(ended.documents) == PAGES + 1
    assert "Traceback" not in ended.log
