"""One worker crawls alone while the pace is kept by address, and another follows it."""

from __future__ import annotations

import signal
import time
from pathlib import Path

import pytest

from fixtures.crawls import CrawlCommand, Running
from fixtures.server import Exchange, Page, Server, page, pauses

ADDRESSES = [f"127.0.4.{n + 1}" for n in range(3)]
SITES, DELAY = 3, 0.1
WORDS = ["alpha", "beta", "gamma", "delta", "epsilon", "zeta", "eta", "theta", "iota", "kappa"]
OPTIONS = {"crawl_name": "shared", "delay": DELAY, "politeness": 0, "pace_by": "address"}


def site(pages: int) -> dict[str, Page]:
    """A home page with links to pages, each with text of its own."""
    paths = [f"/{one}-{other}" for one in WORDS for other in WORDS][:pages]
    texts = (" ".join(f"word{(n * 31 + m * m * 7) % 5000}" for m in range(60)) for n in range(100))
    return {"/": page(*paths), **{path: page(text=next(texts)) for path in paths}}


def check(server: Server, address: str) -> list[Exchange]:
    """Check that the address kept its pace; return its exchanges."""
    found = [each for each in server.log.of() if f"//{address}:" in each.origin]
    found.sort(key=lambda each: each.started)
    assert min(pauses(found)) >= DELAY - 0.005, address
    return found


def begin(crawl: CrawlCommand, starts: list[str], url: str, **options: object) -> list[Running]:
    """Two workers of one crawl, each with a user agent of its own."""
    settings = {"SITECRAWL_DATABASE": url}
    return [
        crawl.begin(*starts, settings=settings, user_agent=f"w{n}/1", **{**OPTIONS, **options})
        for n in range(2)
    ]


@pytest.mark.slow
@pytest.mark.behaviour("W-12")
def test_one_worker_keeps_the_pace_of_all_addresses(
    server: Server, crawl: CrawlCommand, database_url: str
) -> None:
    starts = [f"{server.serve(site(6), each)}/" for each in ADDRESSES for _ in range(SITES)]
    ended = [each.finish() for each in begin(crawl, starts, database_url)]
    assert [each.status for each in ended] == [0, 0], ended[0].log + ended[1].log
    agents = set()
    for address in ADDRESSES:
        found = check(server, address)
        assert len({(each.origin, each.target) for each in found}) == len(found) == SITES * 8
        agents |= {each.headers["user-agent"] for each in found}
    assert len(agents) == 1


@pytest.mark.slow
@pytest.mark.behaviour("W-12", "W-03")
def test_a_worker_that_stood_still_leaves_the_addresses_to_the_other(
    server: Server, crawl: CrawlCommand, tmp_path: Path
) -> None:
    starts = [f"{server.serve(site(8), each)}/" for each in ADDRESSES[:2] for _ in range(SITES)]
    stopped, other = begin(crawl, starts, f"sqlite:///{tmp_path}/crawl.db", lease=3)
    server.log.wait_for(30)
    stopped.process.send_signal(signal.SIGSTOP)
    time.sleep(6)
    stopped.process.send_signal(signal.SIGCONT)
    ended = [each.finish() for each in (stopped, other)]
    assert [each.status for each in ended] == [0, 0], ended[0].log + ended[1].log
    for address in ADDRESSES[:2]:
        found = check(server, address)
        assert len({(each.origin, each.target) for each in found}) == SITES * 10
