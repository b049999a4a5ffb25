"""The politeness receipt of a crawl agrees with the server's log."""

from __future__ import annotations

import json
from itertools import pairwise

import pytest

from fixtures.crawls import CrawlCommand
from fixtures.server import Answer, Page, Server, page

CLOCK = 0.02  # between our clock at the beginning of a request and the server's


@pytest.mark.behaviour("REP-03")
def test_the_receipt_agrees_with_the_servers_log(server: Server, crawl: CrawlCommand) -> None:
    limits = iter([Answer("slow down", status=429, headers={"Retry-After": "1"})])
    site: dict[str, Page] = {
        "/robots.txt": "User-agent: *\nCrawl-delay: 0.2\n",
        "/": page("/a", "/b", "/limited"),
        "/a": page(title="A"),
        "/b": page(title="B"),
        "/limited": lambda _: next(limits, page(title="Limited")),
    }
    origin = server.serve(site)
    crawl(f"{origin}/", delay=0.1)
    [(requests, promised, smallest, median, spare, limited, unavailable, pauses)] = crawl.rows(
        "SELECT requests, promised, smallest, median, spare, limited, unavailable, pauses"
        " FROM receipts"
    )
    log = server.log.of(origin)
    starts = sorted(each.started for each in log)
    gaps = sorted(after - before for before, after in pairwise(starts))
    assert (requests, limited, unavailable) == (len(log), 1, 0)
    assert promised == 0.2
    assert smallest == pytest.approx(gaps[0], abs=CLOCK)
    middle = (len(gaps) - 1) // 2
    assert gaps[middle - 1] - CLOCK <= median <= gaps[middle + 1] + CLOCK
    assert spare >= 0.0
    [(_, status, asked, waited)] = json.loads(pauses)
    assert (status, asked) == (429, 1.0)
    assert waited >= 1.0
