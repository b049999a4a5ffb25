"""Stored links of a crawl that is killed at random points: those of one that is not.

A failure tells its seed; CRASH_SEED in the environment gives it again.
"""

from __future__ import annotations

import os
import random
import signal
import time
from pathlib import Path

import pytest

from fixtures.crawls import CrawlCommand, Running
from fixtures.server import Page, Server

PAGES, LINKS, KILLS = 300, 8, 4
ELSEWHERE = "http://127.0.0.9:9"
ARGUMENTS = {"store_links": "assets", "delay": 0, "effort": 0}
Graph = tuple[list[tuple[object, ...]], list[tuple[object, ...]]]


def site(chance: random.Random) -> dict[str, Page]:
    """Pages that link to each other, to other hosts, and to assets, all by chance."""
    paths = [f"/p{number}" for number in range(PAGES)]
    return {
        path: "".join(
            [
                f"<title>{path}</title><p>Page {path}</p>",
                f'<script src="/{chance.randrange(PAGES)}.js"></script>',
                *(
                    f'<a href="/p{n}">{n}</a>'
                    for n in (2 * number + 1, 2 * number + 2)
                    if n < PAGES
                ),
                *(f'<a href="{each}">{each}</a>' for each in chance.sample(paths, LINKS)),
                f'<a href="{ELSEWHERE}/{chance.randrange(PAGES)}">elsewhere</a>',
            ]
        )
        for number, path in enumerate(paths)
    }


def stored(crawl: CrawlCommand) -> Graph:
    """The stored links and references of a crawl."""
    return (
        crawl.rows("SELECT page, target FROM links ORDER BY page, target"),
        crawl.rows("SELECT page, url, kind FROM references_outside ORDER BY page, url"),
    )


def kill(running: Running, server: Server, requests: int, seconds: float) -> None:
    """Kill a crawl so many seconds after its next so many requests."""
    wanted = len(server.log.targets()) + requests
    deadline = time.monotonic() + 30
    while len(server.log.targets()) < wanted and running.process.poll() is None:
        assert time.monotonic() < deadline
        time.sleep(0.001)
    time.sleep(seconds)
    running.process.kill()
    running.process.wait()


@pytest.mark.behaviour("REP-01")
def test_a_killed_crawl_has_the_links_of_one_that_was_not(server: Server, tmp_path: Path) -> None:
    seed = int(os.environ.get("CRASH_SEED", random.randrange(2**32)))
    chance = random.Random(seed)
    pages = site(chance)
    start = f"{server.serve(pages)}/p0"
    crawls = []
    for name in ("whole", "killed"):
        (tmp_path / name).mkdir()
        crawls.append(CrawlCommand(tmp_path / name))
    whole, killed = crawls
    for force in (0, 1):  # the second time every page has other links, and some are gone
        assert whole(start, force=force, **ARGUMENTS).status == 0
        statuses = []
        for number in range(KILLS):
            running = killed.begin(start, force=force if number == 0 else 0, **ARGUMENTS)
            kill(running, server, chance.randrange(2, PAGES // 3), chance.uniform(0, 0.1))
            statuses.append(running.process.poll())
        assert -signal.SIGKILL in statuses, f"seed {seed}"
        assert killed(start, **ARGUMENTS).status == 0
        links, references = stored(whole)
        assert len(links) > PAGES
        assert len(references) > PAGES
        assert stored(killed) == (links, references), f"seed {seed}"
        pages.update(site(chance))
        for number in chance.sample(range(PAGES // 2, PAGES), 5):
            del pages[f"/p{number}"]
