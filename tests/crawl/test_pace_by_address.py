"""Several origins on one address, as the server behind them all sees it."""

from __future__ import annotations

import time
from itertools import pairwise

import pytest
from walked import wait_for

from fixtures.crawls import CrawlCommand
from fixtures.server import Answer, Page, Server, page, pauses

DELAY, ANSWERING = 0.3, 0.2
SITE: dict[str, Page] = {
    "/": Answer(page("/a", "/b"), delay=ANSWERING),
    "/a": Answer(page(text="Page a"), delay=ANSWERING),
    "/b": Answer(page(text="Page b"), delay=ANSWERING),
}


@pytest.mark.slow
@pytest.mark.behaviour("P-07")
def test_origins_on_one_address_share_its_pace(server: Server, crawl: CrawlCommand) -> None:
    first, second = server.serve(dict(SITE)), server.serve(dict(SITE))
    run = crawl(f"{first}/", f"{second}/", delay=DELAY, pace_by="address")
    assert len(run.documents) == 6, run.log[-3000:]
    exchanges = sorted((*server.log.of(first), *server.log.of(second)), key=lambda e: e.started)
    assert len(exchanges) == 8
    assert min(pauses(exchanges)) >= DELAY - 0.01
    assert server.log.most_in_flight() == 1


@pytest.mark.slow
@pytest.mark.behaviour("P-07")
def test_names_of_one_address_share_its_pace_from_the_first_request_on(
    server: Server, crawl: CrawlCommand
) -> None:
    port = server.serve({"/": Answer(page(text="Start"), delay=ANSWERING)}).rpartition(":")[2]
    starts = [f"http://{name}.localhost:{port}/" for name in "abcde"]
    starts.append(f"http://127.0.0.1:{port}/")
    elsewhere = server.serve({"/": page(text="Start")}, "127.0.0.2")
    run = crawl(*starts, f"{elsewhere}/", delay=DELAY, pace_by="address")
    assert len(run.documents) == 7, run.log[-3000:]
    exchanges = server.log.of(f"http://127.0.0.1:{port}")
    assert len(exchanges) == 12, "a robots.txt and a page of each"
    assert min(pauses(exchanges)) >= DELAY - 0.01
    assert server.log.most_in_flight(f"http://127.0.0.1:{port}") == 1
    assert server.log.of(elsewhere)[-1].started < exchanges[4].started, "that one did not wait"


@pytest.mark.behaviour("P-07")
def test_a_name_without_an_address_keeps_nobody_back(server: Server, crawl: CrawlCommand) -> None:
    origin = server.serve({"/": page(text="Start")})
    options = {"pace_by": "address", "patience": 1}
    run = crawl("http://nowhere.invalid/", f"{origin}/", **options)
    assert run.documents.keys() == {f"{origin}/"}, run.log[-3000:]
    assert "http://nowhere.invalid is given up" in run.log


@pytest.mark.behaviour("S-06", "P-13")
def test_an_origin_that_asks_for_a_long_rest_is_left_to_a_later_run(
    server: Server, crawl: CrawlCommand
) -> None:
    origin = server.serve({"/": Answer(status=429, headers={"Retry-After": "3600"})})
    run = crawl(f"{origin}/", max_wait=60)
    assert run.status == 1
    assert "asks for a pause" in run.log
    server.log.clear()
    assert crawl(f"{origin}/", max_wait=60).status in {0, 1}
    assert server.log.targets() == []


@pytest.mark.slow
@pytest.mark.behaviour("S-06", "DB-20")
def test_a_rest_that_was_asked_for_outlives_a_kill(server: Server, crawl: CrawlCommand) -> None:
    limited = Answer(status=429, headers={"Retry-After": "8"})
    origin = server.serve({"/robots.txt": "", "/": [limited, page(title="Start")]})
    running = crawl.begin(f"{origin}/", delay=0)
    wait_for(lambda: server.log.count("/") == 1 and ready_at(crawl) > time.time() + 6)
    running.process.kill()
    running.finish()
    run = crawl(f"{origin}/")
    assert run.documents.keys() == {f"{origin}/"}, run.log[-3000:]
    limited_at, *later = [each.started for each in server.log.of(origin)[1:]]
    assert min(later) - limited_at >= 8 - 0.05


def ready_at(crawl: CrawlCommand) -> float:
    """Time at which the crawl's one origin is ready again, as stored."""
    [(when,)] = crawl.rows("SELECT ready_at FROM origin")
    return float(when)


@pytest.mark.slow
@pytest.mark.behaviour("P-03", "P-05")
def test_several_in_flight_keep_the_pause_between_their_beginnings(
    server: Server, crawl: CrawlCommand
) -> None:
    paths = [f"/p{n}" for n in range(6)]
    slow = {path: Answer(page(text=f"Page {path}"), delay=2.5) for path in paths}
    origin = server.serve({"/": page(*paths), **slow})
    run = crawl(f"{origin}/", delay=1, politeness=0, requests_per_origin=2)
    assert len(run.documents) == 7, run.log[-3000:]
    starts = [exchange.started for exchange in server.log.of(origin)]
    gaps = [later - earlier for earlier, later in pairwise(starts)]
    assert min(gaps) >= 1 - 0.05
    assert server.log.most_in_flight(origin) == 2
