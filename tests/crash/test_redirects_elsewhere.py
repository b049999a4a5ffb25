"""Redirects of starts onto origins of another worker keep the pace of those."""

from __future__ import annotations

import pytest

from fixtures.crawls import CrawlCommand
from fixtures.server import Answer, Page, Server, page, pauses, redirect

PAIRS, PAGES, DELAY, ANSWERING = 4, 12, 0.1, 0.05
NAMES = "abcdefghijklmnopqrst"


def site(number: int) -> dict[str, Page]:
    """Pages with texts of their own, answered slowly."""
    pages: dict[str, Page] = {}
    for place, name in enumerate(NAMES[:PAGES]):
        text = " ".join(f"word{(number * 977 + place * 31 + n * n * 7) % 9000}" for n in range(60))
        pages[f"/{name}"] = Answer(page(text=text), delay=ANSWERING)
    home = Answer(page(*pages, text=f"Home of {number}"), delay=ANSWERING)
    rules = Answer("User-agent: *\nDisallow:\n", delay=ANSWERING)
    return {"/": home, "/robots.txt": rules, **pages}


@pytest.mark.slow
@pytest.mark.behaviour("W-02")
def test_redirects_wait_for_the_worker_of_their_target(
    server: Server, crawl: CrawlCommand, database_url: str
) -> None:
    targets = [server.serve(site(n), f"127.0.7.{n + 1}") for n in range(PAIRS)]
    others = []
    for number, target in enumerate(targets):
        own = site(PAIRS + number)
        moved = {"/": redirect(f"{target}/a"), "/robots.txt": redirect(f"{target}/robots.txt")}
        own |= moved | {"/home": own["/"]}
        others.append(server.serve(own, f"127.0.7.{PAIRS + number + 1}"))
    settings = {"SITECRAWL_DATABASE": database_url}
    options = {"crawl_name": "shared", "delay": DELAY, "politeness": 0}
    starts = [f"{each}/" for each in targets]
    starts += [f"{each}{path}" for each in others for path in ("/", "/home")]
    ended = [
        each.finish()
        for each in [crawl.begin(*starts, settings=settings, **options) for _ in range(2)]
    ]
    assert [each.status for each in ended] == [0, 0], ended[0].log + ended[1].log
    for origin in (*targets, *others):
        pages = [each for each in server.log.of(origin) if each.target != "/robots.txt"]
        assert min(pauses(pages)) >= DELAY - 0.005, origin
        fetched = [each for each in server.log.targets(origin) if each != "/robots.txt"]
        assert sorted(fetched) == sorted(set(fetched))
        assert len(fetched) == PAGES + 1 + (origin in others)
