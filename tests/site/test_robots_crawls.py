"""robots.txt over several runs and while a run goes on, by the server's log."""

from __future__ import annotations

from itertools import pairwise

import pytest

from fixtures.crawls import CrawlCommand
from fixtures.server import Answer, Page, Server, page, redirect

CLOCK = 0.005  # what the server's log may be late by
PAGES: dict[str, Page] = {f"/{n}": page(title=f"Page {n}", text=f"{n} " * n) for n in range(1, 9)}


@pytest.mark.behaviour("RT-05", "RC-19", "K-06", "P-14")
def test_robots_txt_is_read_again_by_a_turn_of_its_own(server: Server, crawl: CrawlCommand) -> None:
    texts: list[Answer] = [Answer(""), Answer("User-agent: *\nDisallow: /8\n")]
    origin = server.serve({"/robots.txt": texts, "/": page(*PAGES), **PAGES})
    run = crawl(origin, delay=0.2, robots_lifetime="0.7s")
    assert run.status == 0, run.log[-3000:]
    targets = server.log.targets(origin)
    assert targets[0] == "/robots.txt"
    reads = [each.started for each in server.log.of(origin) if each.target == "/robots.txt"]
    assert len(reads) >= 3
    assert all(later - earlier >= 0.7 for earlier, later in pairwise(reads))
    assert {count for path, count in _counts(targets) if path != "/robots.txt"} == {1}
    assert "/8" not in targets
    assert server.log.most_in_flight(origin) == 1
    assert server.log.shortest_gap(origin) >= 0.2 - CLOCK
    server.log.clear()
    assert crawl(origin).status == 0
    assert server.log.targets(origin) == ["/robots.txt"]


def _counts(targets: list[str]) -> set[tuple[str, int]]:
    return {(target, targets.count(target)) for target in targets}


@pytest.mark.behaviour("RT-05", "P-14")
def test_robots_txt_that_expires_within_a_pause_leaves_pages_their_turn(
    server: Server, crawl: CrawlCommand
) -> None:
    origin = server.serve({"/": page("/a", title="Start"), "/a": page(title="A")})
    run = crawl.begin(f"{origin}/", delay=1, robots_lifetime=0.2).finish(60)
    assert len(run.documents) == 2, run.log[-3000:]
    assert server.log.targets(origin)[:2] == ["/robots.txt", "/"]
    assert server.log.count("/robots.txt", origin) <= 3


@pytest.mark.behaviour("F-06", "RT-13")
@pytest.mark.parametrize(
    ("options", "kept"),
    [
        ({}, "/1"),
        ({"contact": "me@own.test"}, "/1"),
        ({"user_agent": "Own-Bot/2.0 (library)", "contact": "https://own.test/bot"}, "/2"),
    ],
)
def test_the_first_word_of_the_user_agent_finds_the_group(
    options: dict[str, str], kept: str, server: Server, crawl: CrawlCommand
) -> None:
    robots = "User-agent: own-bot\nDisallow: /1\n\nUser-agent: *\nDisallow: /2\n"
    origin = server.serve({"/robots.txt": robots, "/": page("/1", "/2"), **PAGES})
    run = crawl(f"{origin}/", **options)
    assert run.documents.keys() == {f"{origin}/", f"{origin}{kept}"}
    (agent,) = {each.headers["user-agent"] for each in server.log.of(origin)}
    assert options.get("contact", "contact not configured") in agent
    assert ("WARNING: No contact is set" in run.log) == (not options)


@pytest.mark.behaviour("RT-18")
@pytest.mark.parametrize(
    ("text", "told"),
    [
        (
            "User-agent: *\nTo Allow: *\ncrwla-delay = 200\nDisallow: /2\n",
            "2 lines are invalid and ignored: line 2, 'To Allow: *' (unknown directive)",
        ),
        (
            "User-agent: *\nDisallow: /2\nCrawl-delay: soon\nHost: own.test\n",
            "one line is invalid and ignored: line 3, 'Crawl-delay: soon' (bad crawl delay)",
        ),
        ("<!doctype html>\nUser-agent: *\nDisallow: /2\n", "line 1, '<!doctype html>' (html)"),
        ("# our rules\nUser-agent: *\nDisallow: /2\n", None),
    ],
)
def test_lines_that_make_no_sense_are_passed_over_with_a_warning(
    text: str, told: str | None, server: Server, crawl: CrawlCommand
) -> None:
    origin = server.serve({"/robots.txt": text, "/": page("/1", "/2"), **PAGES})
    run = crawl(f"{origin}/", robots_lifetime="0.1s", delay=0.1)
    assert server.log.count("/robots.txt", origin) > 1
    assert {f"{origin}/", f"{origin}/1"} == run.documents.keys()
    lines = [line for line in run.log.splitlines() if f"In {origin}/robots.txt" in line]
    assert len(lines) == (1 if told else 0), "once for each text"
    assert all("WARNING" in line and str(told) in line for line in lines)


@pytest.mark.behaviour("RT-08", "K-07", "S-20", "S-11")
def test_a_robots_txt_that_fails_closes_the_origin_until_it_answers(
    server: Server, crawl: CrawlCommand
) -> None:
    site: dict[str, Page] = {"/robots.txt": Answer(status=503), "/": page(title="Open")}
    origin = server.serve(site)
    other = server.serve({"/": page(title="Other")}, "127.0.0.2")
    run = crawl(origin, other, patience=2)
    assert set(server.log.targets(origin)) == {"/robots.txt"}
    assert run.documents.keys() == {f"{other}/"}
    assert run.stats[f"sitecrawl/patience/{origin}"] == 0
    assert f"sitecrawl/patience/{other}" not in run.stats
    assert f"{origin}/robots.txt cannot be read" in run.log
    site["/robots.txt"] = ""
    assert crawl(origin, other).documents.keys() == {f"{origin}/"}


@pytest.mark.behaviour("R-13")
@pytest.mark.parametrize(("redirects", "obeyed"), [(5, True), (6, False)])
def test_redirects_of_robots_txt_are_followed_five_times(
    redirects: int, obeyed: bool, server: Server, crawl: CrawlCommand
) -> None:
    chain: dict[str, Page] = {f"/r{n}": redirect(f"/r{n + 1}", 302) for n in range(1, redirects)}
    rules: dict[str, Page] = {"/robots.txt": redirect("/r1")}
    rules |= {f"/r{redirects}": "User-agent: *\nDisallow: /1\n"}
    origin = server.serve({**chain, **rules, "/": page("/1", title="Start"), **PAGES})
    crawl(origin)
    assert server.log.targets(origin)[:6] == ["/robots.txt", *(f"/r{n}" for n in range(1, 6))]
    assert server.log.count("/1") == (0 if obeyed else 1)


@pytest.mark.behaviour("RT-15")
def test_robots_txt_can_be_disregarded(server: Server, crawl: CrawlCommand) -> None:
    rules = "User-agent: *\nDisallow: /\nCrawl-delay: 60\n"
    origin = server.serve({"/robots.txt": rules, "/": page(*PAGES), **PAGES})
    run = crawl(origin, obey_robots=0)
    assert len(run.documents) == 9, run.log[-3000:]
    assert server.log.count("/robots.txt") == 0


@pytest.mark.behaviour("P-06", "P-05")
def test_the_pause_holds_for_two_workers_together(server: Server, crawl: CrawlCommand) -> None:
    origin = server.serve({"/": page(*PAGES), **PAGES})
    workers = [crawl.begin(origin, delay=0.3) for _ in range(2)]
    runs = [worker.finish() for worker in workers]
    assert sum(len(run.documents) for run in runs) == 9, [run.log[-1500:] for run in runs]
    pages = [target for target in server.log.targets(origin) if target != "/robots.txt"]
    assert sorted(pages) == sorted(["/", *PAGES])
    assert server.log.most_in_flight(origin) == 1
    assert server.log.shortest_gap(origin) >= 0.3 - CLOCK


def test_the_rules_of_an_origin_hold_when_it_is_taken_up_again(
    server: Server, crawl: CrawlCommand
) -> None:
    robots = "User-agent: *\nDisallow: /caf%E9/\nDisallow: /caf\xe9s/\n".encode("latin-1")
    first = server.serve({"/robots.txt": Answer(robots), "*": lambda each: page(title=each.target)})
    again = [f"{first}{path}" for path in ("/caf%E9/x", "/caf%E9s/x", "/b")]
    second = server.serve({"/": page("/c"), "/c": page(*again, title="C")}, "127.0.0.2")
    run = crawl(f"{first}/", f"{second}/", delay=0.5)
    assert run.status == 0, run.log[-3000:]
    assert server.log.targets(first) == ["/robots.txt", "/", "/b"]
