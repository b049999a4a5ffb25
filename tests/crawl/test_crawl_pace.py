"""The pace that is promised is kept, by the server's own log."""

from __future__ import annotations

import pytest

from fixtures.crawls import CrawlCommand
from fixtures.server import Answer, Page, Server, page

PAGES = {f"/{number}": page(title=f"Page {number}") for number in range(5)}
CLOCK = 0.005  # what the server's log may be late by


@pytest.mark.behaviour("P-02", "P-03", "P-05")
def test_the_delay_is_kept_on_each_origin_while_others_go_on(
    server: Server, crawl: CrawlCommand
) -> None:
    site = {"/": page(*PAGES), **PAGES}
    origins = [server.serve(site, address=f"127.0.0.{number}") for number in (1, 2, 3)]
    run = crawl(*(f"{origin}/" for origin in origins), delay=0.3)
    assert len(run.documents) == 18, run.log[-3000:]
    for origin in origins:
        assert server.log.most_in_flight(origin) == 1
        assert server.log.shortest_gap(origin) >= 0.3 - CLOCK
    times = [[each.started for each in server.log.of(origin)] for origin in origins]
    # By turns, not one after the other: none was half done before the last had begun.
    assert max(each[0] for each in times) < min(each[3] for each in times)


@pytest.mark.behaviour("RT-14", "K-04")
def test_crawl_delay_takes_precedence(server: Server, crawl: CrawlCommand) -> None:
    robots = "User-agent: *\nCrawl-delay: 0.5\n"
    origin = server.serve({"/robots.txt": robots, "/": page("/1", "/2"), **PAGES})
    run = crawl(f"{origin}/", delay=0)
    assert len(run.documents) == 3, run.log[-3000:]
    assert server.log.shortest_gap(origin) >= 0.5 - CLOCK


@pytest.mark.behaviour("P-05")
def test_without_delay_there_is_still_one_request_at_a_time(
    server: Server, crawl: CrawlCommand
) -> None:
    slow = {path: Answer(body, delay=0.05) for path, body in PAGES.items()}
    origin = server.serve({"/": page(*slow), **slow})
    run = crawl(f"{origin}/", delay=0, politeness=0)
    assert len(run.documents) == 6, run.log[-3000:]
    assert server.log.most_in_flight(origin) == 1


@pytest.mark.behaviour("P-01", "P-02")
def test_a_delay_above_max_wait_is_a_delay(server: Server, crawl: CrawlCommand) -> None:
    origin = server.serve({"/": page("/a"), "/a": page(title="A")})
    run = crawl(f"{origin}/", delay=0.5, max_wait=0.2)
    assert len(run.documents) == 2, run.log[-3000:]
    assert server.log.shortest_gap(origin) >= 0.5 - CLOCK


@pytest.mark.slow
@pytest.mark.behaviour("K-31", "S-06", "S-07")
def test_the_pace_recovers_after_a_429(server: Server, crawl: CrawlCommand) -> None:
    pages: dict[str, Page] = {f"/{n}": page(title=f"Page {n}") for n in range(40)}
    limited = Answer(status=429, headers={"Retry-After": "3"})
    robots = "User-agent: *\nCrawl-delay: 0.1\n"
    site = {"/robots.txt": robots, "/": page(*pages, title="Home"), **pages}
    origin = server.serve(site | {"/5": [limited, page(title="Page 5")]})
    run = crawl(f"{origin}/", delay=5)
    assert len(run.documents) == 41, run.log[-3000:]
    gaps = server.log.gaps()
    at = server.log.targets().index("/5")
    assert gaps[at] >= 3 - CLOCK, "what it asked for"
    assert gaps[at + 1] >= 1 - CLOCK, "then half of the raised pause"
    assert sorted(gaps[-10:])[5] < 0.3, "and as before in the end"
    assert min(gaps) >= 0.1 - CLOCK, "never below what robots.txt asks for"


@pytest.mark.slow
@pytest.mark.behaviour("K-31", "P-05")
def test_several_in_flight_keep_the_raised_pause(server: Server, crawl: CrawlCommand) -> None:
    pages: dict[str, Page] = {f"/{n}": Answer(page(title=f"{n}"), delay=0.3) for n in range(5)}
    site = {"/robots.txt": "", "/": page(*pages, title="Home"), **pages}
    site["/0"] = [Answer(status=429), page(title="0")]
    origin = server.serve(site)
    run = crawl(f"{origin}/", delay=0.02, politeness=0, requests_per_origin=2)
    assert len(run.documents) == 6, run.log[-3000:]
    limited = next(each for each in server.log.exchanges if each.status == 429)
    assert limited.ended is not None
    later = [each.started for each in server.log.exchanges if each.started > limited.ended]
    assert later[0] - limited.ended >= 2 - CLOCK
    assert later[1] - later[0] >= 1 - CLOCK
