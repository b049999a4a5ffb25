"""Workers share the origins of a crawl; the log of the server is the witness."""

from __future__ import annotations

import json
import signal
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import pytest

from fixtures.crawls import CrawlCommand, Running
from fixtures.server import Exchange, Page, Server, page

ORIGINS, PAGES = 10, 40
DELAY = 0.1
WORDS = ["alpha", "beta", "gamma", "delta", "epsilon", "zeta", "eta", "theta", "iota", "kappa"]


def tree(pages: int) -> dict[str, Page]:
    """A tree of pages, each with text of its own."""
    paths = ["/", *("/" + "-".join(WORDS[int(each)] for each in str(n)) for n in range(1, pages))]
    site: dict[str, Page] = {"/robots.txt": "User-agent: *\nDisallow:\n"}
    for number, path in enumerate(paths):
        text = " ".join(f"word{(number * 31 + n * n * 7) % 5000}" for n in range(60))
        site[path] = page(*paths[3 * number + 1 : 3 * number + 4], text=text)
    return site


class Workers:
    """Workers of one crawl, each with a user agent of its own."""

    def __init__(self, crawl: CrawlCommand, server: Server, url: str, sizes: Sequence[int]) -> None:
        self._crawl = crawl
        self.server = server
        self.settings = {"SITECRAWL_DATABASE": url}
        self.origins = [
            server.serve(tree(size), address=f"127.0.1.{n + 1}") for n, size in enumerate(sizes)
        ]
        self.running: list[Running] = []

    def start(self, **options: object) -> Running:
        """Start another worker."""
        agent = f"worker{len(self.running)}/1.0"
        given = {"crawl_name": "shared", "delay": DELAY, "politeness": 0, "user_agent": agent}
        given["effort"] = 0  # else one page of each origin is read a second time
        starts = [f"{origin}/" for origin in self.origins]
        self.running.append(
            self._crawl.begin(*starts, settings=self.settings, **{**given, **options})
        )
        return self.running[-1]

    def fetched(self) -> Counter[str]:
        """Number of requests by each worker."""
        return Counter(map(agent_of, self.server.log.of()))

    def check(self) -> None:
        """Check that nothing was fetched twice or too soon, and never two at a time."""
        log = self.server.log
        for origin in self.origins:
            targets = log.targets(origin)
            assert len(set(targets)) == len(targets), origin
            assert log.most_in_flight(origin) == 1
            assert log.shortest_gap(origin) >= DELAY - 0.005


def agent_of(exchange: Exchange) -> str:
    """The worker that sent a request."""
    return exchange.headers["user-agent"].partition("/")[0]


@pytest.mark.behaviour("W-01", "W-02")
def test_a_worker_that_starts_later_gets_its_share(
    server: Server, crawl: CrawlCommand, database_url: str
) -> None:
    workers = Workers(crawl, server, database_url, [80] * ORIGINS)
    workers.start()
    workers.server.log.wait_for(100)
    workers.start()
    ended = [each.finish() for each in workers.running]
    assert [each.status for each in ended] == [0, 0], ended[0].log + ended[1].log
    assert workers.fetched().total() == ORIGINS * 81
    assert workers.fetched()["worker1"] > 0.2 * ORIGINS * 81, workers.fetched()
    workers.check()


SLOW_HAND_OVER = """
import asyncio, os
from pathlib import Path
from sitecrawl.frontier.threaded import Frontier

hand_over, log = Frontier.hand_over, Path(f"{os.getpid()}.handed")

def note(word):
    with log.open("a") as file:
        print(word, file=file)

async def hand_over_slowly(self, state):
    note("begun")
    await asyncio.sleep(3)
    await hand_over(self, state)
    note("ended")

class SlowHandOver:
    def __init__(self):
        Frontier.hand_over = hand_over_slowly
"""


@pytest.mark.slow
@pytest.mark.behaviour("W-01", "W-02")
def test_a_hand_over_that_takes_longer_than_a_heartbeat_is_made_once(
    server: Server, crawl: CrawlCommand, tmp_path: Path
) -> None:
    (crawl.directory / "own.py").write_text(SLOW_HAND_OVER)
    workers = Workers(crawl, server, f"sqlite:///{tmp_path}/crawl.db", [80] * ORIGINS)
    workers.settings["EXTENSIONS"] = json.dumps({"own.SlowHandOver": 500})
    first = workers.start()
    workers.server.log.wait_for(100)
    workers.start()
    ended = [each.finish() for each in workers.running]
    assert [each.status for each in ended] == [0, 0], ended[0].log + ended[1].log
    workers.check()
    handed = (crawl.directory / f"{first.process.pid}.handed").read_text().split()
    assert 0 < handed.index("ended") <= 0.6 * ORIGINS  # about half of them, three heartbeats long


@pytest.mark.behaviour("W-01", "W-02")
def test_a_huge_origin_leaves_the_small_ones_to_the_other(
    server: Server, crawl: CrawlCommand, database_url: str
) -> None:
    # The small ones take half as long as the huge one: time for the second worker to begin.
    workers = Workers(crawl, server, database_url, [120, *[60] * ORIGINS])
    workers.start()
    workers.start()
    assert [each.finish().status for each in workers.running] == [0, 0]
    assert workers.fetched().total() == 121 + ORIGINS * 61
    assert min(workers.fetched().values()) > 40, workers.fetched()
    workers.check()


@pytest.mark.behaviour("W-03")
def test_a_worker_that_stood_still_fetches_nothing_of_others(
    server: Server, crawl: CrawlCommand, database_url: str
) -> None:
    lease = 6.0  # a busy machine must not let the other one lose its leases
    workers = Workers(crawl, server, database_url, [80] * ORIGINS)
    stopped = workers.start(lease=lease)
    workers.start(lease=lease)
    workers.server.log.wait_for(150)
    stopped.process.send_signal(signal.SIGSTOP)
    time.sleep(2 * lease)
    stopped.process.send_signal(signal.SIGCONT)
    went_on = time.monotonic()
    ended = [each.finish() for each in workers.running]
    assert [each.status for each in ended] == [0, 0], ended[0].log + ended[1].log
    times: dict[tuple[str, str], list[Exchange]] = {}
    for each in server.log.of():
        times.setdefault((each.origin, each.target), []).append(each)
    assert len(times) == ORIGINS * 81
    late = [
        exchanges
        for exchanges in times.values()
        for number, each in enumerate(exchanges)
        if agent_of(each) == "worker0" and each.started > went_on and each.target != "/robots.txt"
        if "worker1" in map(agent_of, exchanges[:number])
    ]
    assert late == []
    again = [target for (_, target), found in times.items() if len(found) > 1]
    assert (
        len([each for each in again if each != "/robots.txt"]) <= 5 * ORIGINS
    )  # not committed yet
